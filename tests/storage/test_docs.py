"""docs/storage.md is whole: every option of a URL and every error code is in it."""

from pathlib import Path

from corral.model import errors
from corral.storage.open import URL_OPTIONS

DOCS = (Path(__file__).parents[2] / "docs" / "storage.md").read_text()


def test_every_option_of_a_url_is_documented() -> None:
    assert {option for option in URL_OPTIONS if f"| `{option}` |" not in DOCS} == set()


def test_every_error_of_a_store_is_documented() -> None:
    of_a_store = [errors.StorageError, *errors.StorageError.__subclasses__(), errors.KeyInvalidError]
    of_an_upload = [
        error
        for name, error in vars(errors).items()
        if name.startswith("Upload") and not issubclass(error, errors.NodeError)  # that one is told by nodes
    ]

    assert {error.code for error in [*of_a_store, *of_an_upload] if f"`{error.code}`" not in DOCS} == set()
