"""docs/security.md promises nothing without a test, and every test that it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs/security.md").read_text(encoding="utf-8")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")
NAMED = sorted(set(TEST.findall(DOCUMENT)))
ROWS = [
    row
    for table in re.findall(r"^\| threat \|.*\n\|[-|]+\|\n((?:\|.*\n)+)", DOCUMENT, re.MULTILINE)
    for row in table.splitlines()
]


def test_it_names_tests() -> None:
    assert len(NAMED) > 30
    assert len(ROWS) > 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_each_threat_has_a_test(row: str) -> None:
    assert TEST.search(row.rstrip("| ").rpartition("|")[2])


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_each_test_that_is_named_is_there(file: str, name: str) -> None:
    assert re.search(rf"^(async )?def {name}\(", (ROOT / file).read_text(), re.MULTILINE)
