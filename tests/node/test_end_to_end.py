"""A server, a node, the real adb and simulated phones, each on its own."""

from tests.node.conftest import MakeRig

SHELL = {"id": "say", "uses": "device.shell", "with": {"command": "echo {{ device.serial }} > /sdcard/said.txt"}}
LOOK = {"id": "look", "uses": "device.screenshot"}


async def test_a_run_on_twenty_phones_does_everything_once(make_rig: MakeRig) -> None:
    async with make_rig(20) as rig, rig.node() as node:
        run = await rig.given_run([SHELL, LOOK])

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        assert view["run"]["counts"]["done"] == 20
        for phone in rig.fleet.phones:
            assert rig.lines_of(phone.serial).count(f"echo {phone.serial} > /sdcard/said.txt") == 1
        selected = await rig.look(run, 1)
        assert [(step["name"], step["status"]) for step in selected["steps"]] == [
            ("say", "succeeded"),
            ("look", "succeeded"),
        ]
        assert await node.stop() == 0
