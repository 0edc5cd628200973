"""What fails a check: findings that nobody excused, for a reason and until a day."""

import asyncio
from datetime import date
from pathlib import Path

import pytest

from tests.audit.__main__ import judge, within
from tests.audit.advisories import Advisory, Audit, Exemption, read_exemptions
from tests.audit.pins import Pin

TODAY = date(2026, 11, 16)
FOUND = Advisory(Pin("jinja2", "2.4.1"), ("GHSA-1", "CVE-1"), "2.11.3", "It leaks")
AUDIT = Audit("Python", 1, 1, advisories=[FOUND])


def exemption(**fields: object) -> Exemption:
    given = {"id": "CVE-1", "package": "jinja2", "until": TODAY, "reason": "nothing of it is reached", **fields}
    return Exemption(**given)  # type: ignore[arg-type]


def test_a_known_vulnerability_fails_with_its_id_package_and_fix() -> None:
    lines, is_well = judge([AUDIT], [], today=TODAY)

    assert not is_well
    assert lines[-1] == "vulnerable: jinja2 2.4.1: GHSA-1, CVE-1: It leaks (fixed in 2.11.3)"


def test_an_exception_excuses_by_any_of_the_ids_until_its_day() -> None:
    assert judge([AUDIT], [exemption()], today=TODAY)[1]
    lines, is_well = judge([AUDIT], [exemption()], today=date(2026, 11, 17))
    assert not is_well
    assert lines[-1].endswith("its exception ended on 2026-11-16")


def test_an_exception_is_for_one_package_and_one_id() -> None:
    assert not judge([AUDIT], [exemption(package="markupsafe")], today=TODAY)[1]
    assert not judge([AUDIT], [exemption(id="CVE-2")], today=TODAY)[1]


def test_an_exception_that_nobody_needs_is_named_once_all_is_known() -> None:
    needless = "nobody needs the exception for CVE-1 of jinja2 any more"

    assert needless in judge([Audit("Python", 1, 1)], [exemption()], today=TODAY)[0]
    assert needless not in judge([Audit("Python", 0, 1, "no network")], [exemption()], today=TODAY)[0]


def test_what_could_not_be_audited_is_said_and_fails_nothing() -> None:
    assert judge([Audit("npm", 0, 9, "no network")], [], today=TODAY) == (["npm: not audited: no network"], True)


async def test_a_registry_that_takes_too_long_is_given_up() -> None:
    async def never() -> Audit:
        await asyncio.Event().wait()
        raise AssertionError

    assert str(await within(0.01, never, "Python", 3)) == "Python: not audited: no answer within 0.01 s"


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('[[exception]]\nid = "X"\npackage = "a"\nuntil = 2027-01-01\nreason = " "\n', "X of a has no reason"),
        ('[[exception]]\nid = "X"\npackage = "a"\nreason = "r"\n', "until"),
        ('[[exception]]\nid = "X"\npackage = "a"\nuntil = "soon"\nreason = "r"\n', "until"),
        ("[[exceptions]]\n", "exceptions"),
        ("nonsense", "audit.toml"),
    ],
)
def test_an_exception_without_a_day_or_a_reason_is_refused(text: str, wrong: str, tmp_path: Path) -> None:
    file = tmp_path / "audit.toml"
    file.write_text(text)

    with pytest.raises(ValueError, match=r"audit\.toml: ") as refused:
        read_exemptions(file)
    assert wrong in str(refused.value)


def test_the_exceptions_of_this_repository_can_be_read() -> None:
    assert isinstance(read_exemptions(), list)
