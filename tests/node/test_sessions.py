"""A held phone, end to end: a server, a node, the real adb and simulated phones."""

import asyncio
from typing import Any

from tests.node.conftest import MakeRig
from tests.node.rig import Rig

SAY = {"id": "say", "uses": "device.shell", "with": {"command": "echo done > /sdcard/said.txt"}}


async def hold(rig: Rig, **body: object) -> dict[str, Any]:
    answer = await rig.http.post("/api/sessions", json={"wait_s": 30, **body})
    answer.raise_for_status()
    session: dict[str, Any] = answer.json()
    assert session["state"] == "active", session
    return session


async def until_ended(rig: Rig, session: dict[str, Any]) -> dict[str, Any]:
    return await rig.until(f"/api/sessions/{session['session_id']}", lambda told: told["state"] == "ended")


async def until_told(rig: Rig, serial: str, line: str) -> None:
    """Return once the phone has got the command, perhaps with words of its driver's around it."""
    while not any(line in each for each in rig.lines_of(serial)):  # noqa: ASYNC110 - the simulator has no event for it
        await asyncio.sleep(0.02)


async def test_a_held_phone_is_touched_and_is_a_waiting_runs_as_soon_as_it_is_released(make_rig: MakeRig) -> None:
    async with make_rig(1) as rig, rig.node() as node:
        session = await hold(rig)
        serial = session["device"]["serial"]
        path = f"/api/sessions/{session['session_id']}"
        run = await rig.given_run([SAY])
        for touch in (
            {"kind": "tap", "x": 30, "y": 40},
            {"kind": "text", "text": "hello"},
            {"kind": "key", "key": "HOME"},
        ):
            assert (await rig.http.post(f"{path}/input", json=touch)).status_code == 202

        await until_told(rig, serial, "input keyevent KEYCODE_HOME")
        touched = [line for line in rig.lines_of(serial) if line.startswith("input ")]
        assert touched == ["input tap 30 40", "input text hello", "input keyevent KEYCODE_HOME"]
        assert [step["status"] for step in (await rig.look(run, 1))["steps"]] == ["pending"]

        (await rig.http.post(f"{path}/release", json={})).raise_for_status()
        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        assert (await rig.http.get("/api/runs", params={"source_type": "session"})).json()["runs"][0][
            "status"
        ] == "cancelled"


async def test_a_session_that_nobody_renews_ends_and_its_phone_is_the_next_ones(make_rig: MakeRig) -> None:
    async with make_rig(1) as rig, rig.node():
        session = await hold(rig, ttl_s=10)
        run = await rig.given_run([SAY])

        ended = await until_ended(rig, session)
        view = await rig.until_ended(run)

        assert ended["end_reason"] == "expired"
        assert view["run"]["status"] == "succeeded"


async def test_a_node_that_dies_ends_the_session_and_a_new_one_may_have_the_phone(make_rig: MakeRig) -> None:
    async with make_rig(1, lease_s=6) as rig:
        async with rig.node() as node:
            session = await hold(rig, ttl_s=3600)
            await node.kill()
        ended = await until_ended(rig, session)

        assert (ended["end_reason"], ended["device"]["serial"]) == ("node_lost", session["device"]["serial"])
        async with rig.node():
            again = await hold(rig)
            assert again["device"]["serial"] == session["device"]["serial"]


async def test_a_node_that_is_asked_to_stop_ends_its_sessions_instead_of_waiting_for_them(make_rig: MakeRig) -> None:
    async with make_rig(1) as rig, rig.node() as node:
        session = await hold(rig, ttl_s=3600)

        assert await node.stop() == 0, node.text

        assert (await until_ended(rig, session))["end_reason"] == "node_lost"


async def test_a_phone_that_a_vendors_program_drives_is_held_and_touched_but_has_no_adb(make_rig: MakeRig) -> None:
    async with make_rig(1) as rig, rig.node("--drivers", "vendor", "--vendor-url", rig.fleet.vendor_url):
        session = await hold(rig)
        touch = {"kind": "tap", "x": 30, "y": 40}
        (await rig.http.post(f"/api/sessions/{session['session_id']}/input", json=touch)).raise_for_status()

        await until_told(rig, session["device"]["serial"], "input tap 30 40")

        assert session["has_adb"] is False
