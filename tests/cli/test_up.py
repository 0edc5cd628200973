"""`corral up` and `corral demo`, as processes: the farm comes up, works, says what is wrong, and leaves nothing behind."""

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from corral.cli.farm import claim_directory
from corral.cli.farm_status import look
from corral.client import Client
from tests.api.client import AS_NODE, OPERATOR_TOKEN, Node
from tests.api.process import ServerProcess
from tests.cli.conftest import Cli
from tests.cli.farms import farming, farming_on_terminal
from tests.drivers.vendor.fake_program import fake_program, success
from tests.ports import free_port

BROKEN_SCREEN = """
name: broken-screen
description: The first phone's pictures are garbage, always.
faults:
  - {id: garbage, kind: screencap, gives: garbage, phones: {indexes: "1"}, when: {match: screencap, times: 1000}}
"""
STUCK = """
name: stuck
description: No phone ever ends a screenshot.
faults:
  - {id: stuck, kind: hang, when: {match: screencap, times: 1000}}
"""


@pytest.fixture
def here(tmp_path: Path) -> Cli:
    """Somebody with nothing set."""
    return Cli(tmp_path, HOME=str(tmp_path), CORRAL_DATA_DIR=str(tmp_path / "data"))


async def test_a_demo_runs_on_all_phones_tells_how_it_went_and_leaves_nothing(tmp_path: Path) -> None:
    # Nothing that configures a real farm may reach a demo.
    (tmp_path / "corral.toml").write_text('[server]\noperator_token = "a-real-farms-token"\n')
    mistaken = {"CORRAL_DATABASE_URL": "postgresql://nowhere.invalid/farm", "NODE_AGENT_SHARED_SECRET": "a-real-secret"}
    async with farming(tmp_path, "demo", "--devices", 10, "--once", "--port", 0, **mistaken) as demo:
        status = await demo.end()

        assert status == 0, demo.said
        assert "10 simulated phones online" in demo.said
        assert re.search(r"^✓ succeeded +demo: screenshot-sweep .* 10 done of 10 ", demo.said, re.MULTILINE)
        *_, head, done, total, last = demo.said.rstrip().splitlines()
        assert head.split() == ["state", "devices", "share"]
        assert (done.split(), total.split(), last) == (["✓", "done", "10", "100.0", "%"], ["total", "10"], "Stopping…")
        assert demo.pids() == []


