"""A bridge, spoken to byte by byte: whatever a client sends, it reaches one phone, and costs only itself."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.drivers.adb.bridge.allowed import is_allowed
from corral.drivers.adb.bridge.bridge import MOST_STREAMS
from corral.drivers.adb.packets import (
    AUTH,
    CLSE,
    CNXN,
    OKAY,
    OPEN,
    VERSION_CHECKED,
    VERSION_UNCHECKED,
    WRTE,
    Packet,
    encode,
)
from tests.drivers.conformance.rig import Rig, eventually
from tests.simulator.host import HELLO, Host

Plug = Callable[[], Awaitable[Host]]


@pytest.fixture
async def plug(port: int) -> AsyncIterator[Plug]:
    hosts: list[Host] = []

    async def connect() -> Host:
        hosts.append(await Host.connect(f"127.0.0.1:{port}"))
        return hosts[-1]

    yield connect
    for host in hosts:
        host.writer.close()


async def test_an_old_host_gets_and_sends_checksums(plug: Plug) -> None:
    host = await plug()
    await host.send(Packet(CNXN, VERSION_CHECKED, 4096, b"host::\0"))
    assert (await host.receive()).command == CNXN

    assert await host.run("echo checked") == b"checked\n"

    host.is_checked = False
    await host.send(Packet(OPEN, 9, 0, b"shell:echo never\0"))
    assert await host.ends()


async def test_what_is_not_acknowledged_is_not_followed_by_more(rig: Rig, plug: Plug) -> None:
    rig.fleet.phones[0].files.write("/sdcard/large", b"x" * 9_000_000)
    host = await plug()
    await host.greet()
    await host.send(Packet(OPEN, 1, 0, b"exec:cat /sdcard/large\0"))
    assert (await host.receive()).command == OKAY
    first = await host.receive()

    assert await host.run("echo meanwhile", number=2) == b"meanwhile\n"

    total = len(first.payload)
    await host.send(Packet(OKAY, 1, first.arg0))
    while (packet := await host.receive()).command != CLSE:
        total += len(packet.payload)
        await host.send(Packet(OKAY, 1, packet.arg0))
    assert total == 9_000_000


async def test_what_a_client_sent_before_it_closed_still_arrives(rig: Rig, plug: Plug) -> None:
    host = await plug()
    await host.greet()
    await host.send(Packet(OPEN, 1, 0, b"sync:\0"))
    opened = await host.receive()
    name, content = b"/sdcard/last,33188", b"y" * 50_000
    sent = struct.pack("<4sI", b"SEND", len(name)) + name + struct.pack("<4sI", b"DATA", len(content)) + content
    await host.send(Packet(WRTE, 1, opened.arg0, sent + struct.pack("<4sI", b"DONE", 0)))
    assert (await host.receive()).command == OKAY
    answer = await host.receive()
    await host.send(Packet(OKAY, 1, opened.arg0), Packet(CLSE, 1, opened.arg0))

    assert answer.payload[:4] == b"OKAY"
    assert rig.fleet.phones[0].files.read("/sdcard/last") == content


@pytest.mark.parametrize(
    "service",
    [
        "host:devices",
        "host:transport:other",
        "host-serial:other:shell:id",
        "reverse:forward:tcp:1;tcp:5037",
        "reverse:list-forward",
        "tcpip:5555",
        "usb:",
        "track-devices",
        "tcp:80:elsewhere.example",
        "tcp:",
        "reconnect",
        "sideload:5",
        "local:",
        "shell",
        "",
        "\0shell:id",
        " shell:id",
        "root",
    ],
)
async def test_what_is_not_on_the_list_is_closed_and_never_asked_of_the_phone(service: str, plug: Plug) -> None:
    host = await plug()
    await host.greet()
    await host.send(Packet(OPEN, 5, 0, f"{service}\0".encode()))

    assert await host.receive() == Packet(CLSE, 0, 5)
    assert await host.run("echo alive") == b"alive\n"


@pytest.mark.parametrize(
    "service",
    [
        "shell:",
        "shell,v2,TERM=xterm,raw:ls",
        "exec:screencap -p",
        "sync:",
        "abb:package\0list",
        "abb_exec:package\0install",
        "framebuffer:",
        "jdwp:1",
        "track-jdwp",
        "reboot:",
        "reboot:bootloader",
        "root:",
        "remount:",
        "tcp:8080",
        "local:/dev/socket/x",
        "localabstract:chrome_devtools_remote",
        "localfilesystem:/data/local/tmp/s",
    ],
)
def test_the_services_of_the_phone_itself_are_on_the_list(service: str) -> None:
    assert is_allowed(service.encode())


async def test_what_the_phone_itself_refuses_is_closed_and_not_held_against_it(rig: Rig, plug: Plug) -> None:
    host = await plug()
    await host.greet()
    for number in range(1, 8):
        await host.send(Packet(OPEN, number, 0, b"localabstract:nobody\0"))
        assert await host.receive() == Packet(CLSE, 0, number)

    assert await host.run("echo alive", number=9) == b"alive\n"
    assert (await rig.phone(0).shell("echo unharmed")).text == "unharmed"


@pytest.mark.parametrize(
    "spoken",
    [
        struct.pack("<6I", CNXN, 0, 0, 0, 0, 0),
        struct.pack("<6I", CNXN, VERSION_UNCHECKED, 1 << 20, 0xFFFFFFFF, 0, CNXN ^ 0xFFFFFFFF),
        struct.pack("<6I", CNXN, VERSION_UNCHECKED, 1 << 20, 4, 99, CNXN ^ 0xFFFFFFFF) + b"host",
        encode(Packet(OPEN, 1, 0, b"shell:echo\0"), is_checked=True),
        encode(Packet(WRTE, 1, 1, b"x"), is_checked=True),
        encode(Packet(0x21212121, 1, 1), is_checked=True),
        encode(Packet(CNXN, VERSION_UNCHECKED, 0), is_checked=True),
        encode(HELLO, is_checked=True) + encode(HELLO, is_checked=True),
        encode(HELLO, is_checked=True) + encode(Packet(OPEN, 0, 0, b"shell:\0"), is_checked=False),
        b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n",
    ],
    ids=lambda spoken: spoken[:4].decode(errors="replace"),
)
async def test_a_broken_client_loses_its_own_line_and_nobody_elses(spoken: bytes, plug: Plug) -> None:
    bystander, broken = await plug(), await plug()
    await bystander.greet()

    broken.writer.write(spoken)

    assert await broken.ends()
    assert await bystander.run("echo alive") == b"alive\n"


async def test_a_client_that_floods_a_stream_is_cut_off(plug: Plug) -> None:
    host = await plug()
    await host.greet()
    await host.send(Packet(OPEN, 1, 0, b"shell:sleep 1000\0"))
    opened = await host.receive()

    for _ in range(2000):
        host.writer.write(encode(Packet(WRTE, 1, opened.arg0, b"x" * 4096), is_checked=False))

    assert await host.ends()


async def test_a_client_may_open_many_streams_but_not_without_end(rig: Rig, plug: Plug) -> None:
    host = await plug()
    await host.greet()
    await host.send(*(Packet(OPEN, number, 0, b"shell:sleep 1000\0") for number in range(1, 100)))

    answers = [await host.receive() for _ in range(1, 100)]

    assert [answer.command for answer in answers].count(OKAY) == MOST_STREAMS
    assert [answer.command for answer in answers].count(CLSE) == 99 - MOST_STREAMS
    host.writer.transport.abort()
    await eventually(lambda: all(entry.ended_s is not None for entry in rig.commands("sleep 1000")))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spoken=st.binary(min_size=1, max_size=400))
async def test_any_bytes_at_all_leave_the_bridge_alive(spoken: bytes, plug: Plug) -> None:
    broken, host = await plug(), await plug()
    broken.writer.write(spoken)
    broken.writer.write_eof()

    assert await broken.ends()
    await host.greet()
    assert await host.run("echo alive") == b"alive\n"
    host.writer.close()


_WORDS = st.sampled_from([AUTH, CLSE, CNXN, OKAY, OPEN, WRTE])
_PACKETS = st.builds(
    Packet,
    _WORDS,
    st.integers(0, 4),
    st.integers(0, 4),
    st.one_of(
        st.binary(max_size=40),
        st.sampled_from([b"sync:\0", b"shell,v2:cat\0", b"exec:cat\0", b"SEND\xff\xff\xff\x7f", b"STAT\x01\0\0\0/"]),
    ),
)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(packets=st.lists(_PACKETS, max_size=12))
async def test_well_formed_nonsense_leaves_the_bridge_alive(packets: list[Packet], plug: Plug) -> None:
    broken, host = await plug(), await plug()
    await broken.greet()
    for packet in packets:
        broken.writer.write(encode(packet, is_checked=False))
    broken.writer.write_eof()

    assert await broken.ends()
    await host.greet()
    assert await host.run("echo alive") == b"alive\n"
    host.writer.close()
