"""The two ends of a tunnel arrive at two servers, which have nothing in common but the database."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.api.process import running
from tests.node.conftest import MakeRig
from tests.tunnels.conftest import Holding

PATIENCE_S = 60


async def test_a_tunnel_goes_through_the_holders_server_and_the_nodes(make_rig: MakeRig, holding: Holding) -> None:
    async with (
        make_rig(2) as rig,
        running("--database-url", rig.dsn) as other,
        rig.node(),
        holding(rig, url=other.url) as holder,
        asyncio.timeout(PATIENCE_S),
    ):
        assert (await holder.connect()).startswith("connected to")
        assert (await holder.phone("shell", "cat | wc -c", stdin=b"x" * 3_000_000)).out == b"3000000\n"
        assert (await holder.phone("shell", "getprop ro.serialno")).text.strip() == holder.serial
        waiting = await holder.begin_to_wait()

        await holder.post("release")

        assert await waiting.wait() != 0
        await rig.fleet.record.wait_for(lambda each: "sleep 100000" in each.line and each.ended_s is not None)


async def test_a_server_that_dies_takes_its_tunnels_with_it_and_the_next_one_goes_through_another(
    make_rig: MakeRig, holding: Holding
) -> None:
    async with make_rig(1) as rig, rig.node(), asyncio.timeout(PATIENCE_S):
        async with running("--database-url", rig.dsn) as other, holding(rig, url=other.url) as holder:
            await holder.connect()
            waiting = await holder.begin_to_wait()

            other.process.kill()

            assert await waiting.wait() != 0
            await rig.fleet.record.wait_for(lambda each: "sleep 100000" in each.line and each.ended_s is not None)
            await holder.post("release")
        async with holding(rig) as holder:
            await holder.connect()
            assert (await holder.phone("shell", "echo again")).out == b"again\n"


async def test_nobody_is_let_in_where_servers_meet_without_the_tunnels_secret(
    make_rig: MakeRig, holding: Holding
) -> None:
    async with make_rig(1) as rig, rig.node(), holding(rig) as holder:
        await holder.connect()
        ((address,),) = await rig.query("select peer_address from corral.servers")
        ((tunnel_id, secret),) = await rig.query("select tunnel_id, secret from corral.tunnels")

        guesses: tuple[list[str], ...] = ([], ["guessed"], ["one", "another"], [secret, secret])
        for headers in ([("X-Corral-Tunnel", guess) for guess in each] for each in guesses):
            with pytest.raises(InvalidStatus, match="404"):
                await connect(f"ws://{address}/{tunnel_id}", additional_headers=headers, proxy=None)
        async with httpx.AsyncClient() as http:
            assert (await http.get(f"http://{address}/")).status_code == 404
        assert secret not in str(rig.server.lines)
        assert (await holder.phone("shell", "echo alive")).out == b"alive\n"
