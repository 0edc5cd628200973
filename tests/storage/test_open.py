"""A store's URL: what it may say, and that it is never repeated where it may not be seen."""

from pathlib import Path

import pytest

from corral.model.errors import StorageUrlInvalidError
from corral.storage import open_store


def test_a_path_and_a_file_url_open_the_same_directory(tmp_path: Path) -> None:
    assert repr(open_store(str(tmp_path / "a b"))) == repr(open_store(f"file://{tmp_path}/a%20b"))


def test_an_s3_url_opens_a_bucket_unasked() -> None:
    assert repr(open_store("s3://shots/farm/1?region=eu-west-1")) == "S3Store('s3://shots/farm/1')"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://host/hunter2",
        "file://host/hunter2",
        "file://",
        "s3://",
        "s3://key:hunter2@bucket/prefix",
        "s3://bucket?secret_access_key=hunter2",
        "s3://bucket?addressing=hunter2",
        "s3://bucket?conditional=hunter2",
        "s3://bucket?endpoint=http://key:hunter2@host",
        "s3://bucket?endpoint=host:9000",
        "s3://bucket/../hunter",
    ],
)
def test_a_url_that_cannot_be_used_is_refused_unrepeated(url: str) -> None:
    with pytest.raises(StorageUrlInvalidError) as raised:
        open_store(url)

    assert "hunter2" not in str(raised.value)
