"""Every action on a simulated phone, through the real adb, and what only a phone can tell."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.drivers.adb.driver import AdbDriver
from corral.drivers.protocol import Driver, Phone
from corral.drivers.vendor.driver import VendorDriver
from corral.model.errors import ActionFailedError, AssertionFailedError, CommandFailedError, NotSupportedError
from corral.model.states import Connection
from corral.node.actions.quoting import quote
from corral.node.actions.registry import node_actions
from corral.node.health.probe import probe
from corral.simulator.apk import make_apk
from corral.simulator.fleet import Fleet
from corral.workflow.catalog import CATALOG
from tests.drivers.conftest import adb_environment, adb_port  # noqa: F401 - fixtures that are asked for by name
from tests.node.actions.scripted_phone import ScriptedBench

DEMO = "dev.corral.demo"
APP = "com.example.tried"
TEXT = b"a film"


class OnPhone:
    """A bench with a simulated phone."""

    def __init__(self, fleet: Fleet, phone: Phone, folder: Path) -> None:
        self.fleet = fleet
        self.simulated = fleet.phones[0]
        self.bench = ScriptedBench(folder, phone, allows_shell=True)

    async def perform(self, name: str, /, **with_: Any) -> dict[str, Any]:  # noqa: ANN401 - as recipes have it
        return await node_actions()[name].perform(self.bench, with_)


async def connected(driver: Driver, handle: str) -> Phone:
    """The phone, once the driver sees that it is there."""
    async for sightings in driver.watch():
        if any(sighting.handle == handle and sighting.connection is Connection.CONNECTED for sighting in sightings):
            return driver.phone(handle)
    raise AssertionError("a driver watches for ever")


@pytest.fixture
async def on_phone(
    adb_port: int,  # noqa: F811 - a fixture
    adb_environment: dict[str, str],  # noqa: F811 - as above
    tmp_path: Path,
) -> AsyncIterator[OnPhone]:
    folder = tmp_path / "scratch"
    folder.mkdir()
    async with Fleet(1, seed=7) as fleet:
        driver = AdbDriver(port=adb_port, environment=adb_environment)
        assert await driver.discover(fleet.addresses) == []
        yield OnPhone(fleet, await connected(driver, fleet.addresses[0]), folder)
        assert fleet.violations == []


class Try(NamedTuple):
    """One action, what it is given, and what must hold of its output."""

    action: str
    with_: dict[str, Any]
    holds: Callable[[dict[str, Any], OnPhone], bool]


def yields_nothing(output: dict[str, Any], _: OnPhone) -> bool:
    return output == {}


def shows(text: str) -> Try:
    return Try("ui.wait_text", {"text": text}, lambda output, _: text in output["text"])


JOURNEY = [
    Try(
        "device.bootstrap",
        {},
        lambda output, on: (output["model"], output["os_version"], output["width"])
        == (on.simulated.identity.model.name, on.simulated.identity.model.release, on.simulated.identity.width),
    ),
    Try("device.health", {}, lambda output, _: output["battery_percent"] > 0 and output["free_storage_mb"] > 0),
    Try("device.shell", {"command": "echo a; echo b >&2; exit 3", "exit_code": 3}, lambda output, _: output == {
        "exit_code": 3, "stdout": "a", "stderr": "b"}),
    Try("assert.shell", {"command": "getprop sys.boot_completed", "equals": "1"}, lambda output, _: output["exit_code"] == 0),
    Try("app.install", {"file": "app.apk"}, yields_nothing),
    Try("app.start", {"package": APP}, lambda output, _: output["activity"].startswith(f"{APP}/")),
    shows(APP),
    Try("app.stop", {"package": APP}, yields_nothing),
    Try("app.clear", {"package": APP}, yields_nothing),
    Try("app.uninstall", {"package": APP}, yields_nothing),
    Try("app.uninstall", {"package": APP}, yields_nothing),
    Try(
        "app.login",
        {
            "package": DEMO,
            "fields": [{"field": "Username", "value": "kim 100%sure"}, {"field": "password", "value": "it's $ecret"}],
            "submit": "Sign in",
            "expect_text": "Welcome, kim 100%sure",
        },
        yields_nothing,
    ),
    Try("ui.tap_text", {"text": "List", "match": "exact"}, lambda output, _: output["x"] > 0 and output["y"] > 0),
    shows("Choose an item"),
    Try(
        "input.swipe",
        {"from_x": 50, "from_y": 80, "to_x": 50, "to_y": 20, "unit": "percent", "duration_ms": 100},
        yields_nothing,
    ),
    Try("ui.wait_text", {"text": "Item 1", "match": "exact", "absent": True}, lambda output, _: output["text"] is None),
    Try("input.tap", {"x": 50, "y": 60, "unit": "percent"}, yields_nothing),
    shows("Chosen: Item"),
    Try("input.key", {"key": "HOME"}, yields_nothing),
    shows("Corral Demo"),
    Try("url.open", {"url": "https://example.com/?a=1&b='x'"}, yields_nothing),
    shows("https://example.com/?a=1&b='x'"),
    Try("ui.tap_text", {"text": "https://example.com/?a=1&b='x'", "match": "exact"}, lambda output, _: output["x"] > 0),
    Try("input.text", {"text": 'corral: 100%safe & "sound"', "submit": True}, yields_nothing),
    shows('corral: 100%safe & "sound"'),
    Try("device.screenshot", {"upload": False}, lambda output, on: (output["width"], output["height"]) == (
        on.simulated.identity.width, on.simulated.identity.height)),
    Try("artifact.upload", {"path": "look/look.png", "kind": "screenshot"}, lambda output, _: output["size_bytes"] > 100),
    Try("file.push", {"file": "film.mp4", "path": "/sdcard/it's a film.mp4"}, lambda output, _: output["size_bytes"] == 6),
    Try(
        "file.pull",
        {"path": "/sdcard/it's a film.mp4"},
        lambda output, on: output["sha256"] == hashlib.sha256(TEXT).hexdigest()
        and (on.bench.scratch / output["path"]).read_bytes() == TEXT,
    ),
    Try("device.reboot", {}, lambda output, _: output["boot_s"] > 0),
    shows("Corral Demo"),
    Try("flow.sleep", {"duration_s": 0}, yields_nothing),
    Try("report", {"message": "done", "data": {"a": 1}}, lambda output, _: output == {"a": 1}),
    Try("shell.run", {"command": "echo hello"}, lambda output, _: output["stdout"] == "hello"),
    Try("test.instrument", {"package": f"{DEMO}.test"}, lambda output, on: output["passed"] == 6 == len(on.bench.results)),
    Try("test.command", {"command": ["adb", "shell", "getprop ro.serialno"]}, lambda output, on: (
        ("info", on.simulated.serial) in on.bench.lines and output["exit_code"] == 0)),
]  # fmt: skip


def fields_yielded(action: str) -> set[str]:
    contract = node_actions()[action].spec.output
    return {field.encode_name for field in msgspec.structs.fields(contract)} if contract else set()


ELSEWHERE = {"vendor.call", "http.request", "test.maestro", "device.hold"}


async def test_every_action_works_on_a_phone(on_phone: OnPhone, tmp_path: Path) -> None:
    inputs = {"app.apk": make_apk(APP), "film.mp4": TEXT}
    for name, content in inputs.items():
        on_phone.bench.inputs[name] = tmp_path / name
        on_phone.bench.inputs[name].write_bytes(content)

    for each in JOURNEY:
        output = await on_phone.perform(each.action, **each.with_)
        assert each.holds(output, on_phone), (each.action, each.with_, output)
        assert output.keys() == fields_yielded(each.action) or node_actions()[each.action].spec.is_output_open

    assert {each.action for each in JOURNEY} | ELSEWHERE == {spec.name for spec in CATALOG}


async def test_a_vendors_program_is_called_by_its_driver_and_by_no_other(on_phone: OnPhone, tmp_path: Path) -> None:
    driver = VendorDriver(url=on_phone.fleet.vendor_url)
    by_vendor = OnPhone(on_phone.fleet, await connected(driver, on_phone.fleet.addresses[0]), tmp_path)

    output = await by_vendor.perform("vendor.call", action="pushEvent", data={"type": "2"})

    assert (output["code"], output["message"]) == (10000, "SUCCESS")
    with pytest.raises(CommandFailedError):
        await by_vendor.perform("vendor.call", action="noSuchAction")
    with pytest.raises(NotSupportedError):
        await on_phone.perform("vendor.call", action="pushEvent")


async def test_what_is_wrong_is_told_in_words(on_phone: OnPhone) -> None:
    with pytest.raises(ActionFailedError, match=r"com\.example\.missing is not installed"):
        await on_phone.perform("app.start", package="com.example.missing")
    with pytest.raises(ActionFailedError, match="does not exist"):
        await on_phone.perform("app.start", package=DEMO, activity=".Missing")
    with pytest.raises(ActionFailedError, match="unable to resolve"):
        await on_phone.perform("url.open", url="nobody:knows")
    with pytest.raises(ActionFailedError, match=r"could not be deleted"):
        await on_phone.perform("app.clear", package="com.example.missing")
    with pytest.raises(AssertionFailedError, match="it printed: 1"):
        await on_phone.perform("assert.shell", command="getprop sys.boot_completed", equals="0")
    with pytest.raises(AssertionFailedError, match=r"'Welcome' did not appear within 1 s; .*Wrong password"):
        await on_phone.perform(
            "app.login",
            package=DEMO,
            fields=[{"field": "Username", "value": "kim"}, {"field": "Password", "value": "wrong"}],
            submit="Sign in",
            expect_text="Welcome",
            wait_s=1,
        )


async def test_a_login_replaces_what_a_field_holds(on_phone: OnPhone) -> None:
    form = {"package": DEMO, "submit": "Sign in", "expect_text": "Welcome, kim", "wait_s": 1}
    wrong = [{"field": "username", "value": "somebody else"}, {"field": "password", "value": "wrong"}]
    right = [{"field": "username", "value": "kim"}, {"field": "password", "value": "right"}]

    with pytest.raises(AssertionFailedError):
        await on_phone.perform("app.login", fields=wrong, **form)

    assert await on_phone.perform("app.login", fields=right, **form) == {}


async def test_a_cancelled_command_lets_go_of_the_phone(on_phone: OnPhone) -> None:
    running = asyncio.create_task(on_phone.perform("device.shell", command="sleep 3600"))
    waiting = asyncio.create_task(on_phone.perform("ui.wait_text", text="never there"))
    await on_phone.perform("device.shell", command="true")

    for task in (running, waiting):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert (await on_phone.perform("device.shell", command="echo there"))["stdout"] == "there"


async def test_no_dump_of_the_screen_is_left_behind(on_phone: OnPhone) -> None:
    await on_phone.perform("app.start", package=DEMO)
    await on_phone.perform("ui.wait_text", text="Sign in")

    assert (await on_phone.perform("device.shell", command="ls /data/local/tmp"))["stdout"] == ""


async def test_a_probe_reads_what_the_phone_says(on_phone: OnPhone) -> None:
    await on_phone.perform("device.shell", command="dumpsys battery set level 7")

    sample = await probe(on_phone.bench.phone)

    assert (sample.battery_percent, sample.is_booted, sample.is_charging) == (7.0, True, True)
    assert sample.temperature_c is not None
    assert sample.free_storage_mb is not None


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(value=st.text(st.one_of(st.sampled_from("'\"\\$`;&|<>*?~#!%=\n\t "), st.characters(codec="utf-8"))))
async def test_whatever_is_quoted_reaches_a_command_of_the_phone_unchanged(on_phone: OnPhone, value: str) -> None:
    value = value.replace("\0", "")

    result = await on_phone.bench.phone.shell(f"printf %s {quote(value)}")

    assert result.stdout.decode() == value
