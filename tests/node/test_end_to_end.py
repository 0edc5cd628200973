"""A server, a node, the real adb and simulated phones: what a run does when nothing goes wrong, and when people intervene."""

import signal

from tests.node.conftest import MakeRig

SAY = {"id": "say", "uses": "device.shell", "with": {"command": "echo {{ device.serial }} > /sdcard/said.txt"}}
LOOK = {"id": "look", "uses": "device.screenshot"}
FOR_EVER = {"id": "wait", "uses": "device.shell", "with": {"command": "sleep 3000"}, "timeout_s": 3000}


async def test_a_run_on_twenty_phones_does_everything_once(make_rig: MakeRig) -> None:
    async with make_rig(20) as rig, rig.node() as node:
        run = await rig.given_run([SAY, LOOK])

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        assert view["run"]["counts"]["done"] == 20
        for phone in rig.fleet.phones:
            assert rig.lines_of(phone.serial).count(f"echo {phone.serial} > /sdcard/said.txt") == 1
        steps = (await rig.look(run, 1))["steps"]
        assert [(step["step"], step["status"]) for step in steps] == [("say", "succeeded"), ("look", "succeeded")]
        assert await node.stop() == 0


async def test_the_same_run_goes_through_a_vendors_program(make_rig: MakeRig) -> None:
    async with make_rig(3) as rig, rig.node("--drivers", "vendor", "--vendor-url", rig.fleet.vendor_url) as node:
        call = {"id": "call", "uses": "vendor.call", "with": {"action": "pushEvent", "data": {"type": "2"}}}
        run = await rig.given_run([SAY, LOOK, call])

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text


async def test_cancelling_a_run_stops_the_command_on_the_phone(make_rig: MakeRig) -> None:
    async with make_rig(3) as rig, rig.node() as node:
        run = await rig.given_run([FOR_EVER])
        await rig.until_counted(run, running=3)
        await node.read_until("registered")

        (await rig.http.post(f"/api/runs/{run}/cancel", json={})).raise_for_status()
        view = await rig.until_ended(run)

        stopped = [entry for entry in rig.fleet.record.entries if entry.line == "sleep 3000"]
        assert [entry.outcome for entry in stopped] == ["cancelled"] * 3
        assert view["run"]["status"] == "cancelled"
        assert view["run"]["counts"]["cancelled"] == 3
        assert [entry.line for entry in rig.fleet.record.running() if not entry.is_read_only] == []
        steps = (await rig.look(run, 1))["steps"]
        assert [(step["step"], step["status"]) for step in steps] == [("wait", "cancelled")]


async def test_a_node_that_is_asked_to_stop_finishes_what_runs_and_gives_back_the_rest(make_rig: MakeRig) -> None:
    short = {"id": "say", "uses": "device.shell", "with": {"command": "sleep 2; echo done > /sdcard/said.txt"}}
    async with make_rig(6) as rig:
        async with rig.node("--max-concurrency", "2") as node:
            run = await rig.given_run([short])
            await rig.until_counted(run, running=2)

            assert await node.stop() == 0, node.text

        view = await rig.until_counted(run, done=2)
        assert (view["run"]["counts"]["done"], view["run"]["counts"]["waiting"]) == (2, 4)
        async with rig.node():
            view = await rig.until_ended(run)
        assert view["run"]["status"] == "succeeded"
        assert {item["attempt"] for item in view["heatmap"]["items"]} == {1}


async def test_asked_twice_a_node_interrupts_what_runs_and_the_server_hears_of_it(make_rig: MakeRig) -> None:
    async with make_rig(1) as rig, rig.node() as node:
        run = await rig.given_run([FOR_EVER])
        await rig.until_counted(run, running=1)
        node.process.send_signal(signal.SIGTERM)
        await node.read_until("draining")

        assert await node.stop() == 1

        view = await rig.until_counted(run, waiting=1)
        assert view["run"]["counts"]["error"] == 0


async def test_a_second_agent_of_the_same_directory_is_turned_away(make_rig: MakeRig) -> None:
    async with make_rig(1) as rig, rig.node():
        second = await rig.start_node()

        assert await second.end() == 1
        assert "another agent works from" in second.text


async def test_an_agent_that_was_replaced_lets_go_and_exits(make_rig: MakeRig) -> None:
    async with make_rig(2) as rig, rig.node() as first:
        run = await rig.given_run([FOR_EVER])
        await rig.until_counted(run, running=2)

        second = await rig.start_node(state=rig.state.with_name("other"))
        try:
            assert await first.end() == 3
            await second.read_until("registered")
            (await rig.http.post(f"/api/runs/{run}/cancel", json={})).raise_for_status()
        finally:
            await second.kill()
        assert [entry.line for entry in rig.fleet.record.running() if not entry.is_read_only] == []
