"""Uploads that can be taken up again, into each store."""

import asyncio
import os
import stat
import time
from collections.abc import AsyncGenerator
from datetime import timedelta
from pathlib import Path

import pytest

from corral.model.errors import (
    ChecksumMismatchError,
    InvalidRequestError,
    KeyInvalidError,
    ObjectTooLargeError,
    UploadBusyError,
    UploadIncompleteError,
    UploadNotFoundError,
    UploadOffsetError,
)
from corral.storage import Receipt, Store, Uploads, file_key, in_one_piece
from tests.storage.test_store import keys, read, sha256

APK = b"PK\x03\x04" + os.urandom(700_000)
LIMIT = 1_000_000
HOUR = timedelta(hours=1)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "uploads"


@pytest.fixture
def uploads(directory: Path, store: Store) -> Uploads:
    return Uploads(directory, store=store, limit_bytes=LIMIT)


async def given_received(uploads: Uploads, data: bytes = APK, *, name: str = "app.apk") -> str:
    upload = await uploads.begin(name=name, size_bytes=len(data))
    await uploads.append(upload.upload_id, in_one_piece(data), offset=0)
    return upload.upload_id


def make_idle(directory: Path, *, idle_for: timedelta) -> None:
    then = time.time() - idle_for.total_seconds()
    for path in directory.iterdir():
        os.utime(path, (then, then))


async def test_a_file_arrives_in_pieces_and_is_stored_under_its_contents(uploads: Uploads, store: Store) -> None:
    upload = await uploads.begin(name="app.apk", size_bytes=len(APK), sha256=sha256(APK))
    upload = await uploads.append(upload.upload_id, in_one_piece(APK[:300_000]), offset=0)
    assert upload.offset == 300_000
    upload = await uploads.append(upload.upload_id, in_one_piece(APK[300_000:]), offset=upload.offset)

    receipt = await uploads.finish(upload.upload_id)

    assert receipt.key == file_key(sha256(APK))
    assert receipt.size_bytes == len(APK)
    assert receipt.content_type == "application/vnd.android.package-archive"
    assert await read(store, receipt.key) == APK


async def test_a_wrong_offset_is_answered_with_the_right_one(uploads: Uploads) -> None:
    upload = await uploads.begin(name="a", size_bytes=10)
    await uploads.append(upload.upload_id, in_one_piece(b"0123"), offset=0)

    for offset in (0, 3, 5, -1):
        with pytest.raises(UploadOffsetError) as raised:
            await uploads.append(upload.upload_id, in_one_piece(b"x"), offset=offset)
        assert raised.value.offset == 4

    assert (await uploads.find(upload.upload_id)).offset == 4


async def test_what_came_before_the_line_broke_is_kept_over_a_restart(
    uploads: Uploads, directory: Path, store: Store
) -> None:
    async def broken() -> AsyncGenerator[bytes, None]:
        yield APK[:600_000]
        raise ConnectionResetError

    upload = await uploads.begin(name="app.apk", size_bytes=len(APK))
    with pytest.raises(ConnectionResetError):
        await uploads.append(upload.upload_id, broken(), offset=0)

    restarted = Uploads(directory, store=store, limit_bytes=LIMIT)
    upload = await restarted.find(upload.upload_id)
    assert (upload.name, upload.offset) == ("app.apk", 600_000)
    await restarted.append(upload.upload_id, in_one_piece(APK[600_000:]), offset=upload.offset)
    receipt = await restarted.finish(upload.upload_id)

    assert await read(store, receipt.key) == APK


async def test_equal_files_are_stored_once(uploads: Uploads, store: Store) -> None:
    receipts = [await uploads.finish(await given_received(uploads)) for _ in range(2)]

    assert receipts[0] == receipts[1]
    assert await keys(store) == {receipts[0].key}


async def test_a_finish_asked_for_again_answers_the_same(uploads: Uploads, directory: Path, store: Store) -> None:
    upload_id = await given_received(uploads)
    receipt = await uploads.finish(upload_id)

    restarted = Uploads(directory, store=store, limit_bytes=LIMIT)
    assert await restarted.finish(upload_id) == receipt
    upload = await restarted.find(upload_id)
    assert (upload.receipt, upload.offset) == (receipt, len(APK))
    with pytest.raises(UploadOffsetError):
        await restarted.append(upload_id, in_one_piece(b"x"), offset=0)


async def test_a_file_that_is_not_whole_cannot_be_finished(uploads: Uploads, store: Store) -> None:
    upload = await uploads.begin(name="a", size_bytes=10)
    await uploads.append(upload.upload_id, in_one_piece(b"0123"), offset=0)

    with pytest.raises(UploadIncompleteError) as raised:
        await uploads.finish(upload.upload_id)

    assert raised.value.offset == 4
    assert await keys(store) == set()


async def test_a_file_other_than_announced_is_refused_and_thrown_away(uploads: Uploads, directory: Path) -> None:
    upload = await uploads.begin(name="a", size_bytes=4, sha256=sha256(b"abcd"))
    await uploads.append(upload.upload_id, in_one_piece(b"0123"), offset=0)

    with pytest.raises(ChecksumMismatchError):
        await uploads.finish(upload.upload_id)

    with pytest.raises(UploadNotFoundError):
        await uploads.find(upload.upload_id)
    assert list(directory.iterdir()) == []


async def test_a_claim_to_a_stored_sha256_is_checked_all_the_same(uploads: Uploads) -> None:
    await uploads.finish(await given_received(uploads, b"abcd"))
    upload = await uploads.begin(name="a", size_bytes=4, sha256=sha256(b"abcd"))
    await uploads.append(upload.upload_id, in_one_piece(b"0123"), offset=0)

    with pytest.raises(ChecksumMismatchError):
        await uploads.finish(upload.upload_id)


