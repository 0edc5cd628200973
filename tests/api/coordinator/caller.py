"""Whoever calls the coordinator door: makes channels, chains and tasks, and plays the agents."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import msgspec

from tests.api.client import AS_OPERATOR

Object = dict[str, Any]


class Caller:
    """Says what it wants in a word, and gets the object that the answer wraps."""

    def __init__(self, http: httpx.AsyncClient, *, headers: dict[str, str] = AS_OPERATOR) -> None:
        self.http = http
        self.headers = headers

    async def get(self, path: str, **options: Any) -> httpx.Response:  # noqa: ANN401 - httpx's
        return await self.http.get(f"/v1/{path}", headers=self.headers, **options)

    async def post(self, path: str, **fields: object) -> httpx.Response:
        return await self.http.post(f"/v1/{path}", headers=self.headers, json=fields)

    async def put(self, path: str, **fields: object) -> httpx.Response:
        return await self.http.put(f"/v1/{path}", headers=self.headers, json=fields)

    async def delete(self, path: str) -> httpx.Response:
        return await self.http.delete(f"/v1/{path}", headers=self.headers)

    async def given_channel(self, name: str = "work") -> Object:
        return opened(await self.post("channels", name=name), "channel", status=201)

    async def given_chain(self, channel: Object, *titles: str, **fields: object) -> tuple[Object, list[Object]]:
        chain = opened(await self.post("chains", channel_id=channel["id"], **fields), "chain", status=201)
        return chain, [await self.given_task(chain_id=chain["id"], title=title) for title in titles]

    async def given_task(self, **fields: object) -> Object:
        return opened(await self.post("tasks", **{"title": "a task", **fields}), "task", status=201)

    async def claim(self, agent: str, channel: Object, **fields: object) -> Object | None:
        """The next task, or None where there is none."""
        answer = await self.post("tasks/claim", agent_id=agent, channel_id=channel["id"], **fields)
        if answer.status_code == 404:
            assert answer.json()["error"]["code"] == "no_tasks"
            return None
        return opened(answer, "task")

    async def complete(self, agent: str, task: Object) -> Object:
        return opened(await self.post("tasks/complete", agent_id=agent, task_id=task["id"]), "task")


def opened(answer: httpx.Response, name: str, *, status: int = 200) -> Object:
    """The object that an answer wraps in its name."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert list(body) == [name]
    wrapped: Object = body[name]
    return wrapped


def listed(answer: httpx.Response, name: str) -> list[Object]:
    """The objects that an answer wraps in their name."""
    objects: Any = opened(answer, name)
    assert isinstance(objects, list)
    return objects


def refused(answer: httpx.Response, status: int, code: str) -> Object:
    """The error that an answer tells."""
    assert answer.status_code == status, answer.text
    error: Object = answer.json()["error"]
    assert error["code"] == code, answer.text
    assert error["message"]
    return error


class Stream:
    """Server-sent events as they come; `last_id` is what a browser would come back with."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self.last_id = ""
        self._lines = answer.aiter_lines()

    async def next(self) -> tuple[str, Object]:
        """The next event's type and data; comments are passed over. Raises StopAsyncIteration at the end."""
        kind, data, last_id = "", "", self.last_id
        async for line in self._lines:
            name, _, value = line.partition(": ")
            if not line and data:
                self.last_id = last_id
                return kind, msgspec.json.decode(data)
            kind = value if name == "event" else kind
            data = value if name == "data" else data
            last_id = value if name == "id" else last_id
        raise StopAsyncIteration

    async def until(self, kind: str) -> Object:
        """The data of the next event of that type."""
        while True:
            seen, data = await self.next()
            if seen == kind:
                return data

    async def until_the_end(self) -> list[str]:
        """The types of all events that still come."""
        seen: list[str] = []
        while True:
            try:
                kind, _ = await self.next()
            except StopAsyncIteration:
                return seen
            seen.append(kind)


@asynccontextmanager
async def listening(
    http: httpx.AsyncClient, *, after: str = "", headers: dict[str, str] | None = None, **query: object
) -> AsyncIterator[Stream]:
    """A stream, open."""
    told = {**(AS_OPERATOR if headers is None else headers), **({"last-event-id": after} if after else {})}
    params: Any = query
    async with http.stream("GET", "/v1/stream", headers=told, params=params) as answer:
        assert answer.status_code == 200, await answer.aread()
        yield Stream(answer)
