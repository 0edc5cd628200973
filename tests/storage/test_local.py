"""What only a directory can get wrong: file modes, links that lead out of it, crashes, folders left behind."""

import asyncio
import os
import stat
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from corral.model.errors import ObjectExistsError, ObjectNotFoundError, StorageError, StorageUnavailableError
from corral.storage import Store, in_one_piece, open_store
from corral.storage.keys import INCOMING
from tests.storage.test_store import KEY, PNG, keys, put, read

WRITE_FOR_EVER = """
import asyncio, sys
from corral.storage import open_store

async def endless():
    yield b"x" * 1_000_000
    yield b"x" * 1_000_000
    print("writing", flush=True)
    await asyncio.Event().wait()

asyncio.run(open_store(sys.argv[1]).put("a/b", endless(), limit_bytes=10**9))
"""


@pytest.fixture
def root(local_store: Store, tmp_path: Path) -> Path:
    return tmp_path / "objects"


async def test_files_and_folders_are_their_owners_alone(local_store: Store, root: Path) -> None:
    previous = os.umask(0)
    try:
        await put(local_store)
    finally:
        os.umask(previous)

    modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [root, *root.rglob("*")]}
    assert {modes[path] for path in modes if path.is_dir()} == {0o700}
    assert {modes[path] for path in modes if path.is_file()} == {0o600}


async def test_a_linked_file_is_not_read(local_store: Store, root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (root / "link").symlink_to(tmp_path / "secret")

    with pytest.raises(StorageError):
        await local_store.get("link")
    with pytest.raises(ObjectNotFoundError):
        await local_store.stat("link")
    with pytest.raises(ObjectExistsError):
        await put(local_store, "link")
    assert await keys(local_store) == set()
    assert (tmp_path / "secret").read_text() == "secret"


async def test_a_linked_folder_is_not_entered(local_store: Store, root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_text("secret")
    (root / "a").symlink_to(outside)

    with pytest.raises(ObjectNotFoundError):
        await local_store.get("a/secret")
    with pytest.raises(ObjectNotFoundError):
        await local_store.stat("a/secret")
    with pytest.raises(StorageError):
        await put(local_store, "a/new")
    with pytest.raises(StorageError):
        await put(local_store, "a/b/new")
    await local_store.delete("a/secret")
    assert await keys(local_store) == await keys(local_store, "a") == set()
    assert [path.name for path in outside.iterdir()] == ["secret"]


async def test_a_long_list_is_whole_and_holds_only_what_can_have_a_key(local_store: Store, root: Path) -> None:
    expected = {f"many/{number % 7}/{number}" for number in range(1200)}
    for key in [*expected, "many/1/.DS_Store", "many/.git/x", "many/a b"]:
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        (root / key).touch()

    assert await keys(local_store, "many") == await keys(local_store) == expected


async def test_pipes_and_folders_are_no_objects(local_store: Store, root: Path) -> None:
    os.mkfifo(root / "pipe")
    (root / "folder").mkdir()

    for name in ("pipe", "folder"):
        with pytest.raises(ObjectNotFoundError):
            await local_store.get(name)
        with pytest.raises(ObjectNotFoundError):
            await local_store.stat(name)
    assert await keys(local_store) == set()


async def test_an_object_cannot_be_a_folder_too(local_store: Store) -> None:
    await put(local_store, "a")

    with pytest.raises(StorageError):
        await put(local_store, "a/b")
    with pytest.raises(ObjectNotFoundError):
        await local_store.get("a/b")


async def test_a_writer_killed_in_the_middle_leaves_nothing_to_see_and_its_leftover_is_swept(
    local_store: Store, root: Path
) -> None:
    with subprocess.Popen([sys.executable, "-c", WRITE_FOR_EVER, str(root)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"writing\n"
        writer.kill()

    assert await keys(local_store) == set()
    assert len(list((root / INCOMING).iterdir())) == 1
    assert await local_store.sweep(older_than=timedelta(hours=1)) == 0
    assert await local_store.sweep(older_than=timedelta(seconds=-60)) == 1
    assert list((root / INCOMING).iterdir()) == []
    await put(local_store, "a/b")


async def test_folders_emptied_by_a_delete_go_with_it(local_store: Store, root: Path) -> None:
    await put(local_store, "a/b/c/1")
    await put(local_store, "a/2")

    await local_store.delete("a/b/c/1")

    assert sorted(path.name for path in (root / "a").iterdir()) == ["2"]


async def test_puts_and_deletes_of_neighbours_do_not_disturb_each_other(local_store: Store) -> None:
    async def put_and_delete(name: str) -> None:
        for _ in range(40):
            await put(local_store, f"a/b/{name}")
            await local_store.delete(f"a/b/{name}")

    await asyncio.gather(*(put_and_delete(str(number)) for number in range(4)))

    assert await keys(local_store) == set()


async def test_a_store_opened_again_has_what_it_had(local_store: Store, root: Path) -> None:
    await put(local_store)

    assert await read(open_store(f"file://{root}")) == PNG


async def test_a_directory_has_no_urls(local_store: Store) -> None:
    await put(local_store)

    assert await local_store.presign_get(KEY, expires_in=timedelta(minutes=1)) is None
    assert await local_store.presign_put(expires_in=timedelta(minutes=1)) is None
    with pytest.raises(ObjectNotFoundError):
        await local_store.accept("0123", "a/b", limit_bytes=10)


async def test_a_write_that_the_disk_refuses_is_told_and_leaves_nothing(local_store: Store, root: Path) -> None:
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(StorageUnavailableError):
            await local_store.put("a", in_one_piece(b"x" * 1_000_000), limit_bytes=10**7)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, previous)

    assert list((root / INCOMING).iterdir()) == []
