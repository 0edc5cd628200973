"""The OpenAPI document tells the truth: no undocumented status, no 5xx, whatever is sent."""

import asyncio
import sys
from pathlib import Path

import httpx
import pytest

from tests.api.client import AS_OPERATOR, NODE_SECRET, OPERATOR_TOKEN
from tests.api.process import ServerProcess, running

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
CREDENTIALS = {
    "Authorization": f"Bearer {OPERATOR_TOKEN}",
    "X-Api-Key": OPERATOR_TOKEN,
    "X-Node-Auth": NODE_SECRET,
}


async def fuzz(server: ServerProcess, *options: str) -> None:
    headers = [part for name, value in CREDENTIALS.items() for part in ("-H", f"{name}: {value}")]
    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("schemathesis")),
        "run",
        f"{server.url}/schema",
        *headers,
        *("--checks", CHECKS, "--max-examples", "5", "--phases", "coverage,fuzzing", "--request-timeout", "60"),
        *options,
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


@pytest.mark.timeout(400)  # thousands of requests, on a machine that may be busy
async def test_no_request_that_the_document_allows_or_forbids_surprises_the_server(farm_dsn: str) -> None:
    async with running("--database-url", farm_dsn) as server:
        # Pulls come first: while no node is registered, none of them waits.
        await fuzz(server, "--include-path", "/api/nodes/pull")
        await fuzz(server, "--exclude-path", "/api/nodes/pull")
        await server.stop()

    assert "Traceback" not in "".join(server.lines)
