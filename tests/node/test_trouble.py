"""The rules of trouble, the node's half, with everything real but the phones."""

import signal
from typing import Any

import pytest

from corral.simulator.scenario.model import Disconnect, Drip, Fault, Hang, Phones, When
from tests.node.conftest import MakeRig
from tests.node.rig import Rig
from tests.node.told import check_told, until_told

SAY: dict[str, Any] = {
    "id": "say",
    "uses": "device.shell",
    "with": {"command": "echo {{ device.serial }} > /sdcard/said.txt; sleep 1"},
}


def done(view: dict[str, Any]) -> list[str]:
    return [item["serial"] for item in view["heatmap"]["items"] if item["activity"] == "done"]


def times_said(rig: Rig, serial: str) -> int:
    return rig.lines_of(serial).count(f"echo {serial} > /sdcard/said.txt; sleep 1")


def said(serial: str) -> str:
    return f"echo {serial} > /sdcard/said.txt; sleep 1; cat /sdcard/said.txt"


async def test_a_node_that_was_killed_goes_on_where_it_was(make_rig: MakeRig) -> None:
    async with make_rig(20) as rig:
        async with rig.node("--max-concurrency", "5", "--lookahead", "5") as node:
            run = await rig.given_run([SAY])
            before = await rig.until_counted(run, done=6, running=2)
            await node.kill()

        async with rig.node("--max-concurrency", "5", "--lookahead", "5") as node:
            view = await rig.until_ended(run)
            await until_told(rig)

        assert view["run"]["status"] == "succeeded", node.text
        assert view["run"]["counts"]["done"] == 20
        assert {times_said(rig, serial) for serial in done(before)} == {1}
        assert all(times_said(rig, phone.serial) in (1, 2) for phone in rig.fleet.phones)
        await check_told(rig, jobs=20)


async def test_a_server_that_is_away_for_longer_than_a_lease_costs_no_result(make_rig: MakeRig) -> None:
    async with make_rig(20, lease_s=6) as rig, rig.node("--max-concurrency", "5") as node:
        run = await rig.given_run([SAY])
        before = await rig.until_counted(run, done=6, running=2)
        await rig.stop_server()

        await node.read_until("no phone is touched until it is")
        assert await rig.until_quiet() == await rig.restart_server()
        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        assert view["run"]["counts"]["done"] == 20
        assert {times_said(rig, serial) for serial in done(before)} == {1}
        await check_told(rig, jobs=20)


BAD = Phones(indexes="2")
CHATTY: dict[str, Any] = {
    **SAY,
    "with": {"command": f"{SAY['with']['command']}; cat /sdcard/said.txt"},
    "timeout_s": 4,
}


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Hang(phones=BAD, when=When(match="said.txt")), "took longer than 4 s"),
        (Drip(phones=BAD, interval_s=1, when=When(match="said.txt")), "took longer than 4 s"),
        (Disconnect(phones=BAD, when=When(every_s=0.8, for_s=0.4)), ""),
    ],
    ids=["hangs", "drips", "flaps"],
)
async def test_a_phone_in_trouble_costs_its_own_job_and_nobody_elses(
    make_rig: MakeRig, fault: Fault, words: str
) -> None:
    async with make_rig(20) as rig, rig.node("--max-concurrency", "5") as node:
        rig.fleet.inject(fault)

        run = await rig.given_run([CHATTY], policy={"grace_wait_s": 1, "offline": "wait"})
        view = await rig.until_ended(run)

        assert view["run"]["status"] == "completed_with_errors", node.text
        assert view["run"]["counts"]["done"] == 19
        (failed,) = [item for item in view["heatmap"]["items"] if item["activity"] == "error"]
        assert failed["serial"] == rig.fleet.phones[1].serial
        assert words in failed["last_error_message"]
        assert {rig.lines_of(serial).count(said(serial)) for serial in done(view)} == {1}
        await check_told(rig, jobs=20)


