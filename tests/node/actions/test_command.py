"""Test runners on the node, with the real adb and a simulated phone behind it."""

from __future__ import annotations

import asyncio
import sys
import zipfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from corral.drivers.adb.driver import AdbDriver
from corral.model.errors import ActionFailedError, DeviceError, FailedTestsError, NotSupportedError
from corral.simulator.fleet import Fleet
from corral.simulator.record import Entry
from corral.simulator.scenario.model import Disconnect, Phones
from tests.drivers.conftest import adb_environment, adb_port  # noqa: F401 - fixtures that are asked for by name
from tests.node.actions.scripted_phone import ScriptedBench, ScriptedPhone
from tests.node.actions.test_on_a_phone import OnPhone, connected

PYTHON = sys.executable


def suite(*cases: str) -> str:
    return f"<testsuite name='s'>{''.join(cases)}</testsuite>"


OK = "<testcase classname='s' name='ok' time='0.5'/>"
BAD = "<testcase classname='s' name='bad'><failure message='no'>trace</failure></testcase>"


def leaving(content: str, *, path: str = "out/results.xml", code: int = 0) -> list[str]:
    """A runner that leaves this file."""
    script = (
        "import pathlib, sys; path = pathlib.Path(sys.argv[1]); path.parent.mkdir(parents=True, exist_ok=True); "
        "path.write_text(sys.argv[2]); sys.exit(int(sys.argv[3]))"
    )
    return [PYTHON, "-c", script, path, content, str(code)]


@pytest.fixture
async def on_phone(
    adb_port: int,  # noqa: F811 - a fixture
    adb_environment: dict[str, str],  # noqa: F811 - as above
    tmp_path: Path,
) -> AsyncIterator[OnPhone]:
    folder = tmp_path / "scratch"
    folder.mkdir()
    async with Fleet(2, seed=7) as fleet:
        driver = AdbDriver(port=adb_port, environment=adb_environment)
        assert await driver.discover(fleet.addresses) == []
        yield OnPhone(fleet, await connected(driver, fleet.addresses[0]), folder)


async def run(on_phone: OnPhone, **with_: Any) -> dict[str, Any]:  # noqa: ANN401 - as recipes have it
    return await on_phone.perform("test.command", **with_)


def told(on_phone: OnPhone) -> list[tuple[str, str, int]]:
    return [(each.name, each.status.value, each.try_) for each in on_phone.bench.results]


def logged(on_phone: OnPhone) -> str:
    return "\n".join(message for _, message in on_phone.bench.lines)


async def until_recorded(on_phone: OnPhone, line: str) -> Entry:
    """The command, once the phone has got it."""
    while not (found := [entry for entry in on_phone.fleet.record.entries if entry.line == line]):  # noqa: ASYNC110 - the simulator has no event for it
        await asyncio.sleep(0.02)
    return found[0]


async def test_a_runner_sees_this_phone_and_no_other(on_phone: OnPhone) -> None:
    script = 'adb devices; adb shell getprop ro.serialno; echo "$ANDROID_SERIAL"; adb kill-server; adb devices'

    await run(on_phone, command=["sh", "-c", script])

    first, second = on_phone.fleet.phones
    lines = logged(on_phone).splitlines()
    serial = next(line for line in lines if line.startswith("127.0.0.1:") and "\t" not in line)
    assert first.serial in lines
    assert [line for line in lines if "\t" in line] == [f"{serial}\tdevice"] * 2
    assert serial not in {first.handle, second.handle}


async def test_nothing_of_it_is_left_when_the_step_has_ended(on_phone: OnPhone) -> None:
    await run(on_phone, command=["sh", "-c", "echo $ANDROID_ADB_SERVER_PORT"])

    port = int(logged(on_phone))
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", port)


async def test_a_cancelled_step_takes_the_runner_and_its_adb_server_along(on_phone: OnPhone) -> None:
    script = "echo $ANDROID_ADB_SERVER_PORT; adb shell sleep 600"
    running = asyncio.create_task(run(on_phone, command=["sh", "-c", script]))
    entry = await until_recorded(on_phone, "sleep 600")

    running.cancel()
    await asyncio.gather(running, return_exceptions=True)

    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", int(logged(on_phone)))
    while entry.outcome is None:  # noqa: ASYNC110 - the simulator has no event for it
        await asyncio.sleep(0.02)
    assert entry.outcome in ("cancelled", "cut")


async def test_results_are_read_and_told_and_files_are_kept(on_phone: OnPhone) -> None:
    output = await run(on_phone, command=leaving(suite(OK)), junit="out/*.xml", files=["out/**/*"])

    assert told(on_phone) == [("ok", "passed", 1)]
    assert output["files"] == ["out/results.xml"]
    assert {name: output[name] for name in ("total", "passed", "exit_code")} == {
        "total": 1,
        "passed": 1,
        "exit_code": 0,
    }
    assert [(kind, name) for _, kind, name in on_phone.bench.stored] == [("file", "results.xml")]


async def test_a_failed_test_fails_the_step_as_that(on_phone: OnPhone) -> None:
    with pytest.raises(FailedTestsError, match="1 of 2 tests failed: s#bad"):
        await run(on_phone, command=leaving(suite(OK, BAD), code=1), junit="out/*.xml", files=["out/*"])

    assert told(on_phone) == [("ok", "passed", 1), ("bad", "failed", 1)]
    assert len(on_phone.bench.stored) == 1


