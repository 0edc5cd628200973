"""Whatever is said on a stream of a phone, its service answers, complains or hangs up; it does not crash."""

import asyncio
import struct
from types import SimpleNamespace
from typing import cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from corral.drivers.adb.packets import CLSE, WRTE, Packet
from corral.simulator.adbd.connection import Connection
from corral.simulator.adbd.services import open_service
from corral.simulator.adbd.stream import Stream, StreamClosedError
from tests.simulator.handset import HurriedClock, make_phone

PATHS = st.one_of(
    st.sampled_from(
        [b"/sdcard/f", b"/sdcard", b"/sdcard/new/f", b"/system/x", b"", b"/", b"..", b"\0", b"\xff", b"x" * 1024]
    ),
    st.binary(max_size=12),
)
MODES = st.sampled_from(
    [b"", b",33188", b",", "\u00b2".encode().join([b",", b""]), b",-1", b"," + b"9" * 900, b",0x1ff"]
)


def request(kind: bytes, body: bytes, claimed: int | None = None) -> bytes:
    return struct.pack("<4sI", kind, len(body) if claimed is None else claimed) + body


LENGTHS = st.none() | st.sampled_from([0, 1, 1024, 1025, 1 << 16, (1 << 16) + 1, (1 << 32) - 1])
REQUESTS = st.one_of(
    st.builds(
        request, st.sampled_from([b"STAT", b"STA2", b"LST2", b"LIST", b"LIS2", b"RECV", b"QUIT"]), PATHS, LENGTHS
    ),
    st.builds(
        lambda path, mode, pieces, at: (
            request(b"SEND", path + mode)
            + b"".join(request(b"DATA", each) for each in pieces)
            + request(b"DONE", b"", at)
        ),
        PATHS,
        MODES,
        st.lists(st.binary(max_size=20), max_size=3),
        st.integers(0, 2**32 - 1),
    ),
    st.builds(request, st.binary(min_size=4, max_size=4), PATHS, LENGTHS),
    st.binary(max_size=20),
)
LINES = st.one_of(
    st.sampled_from(
        [
            *(
                b"exit",
                b"exit 3",
                "exit ²".encode(),
                b"exit " + b"9" * 5_000,
                b"exit -1",
                b"exit  ",
                b" exit 1 2",
                b"\xff",
            ),
            *(
                b"echo $((1/0))",
                b"printf %d x",
                b"cat",
                b"cat /sdcard/f",
                b"cat <<E",
                b"'",
                b"while",
                b"for x in",
                b"}",
                b"a=1 b",
            ),
            *(
                "head -n ² /sdcard/f".encode(),
                b"input tap inf inf",
                b"echo x > /sdcard/g",
                b"echo x > ''",
                b"sh -c 'exit 300'",
            ),
        ]
    ),
    st.binary(max_size=20),
)
FRAMES = st.builds(
    lambda kind, body, length: struct.pack("<BI", kind, len(body) if length is None else length) + body,
    st.sampled_from([0, 0, 0, 1, 2, 3, 4, 5, 255]),
    LINES.map(lambda line: line + b"\n") | st.binary(max_size=10),
    LENGTHS,
)


def talk(service: str, messages: list[bytes]) -> list[Packet]:
    """What a phone sends while it is told these messages, each acknowledged at once, and the stream is then closed."""

    async def run() -> list[Packet]:
        sent: list[Packet] = []

        def send(packet: Packet) -> None:
            sent.append(packet)
            if packet.command == WRTE:
                asyncio.get_running_loop().call_soon(stream.on_okay)

        phone = make_phone(clock=HurriedClock())
        phone.files.write("/sdcard/f", b"one\ntwo\n")
        stream = Stream(local_id=1, remote_id=1, max_payload=4096, send=send)
        serve = open_service(phone, service, cast("Connection", SimpleNamespace(name="test")))
        assert serve is not None
        serving = asyncio.ensure_future(serve(stream))
        for message in messages:
            stream.on_write(message)
            await _settle(serving)
        stream.on_close()
        await _settle(serving)
        if not serving.done():
            serving.cancel()  # as the connection does when its peer closes a stream
        try:
            async with asyncio.timeout(20):
                await serving
        except (StreamClosedError, asyncio.CancelledError):
            pass
        return sent

    return asyncio.run(run())


async def _settle(task: asyncio.Future[None]) -> None:
    """All that happens is in this process and in no time, so some turns are enough."""
    for _ in range(300):
        if task.done():
            return
        await asyncio.sleep(0)


@settings(max_examples=150, deadline=None)
@given(requests=st.lists(REQUESTS, min_size=1, max_size=4))
@example(requests=[request(b"SEND", "/sdcard/f,²".encode()) + request(b"DONE", b"", 5)])
def test_any_requests_for_files_are_answered_or_end_the_stream(requests: list[bytes]) -> None:
    assert all(packet.command != CLSE for packet in talk("sync:", requests))


@pytest.mark.parametrize("service", ["shell:", "exec:", "shell,raw:"])
@settings(max_examples=60, deadline=None)
@given(lines=st.lists(LINES.map(lambda line: line + b"\n") | st.binary(max_size=10), min_size=1, max_size=4))
@example(lines=["exit ²\n".encode()])
def test_any_lines_are_run_by_the_interactive_shell(service: str, lines: list[bytes]) -> None:
    assert all(packet.command != CLSE for packet in talk(service, lines))


@settings(max_examples=150, deadline=None)
@given(frames=st.lists(FRAMES | st.binary(max_size=10), min_size=1, max_size=4))
@example(frames=[struct.pack("<BI", 0, 8) + "exit ²\n".encode()])
def test_any_frames_are_heard_by_the_interactive_shell(frames: list[bytes]) -> None:
    sent = b"".join(packet.payload for packet in talk("shell,v2:", frames) if packet.command == WRTE)

    while sent:
        kind, length = struct.unpack_from("<BI", sent)
        assert kind in {1, 2, 3}
        assert len(sent) >= 5 + length
        sent = sent[5 + length :]
