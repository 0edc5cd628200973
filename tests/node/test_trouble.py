"""The rules of trouble, the node's half, with everything real but the phones."""

from typing import Any

from corral.simulator.scenario.model import Disconnect, Hang, Phones, When
from tests.node.conftest import MakeRig
from tests.node.rig import Rig

SAY: dict[str, Any] = {
    "id": "say",
    "uses": "device.shell",
    "with": {"command": "echo {{ device.serial }} > /sdcard/said.txt; sleep 1"},
}


def done(view: dict[str, Any]) -> list[str]:
    return [item["serial"] for item in view["heatmap"]["items"] if item["activity"] == "done"]


def times_said(rig: Rig, serial: str) -> int:
    return rig.lines_of(serial).count(f"echo {serial} > /sdcard/said.txt; sleep 1")


async def test_a_node_that_was_killed_goes_on_where_it_was(make_rig: MakeRig) -> None:
    async with make_rig(20) as rig:
        async with rig.node("--max-concurrency", "5", "--lookahead", "5") as node:
            run = await rig.given_run([SAY])
            before = await rig.until_counted(run, done=6, running=2)
            await node.kill()

        async with rig.node("--max-concurrency", "5", "--lookahead", "5") as node:
            view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        assert view["run"]["counts"]["done"] == 20
        assert {times_said(rig, serial) for serial in done(before)} == {1}
        assert all(times_said(rig, phone.serial) in (1, 2) for phone in rig.fleet.phones)


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


async def test_a_phone_that_hangs_costs_its_own_job_and_nobody_elses(make_rig: MakeRig) -> None:
    async with make_rig(6) as rig, rig.node("--max-concurrency", "2") as node:
        rig.fleet.inject(Hang(phones=Phones(indexes="2"), when=When(match="said.txt")))

        run = await rig.given_run([{**SAY, "timeout_s": 3}])
        view = await rig.until_ended(run)

        assert view["run"]["status"] == "completed_with_errors", node.text
        assert view["run"]["counts"]["done"] == 5
        (failed,) = [item for item in view["heatmap"]["items"] if item["activity"] == "error"]
        assert failed["serial"] == rig.fleet.phones[1].serial
        assert "3 s" in failed["last_error_message"]


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
