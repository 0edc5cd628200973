"""Asking registries: what is found, what is not known there, and registries that say nothing."""

from pathlib import Path
from typing import Any

import pytest

from tests.audit.pins import Pin, read_npm_pins, read_python_pins
from tests.audit.ranges import is_in_range
from tests.audit.registries import Registry, audit_npm, audit_python, find_npm_registry, find_python_index
from tests.unit.audit.registry import registry

BULK = "/-/npm/v1/security/advisories/bulk"
OLD, NEW = Pin("jinja2", "2.4.1"), Pin("jinja2", "99")


def vulnerability(**fields: object) -> dict[str, Any]:
    return {
        "id": "GHSA-1",
        "aliases": ["CVE-1"],
        "summary": "It leaks",
        "fixed_in": ["2.11.3"],
        "withdrawn": None,
        **fields,
    }


async def test_a_python_package_with_a_known_vulnerability_is_found_with_its_fix() -> None:
    answers = {
        "/pypi/jinja2/2.4.1/json": (200, {"vulnerabilities": [vulnerability()]}),
        "/pypi/jinja2/99/json": (200, {"vulnerabilities": []}),
    }
    with registry(answers) as (url, _):
        audit = await audit_python(Registry(f"{url}/pypi"), [OLD, NEW])

    assert [str(each) for each in audit.advisories] == ["jinja2 2.4.1: GHSA-1, CVE-1: It leaks (fixed in 2.11.3)"]
    assert str(audit) == "Python: 2 of 2 packages audited"


async def test_a_withdrawn_advisory_is_none() -> None:
    answer = {"vulnerabilities": [vulnerability(withdrawn="2026-01-01T00:00:00Z")]}
    with registry({"/pypi/jinja2/2.4.1/json": (200, answer)}) as (url, _):
        assert (await audit_python(Registry(f"{url}/pypi"), [OLD])).advisories == []


async def test_packages_that_the_index_does_not_know_are_counted_as_not_audited() -> None:
    with registry({"/pypi/jinja2/99/json": (200, {"vulnerabilities": []})}) as (url, _):
        audit = await audit_python(Registry(f"{url}/pypi"), [OLD, NEW])

    assert str(audit) == "Python: 1 of 2 packages audited; 1 not audited: the registry answers 404"


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (503, {}, "the registry answers 503"),
        (200, b"<html>a proxy's greeting</html>", "the registry answers something else than JSON"),
        (200, [], "the registry's answer is not an object"),
        (200, {"info": {}}, "the registry says nothing of vulnerabilities"),
    ],
)
async def test_an_index_that_says_nothing_useful_audits_nothing(status: int, body: object, reason: str) -> None:
    with registry({"/pypi/jinja2/2.4.1/json": (status, body)}) as (url, _):
        audit = await audit_python(Registry(f"{url}/pypi"), [OLD])

    assert str(audit) == f"Python: not audited: {reason}"


async def test_without_a_network_nothing_is_audited_and_nothing_raised() -> None:
    with registry({}) as (url, _):
        pass  # and now nobody listens there

    python, npm = await audit_python(Registry(url), [OLD]), await audit_npm(Registry(url), [Pin("left-pad", "1.0.0")])

    assert str(python) == "Python: not audited: the registry does not answer (ConnectError)"
    assert str(npm) == "npm: not audited: the registry does not answer (ConnectError)"


async def test_npm_is_asked_once_for_everything() -> None:
    known = {
        "id": 7,
        "url": "https://example.org/advisories/GHSA-2",
        "title": "Pollution",
        "vulnerable_versions": ">=1.0.0 <1.2.6",
    }
    pins = [Pin("left-pad", "1.0.0"), Pin("minimist", "0.0.8"), Pin("minimist", "1.2.0")]
    with registry({BULK: (200, {"minimist": [known]})}) as (url, bodies):
        audit = await audit_npm(Registry(url), pins)

    assert bodies == [{"left-pad": ["1.0.0"], "minimist": ["0.0.8", "1.2.0"]}]
    assert [str(each) for each in audit.advisories] == ["minimist 1.2.0: GHSA-2, 7: Pollution (fixed in 1.2.6)"]
    assert audit.audited == 3


@pytest.mark.parametrize(("status", "body"), [(405, {}), (200, {"minimist": [{"odd": True}]}), (200, {"minimist": 3})])
async def test_an_npm_registry_without_audits_audits_nothing(status: int, body: object) -> None:
    with registry({BULK: (status, body)}) as (url, _):
        audit = await audit_npm(Registry(url), [Pin("minimist", "1.2.0")])

    assert audit.audited == 0
    assert "not audited: the registry" in str(audit)


@pytest.mark.parametrize(
    ("version", "versions", "is_meant"),
    [
        ("1.2.5", ">=1.0.0 <1.2.6", True),
        ("1.2.6", ">=1.0.0 <1.2.6", False),
        ("0.9.0", ">=1.0.0 <1.2.6 || <0.2.1", False),
        ("0.2.0", ">=1.0.0 <1.2.6 || <0.2.1", True),
        ("2.0.0-beta.1", "<2.0.0", True),
        ("2.0.0", "=2.0.0", True),
        ("10.0.0", "<=9.9.9", False),
        ("3.0.0", ">2.0.0", True),
        ("1.0.0", "*", True),
        ("1.0.0", "~2 or so", True),
    ],
)
def test_a_range_means_the_versions_between_its_ends_and_whatever_it_cannot_be_read_as(
    version: str, versions: str, *, is_meant: bool
) -> None:
    assert is_in_range(version, versions) is is_meant


def test_the_locks_are_read_whole(tmp_path: Path) -> None:
    requirements, package_lock = tmp_path / "lock.txt", tmp_path / "package-lock.json"
    requirements.write_text(
        "# made\nhttpx==0.28.1 \\\n    --hash=sha256:00\nuvloop==0.22.1 ; sys_platform != 'win32' \\\n"
    )
    package_lock.write_text(
        '{"packages": {"": {"version": "0"}, "node_modules/@a/b": {"version": "1.0.0"},'
        ' "node_modules/c/node_modules/d": {"version": "2.0.0"}, "node_modules/e": {"name": "f", "version": "3.0.0"},'
        ' "node_modules/g": {"link": true, "version": "4.0.0"}}}'
    )

    assert read_python_pins([requirements, requirements]) == [Pin("httpx", "0.28.1"), Pin("uvloop", "0.22.1")]
    assert read_npm_pins(package_lock) == [Pin("@a/b", "1.0.0"), Pin("d", "2.0.0"), Pin("f", "3.0.0")]
    assert len(read_python_pins()) > 50
    assert len(read_npm_pins()) > 50


def test_the_registries_are_those_that_pip_and_npm_are_configured_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://index.example/root/simple/")
    monkeypatch.setenv("PIP_CERT", "/somewhere/ca.pem")
    npm = tmp_path / "npm"
    npm.write_text('#!/bin/sh\n[ "$3" = registry ] && echo https://npm.example/ || echo null\n')
    npm.chmod(0o755)

    assert find_python_index() == Registry("https://index.example/root/pypi", "/somewhere/ca.pem")
    assert find_npm_registry(str(npm)) == Registry("https://npm.example")
    monkeypatch.delenv("PIP_INDEX_URL")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    assert find_python_index().url.endswith("/pypi"), "pip's own default"
