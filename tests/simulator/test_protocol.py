"""The device side of adb, spoken to byte by byte: what the real adb never does must not bring a phone down."""

import asyncio
import struct
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corral.drivers.adb.packets import (
    AUTH,
    CLSE,
    CNXN,
    MAX_PAYLOAD,
    OKAY,
    OPEN,
    VERSION_CHECKED,
    VERSION_UNCHECKED,
    WRTE,
    Packet,
    encode,
)
from corral.simulator import Fleet
from tests.simulator.host import HELLO, Host

Plug = Callable[[], Awaitable[Host]]


@pytest.fixture
async def crashes() -> list[BaseException]:
    """What went wrong in tasks that nobody waits for."""
    found: list[BaseException] = []
    asyncio.get_running_loop().set_exception_handler(
        lambda _, context: found.append(context.get("exception") or RuntimeError(context["message"]))
    )
    return found


@pytest.fixture
async def plug(fleet: Fleet) -> AsyncIterator[Plug]:
    hosts: list[Host] = []

    async def connect() -> Host:
        hosts.append(await Host.connect(fleet.addresses[0]))
        return hosts[-1]

    yield connect
    for host in hosts:
        host.writer.close()


async def test_the_greeting_names_the_phone_and_only_what_it_can_do(fleet: Fleet, plug: Plug) -> None:
    answer = await (await plug()).greet()

    model = fleet.phones[0].identity.model
    props = f"ro.product.name={model.product};ro.product.model={model.name};ro.product.device={model.device}"
    assert answer.payload.decode() == f"device::{props};features=shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir"


async def test_an_old_host_gets_and_sends_checksums(plug: Plug) -> None:
    host = await plug()
    await host.send(Packet(CNXN, VERSION_CHECKED, 4096, b"host::\0"))
    assert (await host.receive()).command == CNXN

    assert await host.run("echo checked") == b"checked\n"

    host.is_checked = False
    await host.send(Packet(OPEN, 9, 0, b"shell:echo never\0"))
    assert await host.ends()


async def test_a_small_peer_is_never_sent_more_than_it_takes(fleet: Fleet, plug: Plug) -> None:
    fleet.phones[0].files.write("/sdcard/large", b"x" * 10_000)
    host = await plug()
    await host.send(Packet(CNXN, VERSION_UNCHECKED, 4096, b"host::\0"))
    await host.receive()
    host.is_checked = False
    await host.send(Packet(OPEN, 1, 0, b"exec:cat /sdcard/large\0"))
    sizes = []
    while (packet := await host.receive()).command != CLSE:
        if packet.command == WRTE:
            sizes.append(len(packet.payload))
            await host.send(Packet(OKAY, 1, packet.arg0))

    assert sizes == [4096, 4096, 10_000 - 2 * 4096]


async def test_nothing_more_is_sent_before_it_is_acknowledged(plug: Plug) -> None:
    host = await plug()
    await host.greet()
    await host.send(Packet(OPEN, 1, 0, b"shell:echo one; echo two\0"))
    assert (await host.receive()).command == OKAY
    first = await host.receive()

    other = await host.run("echo meanwhile", number=2)

    assert (first.payload, other) == (b"one\n", b"meanwhile\n")
    await host.send(Packet(OKAY, 1, first.arg0))
    assert (await host.receive()).payload == b"two\n"


@pytest.mark.parametrize("service", ["jdwp:1", "reverse:list-forward", "localabstract:x", "tcp:80", "framebuffer:", ""])
async def test_what_a_phone_does_not_offer_is_closed(service: str, plug: Plug) -> None:
    host = await plug()
    await host.greet()
    await host.send(Packet(OPEN, 5, 0, f"{service}\0".encode()))

    assert await host.receive() == Packet(CLSE, 0, 5)
    assert await host.run("echo alive") == b"alive\n"


async def test_words_for_streams_that_do_not_exist_change_nothing(plug: Plug) -> None:
    host = await plug()
    await host.greet()
    await host.send(Packet(OKAY, 77, 88), Packet(CLSE, 77, 88), Packet(WRTE, 77, 88, b"lost"))

    assert await host.receive() == Packet(CLSE, 0, 77)
    assert await host.run("echo alive") == b"alive\n"


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
        encode(HELLO, is_checked=True)
        + encode(Packet(OPEN, 1, 0, b"shell:sleep 9\0"), is_checked=False)
        + encode(Packet(WRTE, 1, 1, b"flood"), is_checked=False) * 50,
        b"GET / HTTP/1.1\r\nHost: phone\r\n\r\n",
    ],
    ids=lambda spoken: spoken[:4].decode(errors="replace"),
)
async def test_a_broken_peer_loses_its_own_connection_and_nobody_elses(spoken: bytes, plug: Plug) -> None:
    bystander, broken = await plug(), await plug()
    await bystander.greet()

    broken.writer.write(spoken)

    assert await broken.ends()
    assert await bystander.run("echo alive") == b"alive\n"


async def test_a_peer_may_open_many_streams_but_not_without_end(plug: Plug) -> None:
    host = await plug()
    await host.greet()
    await host.send(*(Packet(OPEN, number, 0, b"shell:sleep 1000\0") for number in range(1, 400)))

    answers = [await host.receive() for _ in range(1, 400)]

    assert [answer.command for answer in answers].count(OKAY) == 256
    assert [answer.command for answer in answers].count(CLSE) == 399 - 256


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spoken=st.binary(min_size=1, max_size=400))
async def test_any_bytes_at_all_leave_the_phone_alive(spoken: bytes, plug: Plug, crashes: list[BaseException]) -> None:
    broken, host = await plug(), await plug()
    broken.writer.write(spoken)
    broken.writer.write_eof()

    assert await broken.ends()
    await host.greet()
    assert await host.run("echo alive") == b"alive\n"
    assert crashes == []


_WORDS = st.sampled_from([AUTH, CLSE, CNXN, OKAY, OPEN, WRTE])
_PACKETS = st.builds(
    Packet,
    _WORDS,
    st.integers(0, 4),
    st.integers(0, 4),
    st.one_of(
        st.binary(max_size=40),
        st.sampled_from([b"sync:\0", b"shell,v2:cat\0", b"exec:cat\0", b"SEND\xff\xff\xff\x7f", b"STAT\x01\0\0\0/"]),
        st.sampled_from(
            [b"shell:\0", b"shell,v2:\0", b"exit \xc2\xb2\n", b"\0\x08\0\0\0exit \xc2\xb2\n", b"QUIT\0\0\0\0"]
        ),
    ),
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(packets=st.lists(_PACKETS, max_size=12))
async def test_well_formed_nonsense_leaves_the_phone_alive(
    packets: list[Packet], plug: Plug, crashes: list[BaseException]
) -> None:
    broken, host = await plug(), await plug()
    await broken.greet()
    for packet in packets:
        broken.writer.write(encode(packet, is_checked=False))
    broken.writer.write_eof()

    assert await broken.ends()
    await host.greet()
    assert await host.run("echo alive") == b"alive\n"
    assert crashes == []


async def test_a_service_that_crashes_is_told_of_and_closes_its_stream_alone(
    fleet: Fleet, plug: Plug, crashes: list[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    host = await plug()
    await host.greet()
    with monkeypatch.context() as patched:
        patched.setattr(fleet.phones[0], "run", None)
        await host.run("id")
    assert await host.run("echo alive") == b"alive\n"

    assert [type(crash) for crash in crashes] == [TypeError]


def test_the_payload_limit_is_one_that_adb_accepts() -> None:
    assert 4096 <= MAX_PAYLOAD <= 1 << 20
