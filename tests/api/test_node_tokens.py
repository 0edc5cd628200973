"""Nodes with tokens of their own: whom they speak for, and until when."""

import asyncio
from typing import Any, cast
from uuid import uuid4

import httpx
import pytest

from corral.api import known as known_module
from corral.api.known import KnownCredentials
from corral.engine import Engine
from corral.engine.announce import CREDENTIALS
from corral.model.credentials import digest_token
from tests.api.client import Node, Operator
from tests.api.conftest import Serving
from tests.engine.farm import Farm


async def enroll(operator: Operator, node_id: str) -> tuple[dict[str, str], str]:
    answer = await operator.post(f"/api/nodes/{node_id}/enroll")
    assert answer.status_code == 201
    return {"x-node-auth": answer.json()["token"]}, answer.json()["details"]["token_id"]


async def test_an_enrolled_node_works_with_a_token_of_its_own(http: httpx.AsyncClient, operator: Operator) -> None:
    headers, _ = await enroll(operator, "node-1")
    node = await Node(http, headers=headers).register("R58M1")
    run = await operator.given_run()
    (job,) = (await node.pull())["jobs"]

    assert await node.call_back(node.event(job, "job_finished", outcome="succeeded")) == ["applied"]
    assert (await operator.counts(run))["done"] == 1


async def test_an_enrolled_node_speaks_for_no_other(http: httpx.AsyncClient, operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    run = await operator.given_run()
    (job,) = (await node.pull())["jobs"]
    headers, _ = await enroll(operator, "node-2")
    thief = Node(http, node.node_id, headers=headers)
    finished = node.event(job, "job_finished", outcome="succeeded")

    for what, body in (
        ("register", {}),
        ("heartbeat", {"epoch": node.epoch}),
        ("pull", {"epoch": node.epoch, "request_id": str(uuid4()), "wait_s": 0}),
        ("callback", {"events": [finished]}),
    ):
        answer = await thief.say(what, body)
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "forbidden"), what
    assert (await operator.counts(run))["done"] == 0


async def test_an_enrolled_node_cannot_end_anothers_job_in_its_own_name(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    await node.register("R58M1")
    run = await operator.given_run()
    (job,) = (await node.pull())["jobs"]
    headers, _ = await enroll(operator, "node-2")
    thief = await Node(http, "node-2", headers=headers).register()

    told = [thief.event(job, "log", lines=[{"message": "x"}]), thief.event(job, "job_finished", outcome="succeeded")]

    assert await thief.call_back(*told) == ["stale", "stale"]
    assert (await operator.counts(run))["done"] == 0


async def test_a_token_is_told_once_and_its_use_is_noted(serving: Serving, farm: Farm) -> None:
    async with serving() as http:
        operator = Operator(http)
        headers, token_id = await enroll(operator, "node-1")
        await enroll(operator, "node-1")

        listed = await operator.get("/api/nodes/node-1/tokens")

    assert headers["x-node-auth"] not in listed.text
    assert [each["created_by"] for each in listed.json()["tokens"]] == ["operator", "operator"]
    known = KnownCredentials(farm.engine)
    await known.find_node_token(digest_token(headers["x-node-auth"].encode()))
    await known.look_once()
    (used, unused) = await farm.engine.node_tokens.list("node-1")
    assert (str(used.token_id), used.last_used_at is not None, unused.last_used_at) == (token_id, True, None)


async def test_a_revoked_token_opens_nothing_and_the_next_one_does(http: httpx.AsyncClient, operator: Operator) -> None:
    old, token_id = await enroll(operator, "node-1")
    new, _ = await enroll(operator, "node-1")
    await Node(http, headers=old).register()

    revoked = await operator.delete(f"/api/nodes/node-1/tokens/{token_id}")

    assert revoked.status_code == 204
    assert (await Node(http, headers=old).say("register", {})).status_code == 401
    assert (await Node(http, headers=new).say("register", {})).status_code == 200
    assert (await operator.delete(f"/api/nodes/node-2/tokens/{token_id}")).status_code == 404


async def test_revoking_ends_a_pull_that_waits_at_another_server(serving: Serving) -> None:
    async with serving() as one, serving() as other:
        operator = Operator(one)
        headers, token_id = await enroll(operator, "node-1")
        node = await Node(other, headers=headers).register("R58M1")
        body = {"epoch": node.epoch, "request_id": str(uuid4()), "want": 1, "wait_s": 30}
        waiting = asyncio.create_task(node.say("pull", body))
        waiting_pulls = cast("Any", other._transport).app.server.waiting
        while not waiting_pulls:  # noqa: ASYNC110 - a pull that waits says nothing to wait for
            await asyncio.sleep(0.001)

        await operator.delete(f"/api/nodes/node-1/tokens/{token_id}")
        await operator.given_run()

        assert (await waiting).status_code == 401


class Remembering:
    """A process that remembers one token, which another one revokes."""

    def __init__(self, engine: Engine, token: str) -> None:
        self.known = KnownCredentials(engine)
        self._digest = digest_token(token.encode())

    async def is_good(self) -> bool:
        return await self.known.find_node_token(self._digest) is not None


async def given_revoked(farm: Farm) -> Remembering:
    token, details = await farm.engine.node_tokens.enroll_node("node-1")
    process = Remembering(farm.engine, token)
    assert await process.is_good()
    await farm.engine.node_tokens.revoke_node_token("node-1", details.token_id)
    return process


async def test_a_credential_is_looked_up_once(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    token, _ = await farm.engine.node_tokens.enroll_node("node-1")
    process = Remembering(farm.engine, token)
    assert await process.is_good()

    async def refuse(_digest: bytes) -> Any:  # noqa: ANN401 - never returns
        raise AssertionError("asked again")

    monkeypatch.setattr(farm.engine.credentials, "find_node_token", refuse)
    await process.known.look_once()
    assert await process.is_good()


async def test_an_announcement_ends_what_is_remembered_at_once(farm: Farm) -> None:
    process = await given_revoked(farm)
    assert await process.is_good()  # it has not heard of it yet

    process.known.hear([CREDENTIALS])

    assert not await process.is_good()


async def test_a_look_ends_what_is_remembered_where_no_announcement_came(farm: Farm) -> None:
    process = await given_revoked(farm)

    await process.known.look_once()

    assert not await process.is_good()


async def test_what_nobody_confirmed_for_too_long_is_not_trusted(farm: Farm, monkeypatch: pytest.MonkeyPatch) -> None:
    process = await given_revoked(farm)

    monkeypatch.setattr(known_module, "TRUSTED_FOR_S", 0.0)

    assert not await process.is_good()


async def test_a_look_that_began_before_a_change_was_heard_of_confirms_nothing(farm: Farm) -> None:
    process = await given_revoked(farm)
    known, version = process.known, process.known._version
    began = known._confirmed_at

    known.hear([CREDENTIALS])
    known._confirm(version, began)

    assert not await process.is_good()


async def test_a_node_says_itself_that_it_drains(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    await operator.given_run()

    assert (await node.beat(draining=True)).json()["draining"] is True
    assert (await node.pull())["jobs"] == []
    assert (await node.beat()).json()["draining"] is True
    assert (await node.beat(draining=False)).json()["draining"] is False
    assert len((await node.pull())["jobs"]) == 1
    assert (await node.say("heartbeat", {"epoch": node.epoch - 1, "draining": True})).status_code == 409
