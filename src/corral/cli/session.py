"""`corral session`: phones held for people and programs."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated, Final
from uuid import UUID

from cyclopts import App, Parameter
from rich.text import Text

from corral.cli.exit_status import ENDED_EARLY
from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, look, make_console, make_table, print_json, print_page, print_table, text_or_dash
from corral.cli.refs import choose
from corral.cli.session_hold import hold_session
from corral.cli.spans import read_span
from corral.cli.until_stopped import run_until_stopped
from corral.client import Client
from corral.model.errors import InvalidRequestError
from corral.model.sessions import DeviceSession, SessionState
from corral.model.states import SessionEnd

_EXAMPLES: Final = """Examples:

  corral session open --tag pixel
  corral session open --device 17 --ttl 2h --purpose "camera bug"
  corral session release 0192f0c1 --reason "the release build needs it"
"""
app = App(name="session", help_epilogue=_EXAMPLES, help_format="plaintext")
Repeated = Annotated[list[str] | None, Parameter(negative_iterable="")]
Switch = Annotated[bool, Parameter(negative="")]


@app.command(name="open")
def open_session(
    *,
    tag: Repeated = None,
    device: str | None = None,
    ttl: str = "10m",
    purpose: str | None = None,
    detach: Switch = False,
    options: Options = DEFAULT,
) -> None:
    """Hold a phone until Ctrl-C. The session is renewed for as long as this command lives.

    Parameters
    ----------
    tag
        Any phone that has this tag; more than one for a phone that has them all. Without, any phone.
    device
        This phone: its number, its serial or its id.
    ttl
        How long the phone stays held after this command died: 90s, 10m, 2h.
    purpose
        What for: whoever wants the phone reads this.
    detach
        Open it and return: whoever has its id renews and releases it.
    """
    if tag and device is not None:
        raise InvalidRequestError("a session is for a device or for tags, not for both", path="device")
    with options.client() as client:
        session = client.sessions.open(tags=tag or [], device=device, ttl_s=read_span(ttl, path="ttl"), purpose=purpose)
        if detach:
            _say(client.sessions.get(session.session_id, wait_s=20), options)
            return
        ends: list[DeviceSession] = []
        run_until_stopped(partial(_hold, client, session, options=options, ends=ends))
    for ended in ends:
        if ended.end_reason is not SessionEnd.RELEASED:
            _whisper(f"the session has ended: {_why(ended)}")
            sys.exit(ENDED_EARLY)


@app.command(name="list")
def list_sessions(
    *, all_: Annotated[bool, Parameter(name="--all", negative="")] = False, options: Options = DEFAULT
) -> None:
    """List who holds which phone, newest first.

    Parameters
    ----------
    all_
        Also sessions that have ended.
    """
    with options.client() as client:
        found = list(client.sessions.list(state="all" if all_ else "live"))
    if options.json:
        print_page("sessions", found)
        return
    table = make_table("session", "state", "device", "serial", "holder", "since", "until", "purpose", right=("device",))
    for session in found:
        table.add_row(*_cells(session))
    print_table(table, nothing="no sessions: corral session open holds a phone")


@app.command
def show(session: str, /, *, options: Options = DEFAULT) -> None:
    """Show one session.

    Parameters
    ----------
    session
        Its id, or the beginning of it.
    """
    with options.client() as client:
        _say(client.sessions.get(_find(client, session)), options)


@app.command
def renew(session: str, /, *, ttl: str | None = None, options: Options = DEFAULT) -> None:
    """Let a session of yours go on.

    Parameters
    ----------
    session
        Its id, or the beginning of it.
    ttl
        For how long from now: 90s, 10m, 2h. By default as long as before.
    """
    ttl_s = None if ttl is None else read_span(ttl, path="ttl")
    with options.client() as client:
        _say(client.sessions.renew(_find(client, session), ttl_s=ttl_s), options)


@app.command
def release(session: str, /, *, reason: str | None = None, options: Options = DEFAULT) -> None:
    """End a session and free its phone.

    Parameters
    ----------
    session
        Its id, or the beginning of it.
    reason
        Why: needed where somebody else holds the phone, who reads it.
    """
    with options.client() as client:
        _say(client.sessions.release(_find(client, session), reason=reason), options)


async def _hold(
    client: Client, session: DeviceSession, stopping: asyncio.Event, *, options: Options, ends: list[DeviceSession]
) -> None:
    if session.state is SessionState.WAITING:
        _whisper(f"session {session.session_id}: waiting for a phone")
    ends.append(await hold_session(client, session, stopping=stopping, use=partial(_use, options=options)))


@asynccontextmanager
async def _use(session: DeviceSession, *, options: Options) -> AsyncIterator[None]:
    """Say which phone it is, for as long as it is held."""
    _say(session, options)
    sys.stdout.flush()
    _whisper("Ctrl-C releases it")
    yield


def _whisper(words: str) -> None:
    """For people alone: programs read standard output."""
    print(words, file=sys.stderr, flush=True)  # noqa: T201 - the command line talks


def _why(session: DeviceSession) -> str:
    return f"{session.end_reason}" + (f": {session.end_message}" if session.end_message else "")


def _find(client: Client, ref: str) -> UUID:
    """The session that is meant. Raises NotFoundError, and InvalidRequestError where it could be several."""
    try:
        return UUID(ref.strip())
    except ValueError:
        found = [session.session_id for session in client.sessions.list(state="all", most=5000)]
    return choose(ref.strip().lower(), found, noun="session")


def _cells(session: DeviceSession) -> list[str | Text]:
    device = session.device
    state = f"{session.state}: {session.end_reason}" if session.end_reason else str(session.state)
    return [
        str(session.session_id),
        look(session.state, state),
        "-" if device is None else str(device.index),
        "-" if device is None else device.serial,
        session.holder,
        age(session.started_at or session.created_at),
        "-" if session.ended_at else f"{session.expires_at.astimezone():%H:%M:%S}",
        text_or_dash(session.purpose),
    ]


def _say(session: DeviceSession, options: Options) -> None:
    if options.json:
        print_json(session)
        return
    console, device = make_console(), session.device
    told: list[str | Text] = [f"session {session.session_id}", look(session.state)]
    if device is not None:
        told += [f"device {device.index}", device.serial, text_or_dash(device.model), f"on {device.node_id}"]
    if session.end_reason is not None:
        told += [_why(session)]
    else:
        told += [f"held by {session.holder} until {session.expires_at.astimezone():%H:%M:%S} unless renewed"]
    console.print(*told)
