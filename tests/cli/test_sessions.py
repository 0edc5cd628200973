"""Sessions and tags: every command of theirs, as a process against a real server."""

import asyncio
import json
import signal
from typing import Any

from tests.api.client import Node
from tests.cli.conftest import Cli


async def give_phone(node: Node) -> dict[str, Any]:
    """Let the node start whatever it is given next."""
    (job,) = (await node.pull(wait_s=30))["jobs"]
    await node.call_back(node.event(job, "job_started"))
    return dict(job)


async def test_a_session_is_held_in_the_foreground_until_it_is_interrupted(cli: Cli, node: Node) -> None:
    process = await cli.start("session", "open", "--device", "2", "--ttl", "90s", "--purpose", "camera bug")
    job = await give_phone(node)
    assert process.stdout is not None
    said = (await process.stdout.readline()).decode()

    assert job["serial"] == "R58M2"
    assert "▶ active device 2 R58M2" in said
    listed = await cli("session", "list")
    assert "R58M2" in listed
    assert "camera bug" in listed
    assert "held by operator" in await cli("devices")
    (session,) = (await cli.json("session", "list"))["sessions"]
    assert (session["ttl_s"], session["purpose"]) == (90, "camera bug")

    process.send_signal(signal.SIGINT)
    assert await process.wait() == 0
    shown = await cli.json("session", "show", session["session_id"])
    assert (shown["state"], shown["end_reason"]) == ("ended", "released")
    assert (await node.pull())["cancel"] == [job["lease_token"]]
    assert (await cli("session", "list")).strip() == "no sessions: corral session open holds a phone"
    assert "ended: released" in await cli("session", "list", "--all")


async def test_a_session_that_somebody_else_ends_says_why_and_fails(cli: Cli, node: Node) -> None:
    token = (await cli.json("operators", "add", "bob", "--role", "operator"))["token"]
    process = await cli.start("session", "open", "--json")
    await give_phone(node)
    assert process.stdout is not None
    session = json.loads(await asyncio.wait_for(process.stdout.readuntil(b"\n}\n"), 60))

    refused = await cli.run("session", "release", session["session_id"], env={"CORRAL_TOKEN": token})
    await cli("session", "release", session["session_id"][:18], "--reason", "mine now", env={"CORRAL_TOKEN": token})
    _, err = await process.communicate()

    assert (refused.status, "needs a reason" in refused.err) == (2, True)
    assert (process.returncode, "the session has ended: forced: mine now" in err.decode()) == (4, True)


async def test_a_detached_session_is_renewed_and_released_by_its_id(cli: Cli, node: Node) -> None:
    opening = asyncio.create_task(cli.json("session", "open", "--detach", "--ttl", "1m"))
    await give_phone(node)
    session = await opening

    renewed = await cli.json("session", "renew", session["session_id"], "--ttl", "2h")
    released = await cli("session", "release", session["session_id"])

    assert (session["state"], renewed["ttl_s"]) == ("active", 7200)
    assert "ended" in released
    late = await cli.run("session", "renew", session["session_id"])
    assert (late.status, "has ended: released" in late.err) == (2, True)


async def test_what_cannot_be_held_is_said_in_one_line(cli: Cli, node: Node) -> None:
    for flags, words in (
        (("--tag", "camera"), "no device has all of the tags camera"),
        (("--tag", "camera", "--device", "1"), "not for both"),
        (("--device", "77"), "no device has the number, serial or id 77"),
        (("--ttl", "soon"), "'soon' is no length of time: write 90s, 10m or 2h"),
    ):
        told = await cli.run("session", "open", *flags)
        assert (told.status, words in told.err, len(told.err.splitlines())) == (2, True, 1), told


async def test_tags_are_added_and_taken_off(cli: Cli, node: Node) -> None:
    await cli("device", "tag", "1", "+camera", "+small")
    device = await cli.json("device", "tag", "1", "+pixel", "-small")

    assert device["tags"] == ["camera", "pixel"]
    told = await cli.run("device", "tag", "1", "--camera")
    assert told.status == 2
    assert (await cli.json("device", "show", "1"))["tags"] == ["camera", "pixel"]