async def test_a_phone_that_goes_away_in_the_middle_fails_its_job_after_the_grace_wait(make_rig: MakeRig) -> None:
    steps = [SAY, {"id": "wait", "uses": "device.shell", "with": {"command": "sleep 3000"}, "timeout_s": 3000}]
    async with make_rig(2) as rig, rig.node() as node:
        run = await rig.given_run(steps, policy={"grace_wait_s": 1})
        await rig.until_running("sleep 3000", 2)
        rig.fleet.inject(Disconnect(phones=Phones(indexes="1")))

        view = await rig.until_counted(run, error=1)
        (failed,) = [item for item in view["heatmap"]["items"] if item["activity"] == "error"]
        assert failed["serial"] == rig.fleet.phones[0].serial
        selected = await rig.look(run, failed["index"])
        assert [step["failure_reason"] for step in selected["steps"]] == [None, "device_offline"], node.text


async def test_a_node_that_was_frozen_past_its_lease_touches_no_phone_before_it_is_renewed(make_rig: MakeRig) -> None:
    steps = [{**SAY, "id": f"say_{number}"} for number in range(4)]
    async with make_rig(4, lease_s=6) as rig, rig.node("--health-interval-s", "3600") as node:
        run = await rig.given_run(steps)
        await rig.until_running(f"echo {rig.fleet.phones[0].serial} > /sdcard/said.txt; sleep 1", 1)
        node.process.send_signal(signal.SIGSTOP)
        await rig.until("/api/nodes/status", lambda status: not status["nodes"][0]["online"])
        frozen_at = await rig.until_quiet()
        node.process.send_signal(signal.SIGCONT)

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        assert {item["attempt"] for item in view["heatmap"]["items"]} == {2}
        before = {entry.phone: entry.fence for entry in rig.fleet.record.entries if entry.number <= frozen_at}
        after = [entry for entry in rig.fleet.record.entries if entry.number > frozen_at and not entry.is_read_only]
        assert [entry for entry in after if entry.fence == before[entry.phone]] == []
        await check_told(rig, jobs=4)


async def test_a_farm_that_lost_its_database_gets_its_nodes_back(make_rig: MakeRig) -> None:
    async with make_rig(3) as rig, rig.node() as node:
        await rig.stop_server()
        await rig.query("drop schema corral cascade")
        await rig.start_server()

        await node.read_until("the server does not know this node any more")
        await rig.until_online()
        run = await rig.given_run([SAY])
        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        assert {times_said(rig, phone.serial) for phone in rig.fleet.phones} == {1}


async def test_a_full_spool_drops_logs_then_files_and_never_what_happened(make_rig: MakeRig) -> None:
    steps: list[dict[str, Any]] = [
        {"id": "push", "uses": "file.push", "with": {"file": "film.bin", "path": "/sdcard/film.bin"}},
        {"id": "wait", "uses": "device.shell", "with": {"command": "sleep 2"}},
        *({"id": f"tell_{n}", "uses": "report", "with": {"message": "x" * 3000}} for n in range(20)),
        *({"id": f"pull_{n}", "uses": "file.pull", "with": {"path": "/sdcard/film.bin"}} for n in range(5)),
    ]
    async with make_rig(2) as rig, rig.node("--spool-limit", str(1 << 20)) as node:
        headers = {"content-type": "application/octet-stream"}
        (await rig.http.put("/api/files/film.bin", content=bytes(400_000), headers=headers)).raise_for_status()
        run = await rig.given_run(steps)
        await rig.until_running("sleep 2", 2)
        await rig.stop_server()
        await node.read_until("the oldest log events were dropped")
        await node.read_until("an artifact was dropped")
        await rig.until_quiet()
        await rig.start_server()

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        for device in (1, 2):
            told = [(step["step"], step["status"]) for step in (await rig.look(run, device))["steps"]]
            assert told == [(step["id"], "succeeded") for step in steps]
