"""`corral server` from the outside."""

import asyncio
import signal
from pathlib import Path

import httpx
import pytest

from corral.engine.embedded import EmbeddedPostgres
from corral.simulator.limits import allow_sockets
from tests.api.client import AS_NODE, AS_OPERATOR, NODE_SECRET, OPERATOR_TOKEN, Node, Operator
from tests.api.process import SECRETS, running, start


async def until_waiting(http: httpx.AsyncClient, count: int) -> None:
    """Return when so many pulls wait at the server."""
    # Another process has no event to wait for.
    while f"corral_waiting_pulls {float(count)}" not in (await http.get("/metrics", headers=AS_OPERATOR)).text:  # noqa: ASYNC110
        await asyncio.sleep(0.01)


async def test_a_pull_that_waits_at_one_process_is_woken_by_a_run_made_at_another(farm_dsn: str) -> None:
    flags = ("--database-url", farm_dsn)
    async with running(*flags) as first, running(*flags) as second, first.client() as one, second.client() as two:
        node = await Node(one).register("R58M1")
        waiting = asyncio.create_task(node.pull(wait_s=30))
        await until_waiting(one, 1)

        run = await Operator(two).given_run()
        (job,) = (await waiting)["jobs"]

        # The node's next word may go to either; killing the other loses nothing.
        first.process.kill()
        elsewhere = Node(two)
        assert await elsewhere.call_back(elsewhere.event(job, "job_finished", outcome="succeeded")) == ["applied"]
        assert (await Operator(two).monitor(run))["run"]["status"] == "succeeded"


async def test_a_server_answers_whoever_comes_after_a_thousand_open_connections(farm_dsn: str) -> None:
    allow_sockets(3_000)
    async with running("--database-url", farm_dsn) as server, server.client() as http:
        url = httpx.URL(server.url)
        opened = [await asyncio.open_connection(url.host, url.port) for _ in range(1_100)]

        assert (await http.get("/health", timeout=10)).status_code == 200

        for _, writer in opened:
            writer.close()


async def test_sigterm_answers_open_pulls_and_stops_cleanly(farm_dsn: str) -> None:
    async with running("--database-url", farm_dsn) as server, server.client() as http:
        nodes = [await Node(http, f"node-{n}").register() for n in range(5)]
        waiting = [asyncio.create_task(node.pull(wait_s=30)) for node in nodes]
        await until_waiting(http, 5)

        assert await server.stop() == 0

        nothing: dict[str, list[str]] = {"jobs": [], "runs": [], "cancel": [], "watch": [], "inputs": [], "tunnels": []}
        assert await asyncio.gather(*waiting) == [nothing] * 5
        assert "Traceback" not in "".join(server.lines)


async def test_a_caller_who_hung_up_is_granted_nothing(farm_dsn: str) -> None:
    async with running("--database-url", farm_dsn) as server, server.client() as http:
        async with server.client() as leaving:
            node = await Node(leaving).register("R58M1")
            waiting = asyncio.create_task(node.pull(wait_s=30))
            await until_waiting(http, 1)
            waiting.cancel()
            await asyncio.wait({waiting})
        await until_waiting(http, 0)

        run = await Operator(http).given_run()

        explained = (await Operator(http).get(f"/api/runs/{run['run_id']}/explain")).json()
        assert [job["reason"] for job in explained["jobs"]] == ["ready"]


async def test_when_the_leader_dies_another_leads(farm_dsn: str) -> None:
    flags = ("--database-url", farm_dsn)
    async with running(*flags) as first:
        await first.read_until("leads upkeep")
        async with running(*flags) as second:
            first.process.send_signal(signal.SIGKILL)
            await second.read_until("leads upkeep")


async def test_several_workers_serve_one_port_and_stop_together(farm_dsn: str) -> None:
    async with running("--database-url", farm_dsn, "--workers", "2") as server, server.client() as http:
        await server.read_until("serving on")
        node = await Node(http).register("R58M1")
        await Operator(http).given_run()
        assert len((await node.pull())["jobs"]) == 1

        assert await server.stop() == 0


async def test_workers_do_not_outlive_their_parent(farm_dsn: str) -> None:
    async with running("--database-url", farm_dsn, "--workers", "2") as server:
        server.process.kill()

        await server.read_rest()  # ends when the last process that could write has ended


