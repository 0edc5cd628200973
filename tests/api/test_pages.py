"""The web UI's files, as browsers get them."""

from pathlib import Path
from typing import Any, cast

import httpx
import pytest
from litestar.types import Receive, Scope, Send

from corral.api.pages import Pages, load_pages
from tests.api.client import Operator

AS_BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


async def api(scope: Scope, receive: Receive, send: Send) -> None:
    """What is behind the pages: answers whatever reaches it."""
    await send({"type": "http.response.start", "status": 404, "headers": []})
    await send({"type": "http.response.body", "body": b"the API", "more_body": False})


@pytest.fixture
def built(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>Corral</title>")
    (tmp_path / "assets" / "main-1a2b.js").write_text("run()")
    (tmp_path / "assets" / "main-1a2b.js.br").write_bytes(b"small")
    (tmp_path / ".built-from").write_text("a digest")
    return tmp_path


def browse(directory: Path) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(cast("Any", Pages(api, load_pages(directory))))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1")


@pytest.mark.parametrize("path", ["/", "/runs", "/runs/0198c0de-0000-7000-8000-000000000001", "/devices", "/nowhere"])
async def test_every_address_of_the_ui_is_the_same_page_and_is_asked_for_anew(built: Path, path: str) -> None:
    async with browse(built) as http:
        answer = await http.get(path, headers=AS_BROWSER)

    assert (answer.status_code, answer.text) == (200, "<title>Corral</title>")
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_hashed_files_are_kept_for_ever(built: Path) -> None:
    async with browse(built) as http:
        answer = await http.get("/assets/main-1a2b.js", headers={"accept-encoding": "gzip"})

    assert answer.text == "run()"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"].startswith("text/javascript")


async def test_a_browser_that_can_gets_the_compressed_file(built: Path) -> None:
    async with (
        browse(built) as http,
        http.stream("GET", "/assets/main-1a2b.js", headers={"accept-encoding": "gzip, br;q=1.0"}) as answer,
    ):
        body = b"".join([chunk async for chunk in answer.aiter_raw()])

    assert (answer.headers["content-encoding"], body) == ("br", b"small")


async def test_a_page_runs_no_script_but_its_own_and_asks_nobody_else(built: Path) -> None:
    async with browse(built) as http:
        policy = (await http.get("/", headers=AS_BROWSER)).headers["content-security-policy"]

    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == rules["style-src"] == rules["connect-src"] == rules["font-src"] == "'self'"
    assert "unsafe" not in policy


@pytest.mark.parametrize("path", ["/api/nothing", "/v1/nothing", "/metrics", "/assets/gone-1a2b.js", "/.built-from"])
async def test_what_is_not_the_ui_is_left_to_the_api(built: Path, path: str) -> None:
    headers = {} if path.startswith("/.") else AS_BROWSER
    async with browse(built) as http:
        assert (await http.get(path, headers=headers)).text == "the API"


async def test_a_program_that_asks_for_no_page_gets_none(built: Path) -> None:
    async with browse(built) as http:
        assert (await http.get("/runs", headers={"accept": "application/json"})).text == "the API"
        assert (await http.post("/", headers=AS_BROWSER)).text == "the API"


async def test_a_checkout_without_a_build_says_how_to_get_one(tmp_path: Path) -> None:
    async with browse(tmp_path) as http:
        assert "make ui" in (await http.get("/", headers=AS_BROWSER)).text


async def test_a_server_serves_pages_to_anybody_and_data_to_nobody(http: httpx.AsyncClient) -> None:
    assert (await http.get("/", headers=AS_BROWSER)).status_code == 200
    assert (await http.get("/api/runs", headers=AS_BROWSER)).status_code == 401


async def test_presets_are_recipes_that_the_server_takes(operator: Operator, http: httpx.AsyncClient) -> None:
    presets = (await operator.get("/api/presets")).json()["presets"]

    assert {"device-check", "screenshot-sweep"} <= {preset["name"] for preset in presets}
    assert all(preset["title"] and preset["steps"] for preset in presets)
    for preset in presets:
        headers = {**operator._headers, "content-type": "application/yaml"}
        answer = await http.post("/api/workflows", content=preset["text"], headers=headers)
        assert answer.status_code == 201
