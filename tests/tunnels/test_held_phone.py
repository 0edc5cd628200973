"""The real adb through a session's tunnel: it is that one phone's, and it ends with the session."""

from __future__ import annotations

import asyncio
from pathlib import Path

from corral.simulator.apk import make_apk
from corral.simulator.screen.read import read_screen
from tests.node.conftest import MakeRig
from tests.tunnels.conftest import Holding

PATIENCE_S = 60


async def test_the_holder_of_a_phone_uses_its_adb_and_sees_no_other(
    make_rig: MakeRig, holding: Holding, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(bytes(range(256)) * 20_000)
    (tmp_path / "app.apk").write_bytes(make_apk("org.example.held"))
    async with make_rig(3) as rig, rig.node(), holding(rig) as holder:
        phone, others = holder.phone, [each for each in rig.fleet.phones if each.serial != holder.serial]

        assert (await holder.connect()).startswith("connected to")
        assert (await phone("shell", "getprop ro.serialno; exit 7")).text.strip() == holder.serial
        assert (await phone("shell", "exit 7")).status == 7
        assert (await phone("push", tmp_path / "file", "/sdcard/file")).status == 0
        assert (await phone("pull", "/sdcard/file", tmp_path / "back")).status == 0
        assert (tmp_path / "back").read_bytes() == (tmp_path / "file").read_bytes()
        assert (await phone("install", tmp_path / "app.apk")).status == 0
        assert holder.serial in read_screen((await phone("exec-out", "screencap", "-p")).out)[0]

        assert await holder.adb.states() == {holder.tunnel.address: "device"}
        assert (await phone("reverse", "tcp:1", "tcp:5037")).status != 0
        for other in others:
            assert not other.files.exists("/sdcard/file")
            assert other.packages.get("org.example.held") is None


async def test_releasing_a_session_cuts_its_tunnel(make_rig: MakeRig, holding: Holding) -> None:
    async with make_rig(2) as rig, rig.node(), holding(rig) as holder, asyncio.timeout(PATIENCE_S):
        await holder.connect()
        waiting = await holder.begin_to_wait()

        await holder.post("release")

        assert await waiting.wait() != 0
        ended = await rig.fleet.record.wait_for(lambda each: "sleep 100000" in each.line and each.ended_s is not None)
        assert ended.phone == holder.serial
        while "ended: released" not in (holder.tunnel.trouble or ""):  # adb tries anew once it has noticed
            assert not (await holder.connect()).startswith("connected to")


async def test_a_session_that_nobody_renews_loses_its_tunnel(make_rig: MakeRig, holding: Holding) -> None:
    async with make_rig(1) as rig, rig.node(), holding(rig) as holder, asyncio.timeout(PATIENCE_S):
        await holder.connect()
        waiting = await holder.begin_to_wait()

        await rig.query("update corral.device_sessions set ttl = '10 s'")

        assert await waiting.wait() != 0

        await rig.fleet.record.wait_for(lambda each: "sleep 100000" in each.line and each.ended_s is not None)
        # The tunnel does not wait for upkeep, which ends the session in its own time.
        session = await rig.until(f"/api/sessions/{holder.session_id}", lambda each: each["end_reason"] is not None)
        assert session["end_reason"] == "expired"


async def test_a_phone_that_was_released_is_anothers(make_rig: MakeRig, holding: Holding) -> None:
    async with make_rig(1) as rig, rig.node(), holding(rig) as first:
        await first.connect()
        await first.post("release")
        async with holding(rig) as second:
            await second.connect()

            assert (await second.phone("shell", "echo mine")).out == b"mine\n"
            assert (await first.phone("shell", "echo mine")).status != 0


async def test_a_node_that_is_killed_takes_the_tunnel_with_it(make_rig: MakeRig, holding: Holding) -> None:
    async with make_rig(1) as rig, rig.node() as node, holding(rig) as holder, asyncio.timeout(PATIENCE_S):
        await holder.connect()
        waiting = await holder.begin_to_wait()

        await node.kill()

        assert await waiting.wait() != 0


async def test_a_phone_without_adb_says_so(make_rig: MakeRig, holding: Holding) -> None:
    async with make_rig(1) as rig:
        by_vendor = ("--drivers", "vendor", "--vendor-url", rig.fleet.vendor_url)
        async with rig.node(*by_vendor), holding(rig) as holder:
            assert not (await holder.connect()).startswith("connected to")
            assert "has no adb" in (holder.tunnel.trouble or "")
