"""docs/security.md promises nothing without a test, and every test that it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", (ROOT / "docs/security.md").read_text())))


def test_it_names_tests() -> None:
    assert len(NAMED) > 30


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_each_test_that_is_named_is_there(file: str, name: str) -> None:
    assert re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text(), re.MULTILINE)