async def test_a_test_that_is_there_twice_was_tried_twice(on_phone: OnPhone) -> None:
    output = await run(on_phone, command=leaving(suite(BAD, BAD.replace("failure", "system-out"))), junit="out/*.xml")

    assert told(on_phone) == [("bad", "failed", 1), ("bad", "passed", 2)]
    assert output["flaky"] == 1


@pytest.mark.parametrize(
    ("with_", "words"),
    [
        ({"command": ["sh", "-c", "echo oh no >&2; exit 3"]}, "the command ended with 3: oh no"),
        ({"command": leaving(suite(OK), code=2), "junit": "out/*.xml"}, "the command ended with 2"),
        ({"command": ["true"], "junit": "out/*.xml"}, r"there is no file out/\*\.xml"),
        ({"command": leaving(suite()), "junit": "out/*.xml"}, r"1 files out/\*\.xml tell of no test"),
        ({"command": leaving("<html/>"), "junit": "out/*.xml"}, r"results\.xml is no JUnit XML: it begins with html"),
        ({"command": ["no-such-runner"]}, "could not be started"),
        (
            {"command": ["true"], "inputs": ["evil.zip"]},
            r"evil\.zip holds '\.\./\.\./evil', which leads out of its folder",
        ),
        ({"command": ["true"], "inputs": ["broken.zip"]}, r"broken\.zip is no zip that can be unpacked"),
    ],
)
async def test_what_is_wrong_is_said_in_words(
    on_phone: OnPhone, tmp_path: Path, with_: dict[str, Any], words: str
) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as evil:
        evil.writestr("../../evil", "x")
    (tmp_path / "broken.zip").write_bytes(b"PK and nothing else")
    on_phone.bench.inputs = {name: tmp_path / name for name in ("evil.zip", "broken.zip")}

    with pytest.raises(ActionFailedError, match=words) as caught:
        await run(on_phone, **with_)

    assert not caught.value.reason.is_infrastructure
    assert not (tmp_path.parent / "evil").exists()


async def test_an_exit_code_that_is_named_is_no_failure_by_itself(on_phone: OnPhone) -> None:
    assert (await run(on_phone, command=["sh", "-c", "exit 5"], exit_codes=[0, 5]))["exit_code"] == 5


async def test_what_an_earlier_attempt_left_does_not_count(on_phone: OnPhone) -> None:
    await run(on_phone, command=leaving(suite(OK)), junit="out/*.xml")

    with pytest.raises(ActionFailedError, match="there is no file"):
        await run(on_phone, command=["true"], junit="out/*.xml")


async def test_input_files_are_there_and_zips_are_unpacked(on_phone: OnPhone, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "suite.zip", "w") as packed:
        packed.writestr("suite/run.py", "print('unpacked')")
    (tmp_path / "app.apk").write_bytes(b"PK an app")
    on_phone.bench.inputs = {name: tmp_path / name for name in ("suite.zip", "app.apk")}

    await run(on_phone, command=["sh", "-c", f"{PYTHON} suite/run.py && cat app.apk"], inputs=["suite.zip", "app.apk"])

    assert logged(on_phone).split("\n") == ["unpacked", "PK an app"]


async def test_the_nodes_own_files_and_links_that_lead_out_are_not_kept(on_phone: OnPhone) -> None:
    script = "ln -s /etc/hostname stolen; ls -a .corral/adb; echo mine > mine.txt"

    output = await run(on_phone, command=["sh", "-c", script], files=["*", "**/*"])

    assert ".android" in logged(on_phone)  # the keys of the step's adb server are there
    assert output["files"] == ["mine.txt"]


async def test_a_phone_that_was_lost_on_the_way_is_not_a_failed_test(on_phone: OnPhone) -> None:
    waits = f'adb shell : begun; while [ ! -e lost ]; do sleep 0.05; done; echo "{suite(BAD)}" > results.xml; exit 1'
    running = asyncio.create_task(run(on_phone, command=["sh", "-c", waits], junit="*.xml"))
    await until_recorded(on_phone, ": begun")

    on_phone.fleet.inject(Disconnect(phones=Phones(indexes="1")))
    (on_phone.bench.scratch / "lost").touch()

    with pytest.raises(DeviceError) as caught:
        await running
    assert caught.value.reason.is_infrastructure
    assert on_phone.bench.results == []


async def test_a_phone_that_may_not_be_touched_any_more_is_not(on_phone: OnPhone) -> None:
    on_phone.bench.may_touch = False

    with pytest.raises(DeviceError, match=r"did not come|failed to connect|offline"):
        await run(on_phone, command=["true"])


async def test_a_phone_without_adb_is_refused_in_words(tmp_path: Path) -> None:
    bench = ScriptedBench(tmp_path, ScriptedPhone(), allows_shell=True)
    with pytest.raises(NotSupportedError, match="has no adb"):
        async with bench.own_adb():
            pass


async def test_a_node_that_does_not_allow_it_runs_no_runner(on_phone: OnPhone) -> None:
    on_phone.bench.allows_shell = False

    with pytest.raises(ActionFailedError, match="not started with --allow-shell"):
        await run(on_phone, command=["true"])