async def test_a_server_comes_back_after_postgresql_was_restarted(short_path: Path) -> None:
    postgres = EmbeddedPostgres(short_path / "data", durable=False)
    await postgres.start()
    try:
        async with running("--database-url", postgres.dsn) as server, server.client() as http:
            await server.read_until("leads upkeep")
            node = await Node(http).register("R58M1")
            await postgres.stop()
            assert (await http.get("/ready")).json()["error"]["code"] == "database_unavailable"
            assert (await node.say("callback", {"events": [{}]})).status_code == 503
            assert (await http.get("/health")).status_code == 200

            await postgres.start()
            await server.read_until("this process leads upkeep")
            await Operator(http).given_run()
            assert len((await node.pull())["jobs"]) == 1
            assert (await http.get("/ready")).status_code == 200
            assert await server.stop() == 0
    finally:
        await postgres.stop()


async def test_an_empty_machine_needs_no_configuration_and_keeps_what_it_is_told(tmp_path: Path) -> None:
    flags = ("--data-dir", str(tmp_path / "corral"))
    for expected in (0, 1):
        server = await start("--port", "0", *flags)
        await server.until_it_serves()
        async with server.client() as http:
            assert len((await http.get("/api/nodes/status")).json()["nodes"]) == expected
            (await http.post("/api/nodes/register", json={"node_id": "node-1"})).raise_for_status()
        assert await server.stop() == 0


@pytest.mark.parametrize(
    ("env", "missing"),
    [
        ({}, "set NODE_AGENT_SHARED_SECRET and COORDINATOR_AUTH_TOKEN"),
        ({"NODE_AGENT_SHARED_SECRET": NODE_SECRET}, "set COORDINATOR_AUTH_TOKEN"),
        ({"COORDINATOR_AUTH_TOKEN": OPERATOR_TOKEN}, "set NODE_AGENT_SHARED_SECRET"),
    ],
)
async def test_another_address_is_refused_without_both_secrets(env: dict[str, str], missing: str) -> None:
    server = await start("--host", "0.0.0.0", "--ephemeral", env=env)

    said = await server.read_rest()

    assert await server.process.wait() == 2
    assert said == f"corral: refusing to listen on 0.0.0.0 without secrets: {missing}\n"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("ftp://store", "a store is a path, file:///path, or s3://bucket/prefix"),
        ("s3://key:secret@bucket", "the store's URL needs a bucket, and no credentials"),
        ("/dev/null/objects", "the storage directory"),
        ("s3://bucket?endpoint=http://127.0.0.1:9&region=x", "the store cannot be reached"),
    ],
)
async def test_a_store_that_cannot_be_opened_is_said_plainly(farm_dsn: str, url: str, said: str) -> None:
    keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y"}
    server = await start("--database-url", farm_dsn, "--storage-url", url, env={**SECRETS, **keys})

    output = await server.read_rest()

    assert await server.process.wait() == 1
    assert said in output
    assert "Traceback" not in output
    assert "secret" not in output


async def test_an_ephemeral_server_leaves_nothing_behind(tmp_path: Path) -> None:
    server = await start("--port", "0", "--ephemeral", env={"TMPDIR": str(tmp_path)})
    await server.until_it_serves()
    raw = {"content-type": "application/octet-stream"}
    async with server.client() as http:
        (await http.put("/api/files/a.txt", content=b"a", headers=raw)).raise_for_status()
        assert (await http.get("/api/files/a.txt/content")).content == b"a"

    assert await server.stop() == 0
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []  # noqa: ASYNC240 - nothing else runs


async def test_files_and_artifacts_outlive_a_server(tmp_path: Path) -> None:
    raw = {"content-type": "application/octet-stream"}
    for expected in (404, 200):
        server = await start("--port", "0", "--data-dir", str(tmp_path / "corral"))
        await server.until_it_serves()
        async with server.client() as http:
            assert (await http.get("/api/files/a.txt/content")).status_code == expected
            (await http.put("/api/files/a.txt", content=b"a", headers=raw)).raise_for_status()
        assert await server.stop() == 0


async def test_a_port_that_is_taken_is_said_plainly(farm_dsn: str) -> None:
    async with running("--database-url", farm_dsn) as server:
        port = server.url.rsplit(":", 1)[1]
        second = await start("--port", port, "--database-url", farm_dsn, env=SECRETS)

        assert "Address already in use" in await second.read_rest()
        assert await second.process.wait() == 2


async def test_secrets_are_never_logged(farm_dsn: str) -> None:
    async with running("--database-url", farm_dsn, "--log-level", "debug", "--log-format", "json") as server:
        async with server.client() as http:
            await Node(http).register("R58M1")
            await Operator(http).given_run(params={"password": "hunter22"})
            await http.get("/api/runs", headers={"x-api-key": f"{OPERATOR_TOKEN}x"})
            await http.get("/api/runs", headers=AS_NODE)
        await server.stop()

    said = "".join(server.lines)
    assert '"path": "/api/runs"' in said
    assert not any(secret in said for secret in (NODE_SECRET, OPERATOR_TOKEN, "hunter22"))
