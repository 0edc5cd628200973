"""What an answer means to a node."""

import hashlib
import re
from pathlib import Path
from uuid import uuid4

import httpx
import pytest

from corral.model.errors import (
    ActionFailedError,
    CorralError,
    RequestRefusedError,
    ServerUnavailableError,
    StaleEpochError,
    UnknownNodeError,
)
from corral.node.files import InputFiles
from corral.node.link import Link
from corral.node.problems import raise_for_problem
from tests.scripted_server import redirecting, saying

CONTENT = b"apk" * 1000


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (500, b"", ServerUnavailableError),
        (503, b'{"error": {"code": "database_unavailable", "message": "away"}}', ServerUnavailableError),
        (502, b"<html>bad gateway</html>", ServerUnavailableError),
        (429, b'{"error": {"code": "too_many_failures", "message": "slow down"}}', ServerUnavailableError),
        (409, b'{"error": {"code": "stale_epoch", "message": "newer"}}', StaleEpochError),
        (404, b'{"error": {"code": "unknown_node", "message": "who?"}}', UnknownNodeError),
        (401, b'{"error": {"code": "unauthenticated", "message": "no"}}', RequestRefusedError),
        (404, b"<html>", RequestRefusedError),
    ],
)
def test_trouble_is_told_apart(status: int, body: bytes, kind: type[CorralError]) -> None:
    with pytest.raises(kind) as caught:
        raise_for_problem(status, body)

    assert type(caught.value) is kind


def test_a_good_answer_is_no_trouble() -> None:
    raise_for_problem(201, b"")


class Files:
    """A server with one input file."""

    def __init__(self) -> None:
        self.sha256 = hashlib.sha256(CONTENT).hexdigest()
        self.content = CONTENT
        self.downloads = 0
        self.failures = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.failures:
            self.failures -= 1
            return httpx.Response(503)
        if request.url.path == "/api/files/app.apk":
            return httpx.Response(200, json={"sha256": self.sha256, "size_bytes": len(self.content), "name": "app.apk"})
        if request.url.path == "/api/files/app.apk/content":
            self.downloads += 1
            return httpx.Response(200, content=self.content)
        return httpx.Response(404, json={"error": {"code": "not_found", "message": "no such file"}})


def cache(server: Files, path: Path, limit_bytes: int = 1 << 20) -> InputFiles:
    link = Link(base_url="http://server", node_id="desk", secret=None)
    link._http = httpx.AsyncClient(base_url="http://server", transport=httpx.MockTransport(server))
    return InputFiles(link, path, limit_bytes=limit_bytes)


async def test_a_file_is_fetched_once_and_checked(tmp_path: Path) -> None:
    server = Files()
    files = cache(server, tmp_path)
    server.failures = 2

    first = await files.fetch("app.apk")
    second = await files.fetch("app.apk")

    assert first == second == tmp_path / server.sha256
    assert (first.read_bytes(), server.downloads) == (CONTENT, 1)


async def test_a_file_that_was_damaged_on_the_way_is_given_to_nobody(tmp_path: Path) -> None:
    server = Files()
    server.content = b"x" * len(CONTENT)

    with pytest.raises(ActionFailedError, match="damaged"):
        await cache(server, tmp_path).fetch("app.apk")
    assert list(tmp_path.iterdir()) == []


async def test_a_file_that_the_server_does_not_have_is_a_clear_refusal(tmp_path: Path) -> None:
    with pytest.raises(RequestRefusedError, match="no such file"):
        await cache(Files(), tmp_path).fetch("other.apk")


async def test_what_was_not_used_for_longest_makes_room(tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"o" * 4000)

    await cache(Files(), tmp_path, limit_bytes=5000).fetch("app.apk")

    assert not (tmp_path / "old").exists()


@pytest.mark.parametrize(
    "where", [["ws://{other}/"], ["/elsewhere"], ["ws://["], ["ws://a", "ws://b"]], ids=lambda where: where[0]
)
async def test_a_tunnel_shows_the_secret_to_the_server_and_to_nobody_else(where: list[str]) -> None:
    async with (
        saying(b"") as (other, seen_elsewhere),
        saying(redirecting(*(each.format(other=other) for each in where))) as (address, seen),
        Link(base_url=f"http://{address}", node_id="desk", secret="the-secret") as link,
    ):
        said = rf"ws://{re.escape(address)}/.* answered 302: redirections are not followed"
        with pytest.raises(RequestRefusedError, match=said):
            async with link.tunnel(uuid4()):
                pass

    assert len(seen) == 1
    assert seen_elsewhere == []


async def test_a_request_shows_the_secret_to_the_server_and_to_nobody_else() -> None:
    async with (
        saying(b"") as (other, seen_elsewhere),
        saying(redirecting(f"http://{other}/")) as (address, _),
        Link(base_url=f"http://{address}", node_id="desk", secret="the-secret") as link,
    ):
        said = rf"http://{re.escape(address)} answered 302: redirections are not followed"
        with pytest.raises(RequestRefusedError, match=said):
            await link.get("/api/files/app.apk", dict)

    assert seen_elsewhere == []