async def test_a_demo_whose_run_fails_says_so_with_its_status(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(BROKEN_SCREEN)
    flags = ("--devices", 2, "--scenario", "broken.yaml", "--once", "--port", 0)
    async with farming(tmp_path, "demo", *flags) as demo:
        status = await demo.end()

        assert status == 1, demo.said
        assert "completed with errors" in demo.said


async def test_a_demo_stays_up_until_it_is_stopped_and_then_nothing_of_it_is_left(tmp_path: Path) -> None:
    async with farming(tmp_path, "demo", "--devices", 3, "--port", 0) as demo:
        suggested = (await demo.until(r"^  CORRAL_URL=http://\S+ (.+) devices --heatmap$"))[1]
        url = (await demo.until(r"Corral is at (http://\S+);"))[1]
        assert suggested == f"{sys.executable} -m corral.cli"  # as it was started
        async with httpx.AsyncClient(base_url=url) as http:
            assert (await http.get("/ready")).status_code == 200
            assert "Corral" in (await http.get("/")).text
        assert all(demo.pids(words) for words in ("server", "simulate", "node", "adb", "postgres"))

        status = await demo.interrupt()

        assert status == 0, demo.said
        assert demo.pids() == []


async def test_up_draws_the_farm_on_a_terminal_until_ctrl_c(tmp_path: Path) -> None:
    flags = ("--ephemeral", "--simulate", 1, "--port", 0, "--no-node")
    async with farming_on_terminal(tmp_path, "up", *flags) as up:
        await up.until(r"http://127\.0\.0\.1:\d+")
        await up.until("✓ 1 online")
        await up.until(r"Ctrl-C stops everything\.")

        status = await up.interrupt()

        assert status == 0, up.said
        assert up.said.rstrip().endswith("Stopping…\x1b[0m")
        assert up.pids() == []


async def test_up_follows_the_logs_and_tells_who_died_with_the_end_of_their_log(tmp_path: Path) -> None:
    flags = ("--ephemeral", "--simulate", 5, "--port", 0, "--no-node", "--logs")
    async with farming(tmp_path, "up", *flags) as up:
        await up.until(r" server .*serving on http://")
        await up.until(r"devices: ✓ 5 online")
        (simulator,) = up.pids("corral.cli simulate")

        os.kill(simulator, signal.SIGKILL)
        status = await up.end()

        assert status == 1
        assert "corral: the simulator was ended by SIGKILL. Its last words:" in up.said
        assert "simulating" in up.said.split("Its last words:")[1]
        assert up.pids() == []


async def test_a_farm_whose_server_ends_takes_all_the_rest_along(tmp_path: Path) -> None:
    advice = {"CORRAL_NODE_ADB_PATH": "/nowhere/adb", "CORRAL_NODE_ADB_PORT": str(free_port())}
    async with farming(tmp_path, "up", "--data-dir", tmp_path / "data", "--port", 0, **advice) as up:
        await up.until(r"! phones that are attached .* no adb program at /nowhere/adb: install the Android platform")
        await up.until(r"nodes: 1 online")
        (server,) = up.pids("corral.cli server")

        os.kill(server, signal.SIGTERM)
        status = await up.end()

        assert status == 1
        assert "corral: the server ended with status 0" in up.said
        assert up.pids() == []


async def test_up_works_with_the_phones_of_a_vendors_program_that_answers(tmp_path: Path) -> None:
    phone = {"serial": "10.0.0.1:5555", "onlySerial": "R58M1", "status": "online"}
    async with fake_program({"list": success([phone])}) as program:
        told = {"CORRAL_NODE_VENDOR_URL": program.url, "CORRAL_NODE_ADB_PATH": "/nowhere/adb"}
        port = {"CORRAL_NODE_ADB_PORT": str(free_port())}
        async with farming(tmp_path, "up", "--ephemeral", "--port", 0, **told, **port) as up:
            await up.until(f"Phones of the vendor's program at {program.url} are used")
            await up.until(r"devices: . 1 o")  # online, or offline: this one takes no commands

            assert await up.interrupt() == 0


async def test_a_second_interrupt_does_not_wait_for_what_runs_and_leaves_nothing_either(tmp_path: Path) -> None:
    (tmp_path / "stuck.yaml").write_text(STUCK)
    flags = ("--devices", 2, "--scenario", "stuck.yaml", "--port", 0)
    async with farming(tmp_path, "demo", *flags) as demo:
        await demo.until("2 running of 2")
        demo.process.send_signal(signal.SIGINT)
        await demo.until("Stopping…")

        status = await demo.interrupt()

        assert status == 1, demo.said
        assert demo.pids() == []


@pytest.fixture
def hangups() -> Iterator[None]:
    """What is started is told of a closed terminal, although the tests themselves may run under nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.usefixtures("hangups")
async def test_a_closed_terminal_stops_what_ran_in_it(tmp_path: Path) -> None:
    async with farming(tmp_path, "simulate", "--devices", 1, "--addresses", tmp_path / "phones") as simulator:
        while not (tmp_path / "phones").exists():
            assert simulator.process.returncode is None
            await asyncio.sleep(0.05)

        simulator.process.send_signal(signal.SIGHUP)

        assert await simulator.end() == 0


async def test_a_port_that_is_taken_is_told_with_what_to_do(here: Cli) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        told = await here.run("up", "--port", taken.getsockname()[1])

    assert told.status == 2
    assert "Address already in use. Choose another port with --port" in told.err


async def test_a_corral_that_is_up_already_is_pointed_at(here: Cli, server: ServerProcess) -> None:
    told = await here.run("up", "--port", httpx.URL(server.url).port)

    assert told.status == 2
    assert "A Corral server runs there already: open it" in told.err


async def test_a_data_directory_in_use_is_told(here: Cli, tmp_path: Path) -> None:
    with claim_directory(tmp_path / "data"):
        told = await here.run("up", "--port", 0)

    assert told.status == 2
    assert f"another `corral up` works from {tmp_path / 'data'}. Stop it, or" in told.err


async def test_a_data_directory_that_cannot_be_made_is_told(here: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    told = await here.run("up", "--port", 0, "--data-dir", tmp_path / "file" / "data")

    assert told.status == 2
    assert "Choose another directory with --data-dir" in told.err


async def test_a_farm_that_others_could_reach_needs_secrets(here: Cli) -> None:
    told = await here.run("up", "--host", "0.0.0.0")

    assert told.status == 2
    assert "refusing to listen on 0.0.0.0 without secrets: set NODE_AGENT_SHARED_SECRET and" in told.err


async def test_simulated_phones_need_an_adb(here: Cli, tmp_path: Path) -> None:
    (tmp_path / "platform-tools").mkdir()
    (tmp_path / "platform-tools" / "adb").touch(mode=0o644)

    told = await here.run("up", "--simulate", 5, "--port", 0, env={"ANDROID_HOME": str(tmp_path)})

    assert told.status == 1
    assert "adb is not executable: run chmod +x on it" in told.err


@pytest.mark.parametrize("command", [("up", "--simulate", 1), ("demo", "--devices", 1, "--once")])
async def test_simulated_phones_are_reached_by_the_adb_that_the_environment_names(
    here: Cli, command: tuple[object, ...]
) -> None:
    told = await here.run(*command, "--port", 0, env={"CORRAL_NODE_ADB_PATH": "/nowhere/adb"})

    assert told.status == 1
    assert "there is no adb program at /nowhere/adb: install the Android platform tools, or name" in told.err


async def test_simulated_phones_are_reached_by_the_adb_that_the_file_names(here: Cli, tmp_path: Path) -> None:
    (tmp_path / "farm.toml").write_text("[node]\nadb_path = '/nowhere/adb'\n", encoding="utf-8")

    told = await here.run("up", "--simulate", 1, "--port", 0, "--config", "farm.toml")

    assert told.status == 1
    assert "there is no adb program at /nowhere/adb" in told.err


async def test_a_phone_that_asks_for_a_confirmation_is_told_with_what_to_do(server: ServerProcess) -> None:
    async with server.client() as http:
        node = await Node(http, "rack-1", headers=AS_NODE).register("R58M1")
        await node.beat(devices=[{"serial": f"R58M{n}", "connection": "unauthorized"} for n in range(2, 8)])
    with Client(server.url, token=OPERATOR_TOKEN) as client:
        outlook = await asyncio.to_thread(look, client)

    assert outlook.devices["online"] == 1
    assert outlook.hints[0] == "R58M2: confirm on the phone that this computer may debug it (tick 'Always allow')"
    assert outlook.hints[-1] == "and 2 more; `corral devices` lists them"
