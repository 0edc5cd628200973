"""The pytest plugin: a test that asks for `corral_device` gets a phone of the farm.

pytest loads this wherever Corral is installed: it imports nothing of Corral, asks nobody and costs nothing until a test
wants a phone.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING, Literal

import pytest

if TYPE_CHECKING:
    from corral.pytest_plugin.device import CorralDevice

FIXTURE = "corral_device"
_TTL_S = 120.0
_WAIT_S = 1800.0


def pytest_addoption(parser: pytest.Parser) -> None:
    """What can be told on the command line, in pytest's ini file, or in the environment."""
    group = parser.getgroup("corral", "phones of a Corral farm")
    group.addoption("--corral-url", metavar="URL", help="the server (CORRAL_URL, http://127.0.0.1:8080)")
    group.addoption(
        "--corral-token", metavar="TOKEN", help="an operator's token; CORRAL_TOKEN does not show it to other users"
    )
    group.addoption(
        "--corral-tag", action="append", default=[], metavar="TAG", help="only phones with this tag; may be repeated"
    )
    group.addoption(
        "--corral-ttl", type=float, metavar="SECONDS", help=f"how long a phone outlives a crash of pytest ({_TTL_S:g})"
    )
    group.addoption("--corral-wait", type=float, metavar="SECONDS", help=f"the longest wait for a phone ({_WAIT_S:g})")
    group.addoption("--corral-scope", choices=["session", "test"], help="a phone per worker (session) or per test")
    group.addoption(
        "--corral-output", metavar="DIRECTORY", help="where evidence of failures is written (corral-failures)"
    )
    parser.addini("corral_url", "the server of phones")
    parser.addini("corral_tags", "only phones with all of these tags", type="args", default=[])
    parser.addini("corral_ttl", "how long a phone outlives a crash of pytest, in seconds", default=f"{_TTL_S:g}")
    parser.addini("corral_wait", "the longest wait for a phone, in seconds", default=f"{_WAIT_S:g}")
    parser.addini("corral_scope", "session: a phone per worker; test: a phone per test", default="session")
    parser.addini("corral_output", "where evidence of failures is written", default="corral-failures")


def _scope(fixture_name: str, config: pytest.Config) -> Literal["session", "function"]:  # noqa: ARG001 - pytest's words
    scope = config.getoption("corral_scope") or config.getini("corral_scope")
    if scope not in {"session", "test"}:
        raise pytest.UsageError(f"corral_scope is session or test, and not {scope!r}")
    return "session" if scope == "session" else "function"


@pytest.fixture(scope=_scope)
def corral_device(request: pytest.FixtureRequest) -> Iterator[CorralDevice]:
    """A phone of the farm, nobody else's for as long as this is used: for all tests of a worker, or for one test."""
    from corral.pytest_plugin.device import hold_device  # noqa: PLC0415 - what is not used must cost nothing
    from corral.pytest_plugin.settings import read_settings  # noqa: PLC0415 - as above

    with hold_device(read_settings(request.config)) as device:
        yield device


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """When a test with a phone fails: a picture of its screen and its log, named in the report."""
    report = yield
    device = getattr(item, "funcargs", {}).get(FIXTURE)
    if report.failed and report.when in {"setup", "call"} and device is not None:
        from corral.pytest_plugin.evidence import keep_evidence  # noqa: PLC0415 - as above

        report.sections.append(("corral device", keep_evidence(device, item.nodeid)))
        report.user_properties.append(("corral_device", device.serial))
    return report
