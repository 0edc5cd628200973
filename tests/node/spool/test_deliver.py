"""How events and files reach the server, and what happens when they do not."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import msgspec
import pytest

from corral.model.errors import UploadFailedError
from corral.node.events import JobEvents, log_event, log_line
from corral.node.link import Link
from corral.node.spool.deliver import DeliverEvents
from corral.node.spool.records import SpooledFile
from corral.node.spool.spool import Spool, digest
from corral.node.spool.upload import UploadFiles

Answer = Callable[[httpx.Request], httpx.Response]


class Server:
    """Answers as it is told to, and remembers what it was told."""

    def __init__(self) -> None:
        self.events: list[dict[str, Any]] = []
        self.batches: list[int] = []
        self.files: dict[str, bytes] = {}
        self.failures: list[int] = []
        self.asked: list[str] = []
        self.direct: dict[str, Any] | None = None
        self.outcome = "applied"
        self.refuses: Callable[[list[dict[str, Any]]], bool] = lambda _: False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if self.failures:
            return httpx.Response(self.failures.pop(0), json={"error": {"code": "trouble", "message": "no"}})
        if request.method == "PUT":
            self.files[request.url.path] = request.read()
            return httpx.Response(201, json={})
        if request.url.path.startswith("/api/artifacts/uploads"):
            self.asked.append(request.url.path)
            return httpx.Response(200, json={"direct": self.direct})
        events = msgspec.json.decode(request.content)["events"]
        self.batches.append(len(events))
        if self.refuses(events):
            return httpx.Response(413, json={"error": {"code": "body_too_large", "message": "too large"}})
        self.events += events
        results = [{"event_id": each["event_id"], "outcome": self.outcome, "message": None} for each in events]
        return httpx.Response(200, json={"results": results})


class Bay:
    """A spool, and the loops that empty it."""

    def __init__(self, spool: Spool, server: Server, link: Link) -> None:
        self.spool = spool
        self.server = server
        self.ended: list[UUID] = []
        self.delivery = DeliverEvents(spool, link, on_ended=self.ended.append)
        self.uploads = UploadFiles(spool, link)
        self.job = JobEvents(job_id=uuid4(), lease_token=uuid4())


@pytest.fixture
async def bay(tmp_path: Path) -> AsyncIterator[Bay]:
    async with opened(tmp_path, Server()) as made:
        yield made


@asynccontextmanager
async def opened(path: Path, server: Server) -> AsyncIterator[Bay]:
    link = Link(base_url="http://server", node_id="desk", secret=None)
    link._http = httpx.AsyncClient(base_url="http://server", transport=httpx.MockTransport(server))
    async with link, Spool(path, limit_bytes=1 << 20) as spool:
        yield Bay(spool, server, link)


async def given_file(bay: Bay, path: Path) -> SpooledFile:
    await asyncio.to_thread(path.write_bytes, b"picture")
    sha256, size_bytes = digest(path)
    file = SpooledFile(
        key=f"_/desk/serial/run/{path.name}",
        name=path.stem,
        job_id=bay.job.job_id,
        lease_token=bay.job.lease_token,
        sha256=sha256,
        size_bytes=size_bytes,
        content_type="image/png",
    )
    await bay.spool.put_file(path, file=file, event=bay.job.make("artifact_created", key=file.key))
    return file


async def test_events_arrive_in_order_with_the_ids_that_they_were_born_with(bay: Bay) -> None:
    told = [bay.job.make("job_started"), bay.job.make("job_finished", outcome="succeeded")]
    await bay.spool.put(*told)

    await bay.delivery.flush()

    assert [each["event_id"] for each in bay.server.events] == [each.event_id for each in told]
    assert [each["seq"] for each in bay.server.events] == [1, 2]
    assert bay.ended == [UUID(bay.job.lease_token)]


async def test_what_was_not_answered_is_sent_again_unchanged(bay: Bay) -> None:
    event = bay.job.make("job_started")
    bay.server.failures = [503, 502, 429, 401]
    await bay.spool.put(event)

    await bay.delivery.flush()

    assert [msgspec.json.encode(each) for each in bay.server.events] == [event.body]


@pytest.mark.parametrize("outcome", ["applied", "duplicate", "stale"])
async def test_an_answer_of_any_kind_settles_an_event(bay: Bay, outcome: str) -> None:
    bay.server.outcome = outcome
    await bay.spool.put(bay.job.make("job_finished", outcome="succeeded"))

    await bay.delivery.flush()

    assert await bay.spool.act(lambda store: store.count()) == 0
    assert bay.ended == [UUID(bay.job.lease_token)]


async def test_an_event_that_the_server_does_not_understand_is_put_aside(bay: Bay) -> None:
    bay.server.outcome = "invalid"
    await bay.spool.put(bay.job.make("job_started"))

    await bay.delivery.flush()

    assert len(await bay.spool.act(lambda store: store.list_refused())) == 1


async def test_one_event_that_spoils_its_batch_is_found_and_the_others_arrive(bay: Bay) -> None:
    bay.server.refuses = lambda events: any(each["seq"] == 4 for each in events)
    await bay.spool.put(*(bay.job.make("step_started", step=str(number)) for number in range(8)))

    await bay.delivery.flush()

    assert [each["seq"] for each in bay.server.events] == [1, 2, 3, 5, 6, 7, 8]
    assert len(await bay.spool.act(lambda store: store.list_refused())) == 1


async def test_a_predecessors_events_are_told_by_its_successor(tmp_path: Path) -> None:
    async with opened(tmp_path, Server()) as dead:
        event = dead.job.make("job_finished", outcome="succeeded")
        await dead.spool.put(event)

    async with opened(tmp_path, Server()) as alive:
        await alive.delivery.flush()
        assert [each["event_id"] for each in alive.server.events] == [event.event_id]


async def test_an_artifact_is_heard_of_once_its_file_is_there(bay: Bay, tmp_path: Path) -> None:
    file = await given_file(bay, tmp_path / "picture.png")
    await bay.spool.put(bay.job.make("job_finished", outcome="succeeded"))
    await bay.delivery.flush()
    assert [each["type"] for each in bay.server.events] == ["job_finished"]

    bay.server.failures = [503]
    await bay.uploads.flush()
    await bay.delivery.flush()

    assert bay.server.files == {f"/api/artifacts/{file.key}": b"picture"}
    assert [each["type"] for each in bay.server.events] == ["job_finished", "artifact_created"]


async def test_a_file_that_is_refused_is_given_up_with_a_line_in_the_jobs_log(bay: Bay, tmp_path: Path) -> None:
    hope = bay.uploads.stored("_/desk/serial/run/picture.png")
    await given_file(bay, tmp_path / "picture.png")
    bay.server.failures = [409]

    await bay.uploads.flush()
    await bay.delivery.flush()

    (line,) = bay.server.events
    assert (line["type"], line["lines"][0]["level"]) == ("log", "error")
    with pytest.raises(UploadFailedError):
        await hope


async def test_a_step_can_wait_for_its_file(bay: Bay, tmp_path: Path) -> None:
    hope = bay.uploads.stored("_/desk/serial/run/picture.png")
    await given_file(bay, tmp_path / "picture.png")
    assert not hope.done()

    await bay.uploads.flush()

    await hope


async def test_a_server_that_has_no_way_around_itself_is_asked_once(bay: Bay, tmp_path: Path) -> None:
    await given_file(bay, tmp_path / "one.png")
    await bay.uploads.flush()
    await given_file(bay, tmp_path / "two.png")
    await bay.uploads.flush()

    assert bay.server.asked == ["/api/artifacts/uploads"]
    assert len(bay.server.files) == 2


async def test_a_file_goes_around_the_server_where_it_offers_a_way_and_without_the_nodes_secret(
    bay: Bay, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, bytes]] = []

    async def elsewhere(url: str, *, content: AsyncIterator[bytes], headers: dict[str, str]) -> None:
        sent.append((url, b"".join([piece async for piece in content])))
        assert headers == {"x-amz-meta": "1", "Content-Length": "7"}

    monkeypatch.setattr(bay.uploads._link, "send_elsewhere", elsewhere)
    bay.server.direct = {"upload_id": "u1", "url": "http://bucket/u1", "headers": {"x-amz-meta": "1"}, "expires_s": 9}
    await given_file(bay, tmp_path / "picture.png")

    await bay.uploads.flush()
    await bay.delivery.flush()

    assert sent == [("http://bucket/u1", b"picture")]
    assert bay.server.asked == ["/api/artifacts/uploads", "/api/artifacts/uploads/u1/accept"]
    assert [each["type"] for each in bay.server.events] == ["artifact_created"]


async def test_many_events_at_once_are_few_requests(bay: Bay) -> None:
    for number in range(100):
        bay.spool.put(log_event(job_id=bay.job.job_id, lease_token="t", lines=[log_line("info", str(number))]))
    sending = asyncio.create_task(bay.delivery.run())
    while len(bay.server.events) < 100:
        await bay.spool.act(lambda _: None)
    sending.cancel()

    assert len(bay.server.batches) < 20