async def test_more_than_announced_is_refused_and_what_was_there_is_kept(uploads: Uploads) -> None:
    upload = await uploads.begin(name="a", size_bytes=500_000)
    await uploads.append(upload.upload_id, in_one_piece(b"0123"), offset=0)

    async def too_much() -> AsyncGenerator[bytes, None]:
        yield b"x" * 400_000
        yield b"x" * 400_000

    with pytest.raises(ObjectTooLargeError):
        await uploads.append(upload.upload_id, too_much(), offset=4)

    assert (await uploads.find(upload.upload_id)).offset == 4


async def test_an_announcement_is_checked(uploads: Uploads, directory: Path) -> None:
    with pytest.raises(ObjectTooLargeError):
        await uploads.begin(name="a", size_bytes=LIMIT + 1)
    with pytest.raises(InvalidRequestError):
        await uploads.begin(name="a", size_bytes=-1)
    with pytest.raises(KeyInvalidError):
        await uploads.begin(name="a", size_bytes=1, sha256="../../etc/passwd")
    assert list(directory.iterdir()) == []


async def test_an_empty_file_is_a_file(uploads: Uploads, store: Store) -> None:
    upload = await uploads.begin(name="empty", size_bytes=0)

    receipt = await uploads.finish(upload.upload_id)

    assert await read(store, receipt.key) == b""


async def test_two_requests_cannot_write_to_one_upload(uploads: Uploads) -> None:
    upload = await uploads.begin(name="a", size_bytes=10)
    started, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncGenerator[bytes, None]:
        started.set()
        await go_on.wait()
        yield b"0123"

    writing = asyncio.create_task(uploads.append(upload.upload_id, slow(), offset=0))
    await started.wait()
    for act in (
        uploads.append(upload.upload_id, in_one_piece(b"x"), offset=0),
        uploads.finish(upload.upload_id),
        uploads.abandon(upload.upload_id),
    ):
        with pytest.raises(UploadBusyError):
            await act
    go_on.set()

    assert (await writing).offset == 4


@pytest.mark.parametrize("upload_id", ["", "..", "../../etc/passwd", "0" * 31, "0" * 32, "0" * 32 + "\n"])
async def test_an_unknown_upload_is_not_found(uploads: Uploads, upload_id: str) -> None:
    for act in (
        uploads.find(upload_id),
        uploads.append(upload_id, in_one_piece(b"x"), offset=0),
        uploads.finish(upload_id),
        uploads.abandon(upload_id),
    ):
        with pytest.raises(UploadNotFoundError):
            await act


async def test_idle_uploads_expire_and_busy_ones_do_not(uploads: Uploads, directory: Path, store: Store) -> None:
    receipt = await uploads.finish(await given_received(uploads))
    idle = await uploads.begin(name="a", size_bytes=10)
    make_idle(directory, idle_for=2 * HOUR)
    fresh = await uploads.begin(name="b", size_bytes=10)

    assert await uploads.expire(idle_for=HOUR) == 2

    with pytest.raises(UploadNotFoundError):
        await uploads.find(idle.upload_id)
    assert (await uploads.find(fresh.upload_id)).offset == 0
    assert await read(store, receipt.key) == APK


async def test_an_upload_that_is_being_written_does_not_expire(uploads: Uploads, directory: Path) -> None:
    upload = await uploads.begin(name="a", size_bytes=10)
    started, go_on = asyncio.Event(), asyncio.Event()

    async def slow() -> AsyncGenerator[bytes, None]:
        started.set()
        await go_on.wait()
        yield b"0123"

    writing = asyncio.create_task(uploads.append(upload.upload_id, slow(), offset=0))
    await started.wait()
    make_idle(directory, idle_for=2 * HOUR)

    assert await uploads.expire(idle_for=HOUR) == 0
    go_on.set()
    assert (await writing).offset == 4


async def test_an_abandoned_upload_is_gone(uploads: Uploads, directory: Path) -> None:
    await uploads.abandon(await given_received(uploads))

    assert list(directory.iterdir()) == []


async def test_uploads_are_their_owners_alone(uploads: Uploads, directory: Path) -> None:
    await given_received(uploads)

    assert stat.S_IMODE(directory.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in directory.iterdir()} == {0o600}


async def test_what_is_about_to_be_stored_is_told_first(uploads: Uploads, store: Store) -> None:
    upload = await uploads.begin(name="a.txt", size_bytes=1)
    await uploads.append(upload.upload_id, in_one_piece(b"a"), offset=0)
    told: list[tuple[Receipt, bool]] = []

    async def reserve(receipt: Receipt) -> None:
        told.append((receipt, any([found.key == receipt.key async for found in store.list()])))

    receipt = await uploads.finish(upload.upload_id, reserve=reserve)
    await uploads.finish(upload.upload_id, reserve=reserve)

    assert told == [(receipt, False), (receipt, True)]


async def test_a_file_that_was_deleted_since_is_not_said_to_be_there(uploads: Uploads, store: Store) -> None:
    upload = await uploads.begin(name="a.txt", size_bytes=1)
    await uploads.append(upload.upload_id, in_one_piece(b"a"), offset=0)
    receipt = await uploads.finish(upload.upload_id)
    await store.delete(receipt.key)

    with pytest.raises(UploadNotFoundError, match="upload it again"):
        await uploads.finish(upload.upload_id)
