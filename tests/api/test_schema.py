"""The OpenAPI document tells the truth: no undocumented status, no 5xx, whatever is sent."""

import asyncio
import os
import random
import sys
from pathlib import Path

import httpx
import pytest

from tests.api.client import AS_OPERATOR, NODE_SECRET, OPERATOR_TOKEN
from tests.api.process import ServerProcess, running
from tests.content.fake_youtube import serving_youtube

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
# Spelt as the document does: otherwise schemathesis does not know them for credentials.
NODE = {"X-Node-Auth": NODE_SECRET}
OPERATOR = {"Authorization": f"Bearer {OPERATOR_TOKEN}", "X-Api-Key": OPERATOR_TOKEN}
OF_NODES = "^/api/nodes/(register|heartbeat|callback|tests/offer|tests/claim)$"
PULL = "/api/nodes/pull"
# The same requests each time; others while fuzzing.
SEED = random.SystemRandom().randrange(10**6) if os.environ.get("CORRAL_FUZZ_EXAMPLES") else 20_261_116
# What is sent at random may be a wrong credential; not every answer may be 429.
PATIENT = {"CORRAL_AUTH_FAILURE_LIMIT": "1000000"}


async def fuzz(server: ServerProcess, headers: dict[str, str], *options: str, cwd: Path) -> None:
    """Send what the document allows and forbids, with credentials of one kind. Whom a route opens to is for test_doors.py."""
    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        str(cwd / "schema.json"),
        *("--url", server.url),
        *(part for name, value in headers.items() for part in ("-H", f"{name}: {value}")),
        *("--checks", CHECKS, "--max-examples", "3", "--phases", "coverage,fuzzing", "--request-timeout", "60"),
        *("--seed", str(SEED), "--generation-database", "none"),
        *options,
        cwd=cwd,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()


async def test_the_document_is_openapi_3_1(http: httpx.AsyncClient) -> None:
    answer = await http.get("/schema", headers=AS_OPERATOR)

    assert answer.json()["openapi"].startswith("3.1")
    assert answer.headers["content-type"] == "application/json"


async def test_the_page_names_every_endpoint_and_needs_nothing_from_elsewhere(http: httpx.AsyncClient) -> None:
    document = (await http.get("/schema", headers=AS_OPERATOR)).json()
    page = await http.get("/schema/page", headers=AS_OPERATOR)

    assert page.headers["content-type"].startswith("text/html")
    assert [path for path in document["paths"] if path not in page.text] == []
    assert "<script" not in page.text
    assert "//" not in page.text.replace("<!doctype html>", "")


@pytest.mark.timeout(600)  # thousands of requests, on a machine that may be busy
async def test_no_request_that_the_document_allows_or_forbids_surprises_the_server(
    farm_dsn: str, tmp_path: Path
) -> None:
    async with (
        serving_youtube() as youtube,
        running("--database-url", farm_dsn, env={**PATIENT, "CORRAL_YOUTUBE_URL": youtube.url}) as server,
    ):
        reading = asyncio.create_task(server.read_rest())  # it says more than fits into a pipe that nobody reads
        document = tmp_path / "schema.json"
        async with server.client() as http:
            document.write_bytes((await http.get("/schema", headers=AS_OPERATOR)).content)

        async def fuzz_as_a_node() -> None:
            # Pulls come first: while no node is registered, none of them waits.
            await fuzz(server, NODE, "--include-path", PULL, cwd=tmp_path)
            await fuzz(server, NODE, "--include-path-regex", OF_NODES, cwd=tmp_path)

        # A stream would go on for as long as it is let.
        not_of_nodes = ("--exclude-path", PULL, "--exclude-path-regex", f"{OF_NODES}|^/v1/stream$")
        await asyncio.gather(fuzz_as_a_node(), fuzz(server, OPERATOR, *not_of_nodes, cwd=tmp_path))
        server.process.terminate()

        assert "Traceback" not in await reading
