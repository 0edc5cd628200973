"""Retries only where twice is as good as once, and errors by their codes, whatever answers."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import msgspec
import pytest

from corral.api.problems import STATUS_BY_ERROR, describe
from corral.client import Client
from corral.client.problems import to_error
from corral.model import errors
from corral.model.errors import (
    ConfigInvalidError,
    CorralError,
    DatabaseUnavailableError,
    ServerUnavailableError,
    UnexpectedAnswerError,
)
from corral.wire.problems import ErrorBody, Fault

AWAY = (503, json.dumps({"error": {"code": "database_unavailable", "message": "PostgreSQL cannot be reached"}}))
HEALTHY = (200, '{"status": "ok", "version": "1", "something": "newer"}')


class Scripted(BaseHTTPRequestHandler):
    """A server that answers what it was told to, in order."""

    answers: ClassVar[list[tuple[int, str]]] = []
    seen: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.seen.append(f"{self.command} {self.path}")
        status, body = self.answers.pop(0)
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    do_POST = do_GET  # noqa: N815 - the names that the module calls

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setattr("corral.client.transport.time.sleep", lambda _: None)
    Scripted.seen.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Scripted) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with Client(f"http://127.0.0.1:{server.server_port}/corral/", timeout_s=5) as made:
            yield made
        server.shutdown()


def test_a_read_is_repeated_until_the_database_is_back(client: Client) -> None:
    Scripted.answers[:] = [AWAY, (502, "<html>"), HEALTHY]

    assert client.health().version == "1"
    assert Scripted.seen == ["GET /corral/health"] * 3


def test_a_read_is_given_up_in_the_end(client: Client) -> None:
    Scripted.answers[:] = [AWAY] * 4

    with pytest.raises(DatabaseUnavailableError, match="PostgreSQL cannot be reached"):
        client.health()
    assert len(Scripted.seen) == 4


def test_a_run_is_never_asked_for_twice(client: Client) -> None:
    Scripted.answers[:] = [AWAY]

    with pytest.raises(DatabaseUnavailableError):
        client.runs.create("smoke")
    assert Scripted.seen == ["POST /corral/api/runs"]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ((200, "<html>sign in here</html>"), UnexpectedAnswerError),
        ((404, "<html>not here</html>"), UnexpectedAnswerError),
        ((500, "oops"), ServerUnavailableError),
        ((418, '{"error": {"code": "of_the_future", "message": "no"}}'), CorralError),
    ],
)
def test_whatever_answers_is_an_error_with_a_word(client: Client, answer: tuple[int, str], kind: type) -> None:
    Scripted.answers[:] = [answer]

    with pytest.raises(kind):
        client.health()


def test_nobody_at_all_is_unavailable() -> None:
    with (
        Client("http://127.0.0.1:1", retries=0) as client,
        pytest.raises(ServerUnavailableError, match="no server answers"),
    ):
        client.health()


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://farm", "http://", "http://farm:port"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(ConfigInvalidError, match="http or https"):
        Client(url)


@pytest.mark.parametrize("kind", [kind for kind, status in STATUS_BY_ERROR.items() if status < 500])
def test_every_answer_comes_back_as_its_class_or_the_nearest_above_it(kind: type[CorralError]) -> None:
    error = to_error(STATUS_BY_ERROR[kind], _body(kind), url="")

    assert isinstance(error, CorralError)
    assert issubclass(kind, type(error))
    assert type(error) is not CorralError
    assert error.code == kind.code


def _body(kind: type[CorralError]) -> bytes:
    if kind is errors.RecipeInvalidError:
        _, fault = describe(errors.RecipeInvalidError([errors.Problem("a", "bad")]))
    else:
        fault = Fault(code=kind.code, message="no", path="a")
    return msgspec.json.encode(ErrorBody(error=fault))
