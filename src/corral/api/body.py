"""Request bodies: JSON from whoever calls, and streams that are never whole in memory."""

from collections.abc import AsyncIterator
from typing import Any

from litestar import Request
from litestar.exceptions import SerializationException

from corral.model.errors import InvalidRequestError
from corral.model.reading import read_count


class JsonRequest(Request[Any, Any, Any]):
    """A request whose JSON is the caller's fault, whatever is wrong with it."""

    async def json(self) -> Any:  # noqa: ANN401 - whatever JSON holds
        """The body. Raises SerializationException, which answers 400."""
        try:
            return await super().json()
        except UnicodeDecodeError as error:  # Litestar knows only msgspec's own
            raise SerializationException(f"JSON is malformed: it is not UTF-8 ({error})") from error


class StreamedBody:
    """A request's body: iterate it once. A caller who hangs up ends it early: compare with what was announced."""

    def __init__(self, request: Request[Any, Any, Any]) -> None:
        self._request = request
        self._is_over = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while not self._is_over:
            message: Any = await self._request.receive()
            self._is_over = message["type"] != "http.request" or not message.get("more_body", False)
            if body := message.get("body"):
                yield body

    async def drain(self) -> None:
        """Read what is left: a caller who is answered too early may see nothing but a broken pipe."""
        async for _ in self:
            pass


def content_length(request: Request[Any, Any, Any]) -> int:
    """How many bytes the body has. Raises InvalidRequestError where the caller did not say."""
    length = read_count(request.headers.get("content-length", ""))
    if length is None:
        raise InvalidRequestError("the header Content-Length is needed", path="Content-Length")
    return length
