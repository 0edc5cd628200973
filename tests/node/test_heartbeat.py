"""The heartbeat, in its own thread."""

import http.server
import json
import threading
from collections.abc import Iterator
from queue import Queue
from typing import Any
from uuid import uuid4

import pytest

from corral.model.errors import CorralError, StaleEpochError
from corral.node.heartbeat import Beaten, BeatHeart
from corral.node.pulse import STALLED_S, News, Pulse
from corral.wire.nodes import Beat, DeviceReport
from tests.node.test_leases import Hand

REPLY = {"lease_s": 60.0, "lost": [], "cancel": [], "scans": [], "draining": False, "refused": []}


class Server(http.server.ThreadingHTTPServer):
    """Answers heartbeats."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.beats: Queue[dict[str, Any]] = Queue()
        self.status = 200
        self.reply: dict[str, Any] | bytes = dict(REPLY)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        assert isinstance(self.server, Server)
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.server.beats.put({**body, "auth": self.headers["X-Node-Auth"]})
        text = self.server.reply if isinstance(self.server.reply, bytes) else json.dumps(self.server.reply).encode()
        self.send_response(self.server.status)
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


class Heart:
    def __init__(self, server: Server) -> None:
        self.clock = Hand()
        self.held = frozenset({uuid4()})
        self.pulse = Pulse(node_id="desk", clock=self.clock, held=lambda: self.held)
        self.pulse.epoch = 7
        self.answers: Queue[Beaten] = Queue()
        self.refusals: Queue[tuple[CorralError, float]] = Queue()
        self.heart = BeatHeart(
            base_url=server.url,
            secret="the-secret",
            pulse=self.pulse,
            clock=self.clock,
            lease_s=60,
            on_answer=self.answers.put,
            on_refusal=lambda error, sent_at: self.refusals.put((error, sent_at)),
        )


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.fixture
def heart(server: Server) -> Iterator[Heart]:
    made = Heart(server)
    yield made
    made.heart.stop()
    if made.heart._thread.is_alive():
        made.heart.join()
    made.heart._http.close()


def test_it_names_what_is_held_and_what_changed_and_hands_over_the_answer(server: Server, heart: Heart) -> None:
    heart.pulse.news = News((DeviceReport(serial="a"),), is_complete=True)
    heart.heart.start()

    beat, beaten = server.beats.get(timeout=60), heart.answers.get(timeout=60)

    assert (beat["epoch"], beat["held"]) == (7, [str(token) for token in heart.held])
    assert (beat["devices"], beat["is_complete"]) == ([{"serial": "a"}], True)
    assert beat["auth"] == "the-secret"
    assert (beaten.reply.lease_s, beaten.sent_at) == (60, heart.clock.now)


def test_news_do_not_wait_for_the_next_beat(server: Server, heart: Heart) -> None:
    heart.heart.start()
    server.beats.get(timeout=60)
    heart.answers.get(timeout=60)

    heart.pulse.news = News((DeviceReport(serial="a"),))
    heart.heart.hurry()

    assert server.beats.get(timeout=60)["devices"] == [{"serial": "a"}]


def test_it_stops_renewing_when_the_agent_does_not_turn_any_more(server: Server, heart: Heart) -> None:
    heart.clock.now += STALLED_S + 1

    assert heart.heart._beat() > 0
    assert server.beats.empty()

    heart.pulse.tick()
    heart.heart._beat()
    assert not server.beats.empty()


def test_being_replaced_is_handed_over(server: Server, heart: Heart) -> None:
    server.status, server.reply = 409, {"error": {"code": "stale_epoch", "message": "a newer agent"}}

    heart.heart._beat()

    error, sent_at = heart.refusals.get(timeout=60)
    assert isinstance(error, StaleEpochError)
    assert sent_at == heart.clock.now


def test_a_beat_from_before_a_registration_does_not_look_younger_than_it(
    server: Server, heart: Heart, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.status, server.reply = 409, {"error": {"code": "stale_epoch", "message": "a newer agent"}}
    read = heart.pulse.beat
    registered_at = heart.clock.now + 1

    def register_meanwhile() -> Beat:
        beat = read()
        heart.clock.now, heart.pulse.epoch = registered_at, 8
        return beat

    monkeypatch.setattr(heart.pulse, "beat", register_meanwhile)
    heart.heart._beat()

    _, sent_at = heart.refusals.get(timeout=60)
    assert server.beats.get(timeout=60)["epoch"] == 7
    assert sent_at < registered_at


def test_a_server_that_struggles_is_asked_again_soon(server: Server, heart: Heart) -> None:
    server.status = 503

    assert heart.heart._beat() <= 1
    assert heart.answers.empty()
    assert heart.refusals.empty()


@pytest.mark.parametrize("status", [200, 502])
@pytest.mark.parametrize("body", [b"<html>", b'{"lost": ["\xff"]}', b'{"error": {"code": "\xff"}}', b"[" * 50_000])
def test_an_answer_that_cannot_be_read_is_none(server: Server, heart: Heart, status: int, body: bytes) -> None:
    server.status, server.reply = status, body

    assert heart.heart._beat() <= 1
    assert heart.answers.empty()
    assert heart.refusals.empty()
