"""A phone for the length of a block, against a real server and a node played by hand."""

import asyncio
from typing import Any

import pytest

from corral.client import Client
from corral.client.hold import Hold
from corral.model.errors import ConflictError, InvalidRequestError, WaitTimeoutError
from corral.model.sessions import SessionState
from corral.wire.sessions import Touch
from tests.api.client import Node


async def given_hold(client: Client, node: Node, **asked: Any) -> tuple[Hold, dict[str, Any]]:  # noqa: ANN401 - of hold
    """A hold that has been entered, and the node's job."""
    hold = client.sessions.hold(**asked)
    entering = asyncio.create_task(asyncio.to_thread(hold.__enter__))
    (job,) = (await node.pull(wait_s=30))["jobs"]
    await node.call_back(node.event(job, "job_started"))
    return await entering, job


async def test_a_phone_is_held_touched_and_released_with_the_block(client: Client, node: Node) -> None:
    hold, job = await given_hold(client, node, device=2, purpose="a test")

    assert (hold.device.serial, hold.session.state) == ("R58M2", SessionState.ACTIVE)
    client.sessions.input(hold.session.session_id, Touch(kind="tap", x=1, y=2))
    (told,) = (await node.pull(inputs_taken={}))["inputs"]
    hold.check()
    await asyncio.to_thread(hold.__exit__, None, None, None)

    assert told["input"] == {"kind": "tap", "x": 1, "y": 2}
    assert (hold.session.end_reason, hold.ended.is_set()) == ("released", True)
    assert (await node.pull())["cancel"] == [job["lease_token"]]
    assert list(client.sessions.list()) == []
    assert [each.purpose for each in client.sessions.list(state="all")] == ["a test"]


async def test_it_is_renewed_in_the_background_and_its_loss_is_noticed(client: Client, node: Node) -> None:
    hold, _ = await given_hold(client, node, ttl_s=10)
    first = hold.session.expires_at
    while hold.session.expires_at <= first:  # noqa: ASYNC110 - until the thread has renewed it
        await asyncio.sleep(0.1)

    await asyncio.to_thread(client.sessions.release, hold.session.session_id)  # as another process of ours would
    await asyncio.to_thread(hold.ended.wait)

    with pytest.raises(ConflictError, match="has ended: released") as lost:
        hold.check()
    assert lost.value.code == "session_ended"
    await asyncio.to_thread(hold.__exit__, None, None, None)


async def test_no_phone_in_time_ends_the_session(client: Client, node: Node) -> None:
    with pytest.raises(WaitTimeoutError, match=r"no phone within 0\.2 s"):
        await asyncio.to_thread(client.sessions.hold(wait_s=0.2).__enter__)

    assert list(client.sessions.list()) == []


def test_an_input_that_makes_no_sense_is_not_even_sent(client: Client) -> None:
    with pytest.raises(InvalidRequestError, match="a tap needs y"):
        client.sessions.input("01920000-0000-7000-8000-000000000000", Touch(kind="tap", x=1))
