"""Suites that take phones of a farm through the plugin."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.node.conftest import MakeRig
from tests.node.rig import Rig
from tests.pytest_plugin.suite import Suite
from tests.simulator.adb import Adb

WORKERS = 10

# Every worker waits until all of them have a phone: had two of them one, there would be one file too few.
TOGETHER = f"""
import os
import pathlib
import time

HERE = pathlib.Path(__file__).parent


def test_every_worker_has_a_phone_of_its_own(corral_device):
    assert corral_device.shell("getprop ro.serialno") == corral_device.serial
    (HERE / f"phone-{{corral_device.serial}}").write_text(os.environ["PYTEST_XDIST_WORKER"])
    deadline = time.monotonic() + 240
    while len(list(HERE.glob("phone-*"))) < {WORKERS}:
        assert time.monotonic() < deadline, "not all workers have a phone"
        time.sleep(0.05)


def test_the_phone_is_the_same_for_all_tests_of_a_worker(corral_device, tmp_path):
    (tmp_path / "file").write_text(corral_device.serial)
    corral_device.adb("push", tmp_path / "file", "/sdcard/theirs")
    assert corral_device.shell("cat /sdcard/theirs") == corral_device.serial
    assert (HERE / f"phone-{{corral_device.serial}}").read_text() == os.environ["PYTEST_XDIST_WORKER"]
    assert corral_device.screenshot().startswith(b"\\x89PNG")
"""

FAILING = """
def test_that_passes(corral_device):
    corral_device.shell("true")


def test_that_fails(corral_device):
    corral_device.shell("exit 4")
"""

PER_TEST = """
import pytest

SESSIONS = []


@pytest.mark.parametrize("number", range(3))
def test_with_a_session_of_its_own(corral_device, number):
    assert corral_device.shell("echo $((1 + 1))") == "2"
    assert corral_device.session_id not in SESSIONS
    SESSIONS.append(corral_device.session_id)
"""


async def live_sessions(rig: Rig) -> list[str]:
    answer = await rig.http.get("/api/sessions")
    return [each["session_id"] for each in answer.json()["sessions"]]


@pytest.mark.timeout(600)  # twice ten processes, each with an adb of its own to start
async def test_a_suite_with_xdist_takes_ten_phones_twice(make_rig: MakeRig, adb: Adb, tmp_path: Path) -> None:
    async with make_rig(WORKERS) as rig, rig.node():
        for number in (1, 2):
            suite = Suite(tmp_path / f"suite-{number}", adb, url=rig.server.url)
            suite.write(TOGETHER)

            said = await suite.run("-p", "xdist.plugin", "-n", str(WORKERS), "--dist", "each")

            assert said.status == 0, said.text
            assert f"{2 * WORKERS} passed" in said.text
            assert len(list(suite.directory.glob("phone-*"))) == WORKERS
            assert await live_sessions(rig) == []
        ended = (await rig.http.get("/api/sessions", params={"state": "all"})).json()["sessions"]
        assert [each["end_reason"] for each in ended] == ["released"] * 2 * WORKERS
        assert {each["purpose"].split()[1] for each in ended} == {"suite-1", "suite-2"}


async def test_a_failure_leaves_a_picture_and_the_log_and_says_where(
    make_rig: MakeRig, adb: Adb, tmp_path: Path
) -> None:
    async with make_rig(1) as rig, rig.node():
        suite = Suite(tmp_path / "suite", adb, url=rig.server.url)
        suite.write(FAILING)

        said = await suite.run()

        assert said.status == 1, said.text
        assert "1 failed, 1 passed" in said.text
        assert f"shell exit 4 ended with 4 on {rig.fleet.phones[0].serial}" in said.text
        (directory,) = (suite.directory / "corral-failures").iterdir()
        assert str(directory / "screen.png") in said.text
        assert (directory / "screen.png").read_bytes().startswith(b"\x89PNG")
        assert (directory / "logcat.txt").exists()
        assert await live_sessions(rig) == []


async def test_a_phone_per_test_is_a_session_per_test(make_rig: MakeRig, adb: Adb, tmp_path: Path) -> None:
    async with make_rig(1) as rig, rig.node():
        suite = Suite(tmp_path / "suite", adb, url=rig.server.url)
        suite.write(PER_TEST)

        said = await suite.run("--corral-scope", "test")

        assert said.status == 0, said.text
        assert await live_sessions(rig) == []


async def test_tags_that_no_phone_has_are_said_without_a_trace(make_rig: MakeRig, adb: Adb, tmp_path: Path) -> None:
    async with make_rig(1) as rig, rig.node():
        suite = Suite(tmp_path / "suite", adb, url=rig.server.url)
        suite.write(FAILING)

        said = await suite.run("--corral-tag", "foldable")

        assert said.status == 1, said.text
        assert "no device has all of the tags foldable" in said.text
        assert "Traceback" not in said.text
