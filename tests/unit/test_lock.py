import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements" / "lock.txt").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PIN = re.compile(r"^(?P<name>[a-z0-9-]+)==\S+(?P<rest>(?:.*\\\n)+.*)", re.MULTILINE)


def name_of(requirement: str) -> str:
    name = re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
    return re.sub(r"[._-]+", "-", name).lower()


@pytest.mark.parametrize("requirement", PROJECT["project"]["dependencies"] + PROJECT["dependency-groups"]["dev"])
def test_every_declared_dependency_is_pinned_by_the_lock(requirement: str) -> None:
    assert name_of(requirement) in {pin["name"] for pin in PIN.finditer(LOCK)}


def test_an_installation_gets_the_versions_that_the_tests_ran_with() -> None:
    runtime = (ROOT / "requirements" / "runtime.txt").read_text(encoding="utf-8")
    pins = re.findall(r"^[a-z0-9-]+==[^ ;]+", runtime, re.MULTILINE)

    assert set(pins) <= set(re.findall(r"^[a-z0-9-]+==[^ ;]+", LOCK, re.MULTILINE)), "make lock"
    assert {pin.partition("==")[0] for pin in pins} >= {name_of(each) for each in PROJECT["project"]["dependencies"]}


def test_every_pin_carries_a_hash() -> None:
    pins = list(PIN.finditer(LOCK))

    assert len(pins) == len(re.findall(r"==.*\\$", LOCK, re.MULTILINE))
    assert [pin["name"] for pin in pins if "--hash=sha256:" not in pin["rest"]] == []


def test_the_lock_does_not_say_where_packages_come_from() -> None:
    assert re.findall(r"https?://\S+|--(?:extra-)?index-url.*|--find-links.*", LOCK) == []
