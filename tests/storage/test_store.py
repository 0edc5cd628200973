"""What every store promises, on each of them."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta

import pytest

from corral.model.errors import (
    ChecksumMismatchError,
    KeyInvalidError,
    ObjectExistsError,
    ObjectNotFoundError,
    ObjectTooLargeError,
    RangeInvalidError,
)
from corral.storage import Receipt, Store, in_one_piece

KEY = "_/node-1/192.168.0.7:5555/0190b0a6-5d3c-7a10-8000-000000000001/20260102T030405678Z-0123abcd.png"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8
LIMIT = 64 * 1024 * 1024

NOT_KEYS = [
    "",
    "/",
    "/etc/passwd",
    "../secret",
    "a/../../b",
    "a/./b",
    "a//b",
    "a/",
    "a\\b",
    "a\0b",
    "a\nb",
    "C:/x/..",
    ".incoming/x",
    ".hidden",
    "%2e%2e/x",
    "a/\uff0e\uff0e/b",
    "a\u2215b",
    "\u0430bc",
    "a" * 600,
    "a" * 129,
]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


async def put(store: Store, key: str = KEY, data: bytes = PNG) -> Receipt:
    return await store.put(key, in_one_piece(data), limit_bytes=LIMIT)


async def read(store: Store, key: str = KEY) -> bytes:
    return await (await store.get(key)).read()


async def keys(store: Store, prefix: str = "") -> set[str]:
    return {found.key async for found in store.list(prefix)}


async def assert_nothing_is_left(store: Store) -> None:
    assert await keys(store) == set()
    assert await store.sweep(older_than=timedelta(seconds=-60)) == 0


async def test_what_is_put_is_measured_and_read_back(store: Store) -> None:
    receipt = await store.put(KEY, in_one_piece(PNG), limit_bytes=LIMIT, size_bytes=len(PNG), sha256=sha256(PNG))

    assert receipt == Receipt(KEY, len(PNG), sha256(PNG), "image/png")
    content = await store.get(KEY)
    assert (content.size_bytes, content.start, content.length) == (len(PNG), 0, len(PNG))
    assert await content.read() == PNG


async def test_stat_tells_size_and_time(store: Store) -> None:
    await put(store)

    found = await store.stat(KEY)

    assert (found.key, found.size_bytes) == (KEY, len(PNG))
    assert abs(found.modified_at - datetime.now(UTC)) < timedelta(minutes=1)


@pytest.mark.parametrize("size", [0, 1, 12 * 1024 * 1024 + 7], ids=["empty", "one byte", "12 MiB"])
async def test_objects_of_any_size_come_back_whole(store: Store, size: int) -> None:
    data = (b"0123456789abcdef" * (size // 16 + 1))[:size]

    async def pieces() -> AsyncGenerator[bytes, None]:
        for start in range(0, size, 100_003):
            yield data[start : start + 100_003]

    receipt = await store.put(KEY, pieces(), limit_bytes=LIMIT)

    assert (receipt.size_bytes, receipt.sha256) == (size, sha256(data))
    assert await read(store) == data


@pytest.mark.parametrize(
    ("start", "length", "expected"),
    [(0, 4, PNG[:4]), (5, 10, PNG[5:15]), (2000, None, PNG[2000:]), (2000, 10_000, PNG[2000:]), (2055, 1, PNG[2055:])],
)
async def test_a_range_can_be_read(store: Store, start: int, length: int | None, expected: bytes) -> None:
    await put(store)

    content = await store.get(KEY, start=start, length=length)

    assert (content.size_bytes, content.start, content.length) == (len(PNG), start, len(expected))
    assert await content.read() == expected


@pytest.mark.parametrize(("start", "length"), [(len(PNG), None), (10**9, 5), (0, 0), (-1, None)])
async def test_a_range_that_is_none_says_how_much_there_is(store: Store, start: int, length: int | None) -> None:
    await put(store)

    with pytest.raises(RangeInvalidError) as raised:
        await store.get(KEY, start=start, length=length)

    assert raised.value.size_bytes == len(PNG)


async def test_a_range_from_the_start_of_an_empty_object_is_empty(store: Store) -> None:
    await put(store, data=b"")

    assert await (await store.get(KEY, start=0, length=10)).read() == b""


async def test_reading_can_stop_in_the_middle(store: Store) -> None:
    await put(store, data=b"x" * 3_000_000)

    async with await store.get(KEY) as content:
        async for chunk in content:
            assert chunk
            break
    async with await store.get(KEY):
        pass


async def test_what_is_not_there_is_not_found(store: Store) -> None:
    for act in (store.get(KEY), store.get(KEY, start=3), store.stat(KEY)):
        with pytest.raises(ObjectNotFoundError):
            await act


async def test_a_taken_key_keeps_what_it_has(store: Store) -> None:
    await put(store)

    with pytest.raises(ObjectExistsError):
        await put(store, data=b"something else")

    assert await read(store) == PNG


async def test_of_several_writers_of_one_key_exactly_one_wins(store: Store) -> None:
    gate = asyncio.Barrier(8)

    async def slowly(data: bytes) -> AsyncGenerator[bytes, None]:
        yield data
        # Every writer has seen the key free before any of them may go on.
        await gate.wait()

    contents = [b"writer %d" % number for number in range(8)]
    outcomes = await asyncio.gather(
        *(store.put(KEY, slowly(data), limit_bytes=LIMIT) for data in contents), return_exceptions=True
    )

    receipts = [outcome for outcome in outcomes if isinstance(outcome, Receipt)]
    assert len(receipts) == 1
    assert [type(outcome) for outcome in outcomes if not isinstance(outcome, Receipt)] == [ObjectExistsError] * 7
    assert sha256(await read(store)) == receipts[0].sha256
    await store.delete(KEY)
    await assert_nothing_is_left(store)


async def test_reading_stops_at_the_first_byte_over_the_limit(store: Store) -> None:
    asked_for = 0

    async def endless() -> AsyncGenerator[bytes, None]:
        nonlocal asked_for
        while True:
            asked_for += 1
            yield b"x" * 1000

    with pytest.raises(ObjectTooLargeError) as raised:
        await store.put(KEY, endless(), limit_bytes=10_000)

    assert (raised.value.limit_bytes, asked_for) == (10_000, 11)
    await assert_nothing_is_left(store)


async def test_an_announcement_over_the_limit_is_refused_unread(store: Store) -> None:
    was_read = False

    async def source() -> AsyncGenerator[bytes, None]:
        nonlocal was_read
        was_read = True
        yield PNG

    with pytest.raises(ObjectTooLargeError):
        await store.put(KEY, source(), limit_bytes=10, size_bytes=11)

    assert not was_read


async def test_more_bytes_than_announced_are_refused(store: Store) -> None:
    with pytest.raises(ObjectTooLargeError):
        await store.put(KEY, in_one_piece(PNG), limit_bytes=LIMIT, size_bytes=len(PNG) - 1)

    await assert_nothing_is_left(store)


async def test_fewer_bytes_than_announced_are_refused(store: Store) -> None:
    with pytest.raises(ChecksumMismatchError) as raised:
        await store.put(KEY, in_one_piece(PNG), limit_bytes=LIMIT, size_bytes=len(PNG) + 1)

    assert raised.value.code == "size_mismatch"
    await assert_nothing_is_left(store)


async def test_other_bytes_than_announced_are_refused(store: Store) -> None:
    with pytest.raises(ChecksumMismatchError):
        await store.put(KEY, in_one_piece(PNG), limit_bytes=LIMIT, size_bytes=len(PNG), sha256=sha256(b"other"))

    await assert_nothing_is_left(store)


async def test_a_stream_that_breaks_off_leaves_nothing(store: Store) -> None:
    async def broken() -> AsyncGenerator[bytes, None]:
        yield b"x" * 1_000_000
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await store.put(KEY, broken(), limit_bytes=LIMIT)

    await assert_nothing_is_left(store)


async def test_a_put_that_is_cancelled_leaves_nothing(store: Store) -> None:
    started = asyncio.Event()

    async def stuck() -> AsyncGenerator[bytes, None]:
        yield b"x" * 1_000_000
        started.set()
        await asyncio.Event().wait()

    writing = asyncio.create_task(store.put(KEY, stuck(), limit_bytes=LIMIT))
    await started.wait()
    assert await keys(store) == set()
    writing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await writing

    await assert_nothing_is_left(store)


async def test_a_deleted_object_is_gone_and_its_key_is_free(store: Store) -> None:
    await put(store)

    await store.delete(KEY)
    await store.delete(KEY)

    with pytest.raises(ObjectNotFoundError):
        await store.stat(KEY)
    await put(store, data=b"again")
    assert await read(store) == b"again"


async def test_a_list_holds_what_is_below_a_folder(store: Store) -> None:
    for key in ("a/b/1", "a/b/2", "a/bc/3", "d"):
        await put(store, key)

    assert await keys(store) == {"a/b/1", "a/b/2", "a/bc/3", "d"}
    assert await keys(store, "a/b") == await keys(store, "a/b/") == {"a/b/1", "a/b/2"}
    assert await keys(store, "nowhere") == set()


@pytest.mark.parametrize("key", NOT_KEYS, ids=ascii)
async def test_what_is_no_key_is_refused_by_every_method(store: Store, key: str) -> None:
    with pytest.raises(KeyInvalidError):
        await put(store, key)
    with pytest.raises(KeyInvalidError):
        await store.get(key)
    with pytest.raises(KeyInvalidError):
        await store.stat(key)
    with pytest.raises(KeyInvalidError):
        await store.delete(key)
    with pytest.raises(KeyInvalidError):
        await store.presign_get(key, expires_in=timedelta(minutes=1))
    if key.strip("/") not in {"", "a"}:
        with pytest.raises(KeyInvalidError):
            await keys(store, key)


async def test_an_announced_sha256_that_is_none_is_refused(store: Store) -> None:
    with pytest.raises(KeyInvalidError, match="sha256"):
        await store.put(KEY, in_one_piece(PNG), limit_bytes=LIMIT, sha256="ABC")
