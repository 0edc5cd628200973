"""What a server process keeps bytes in, by its settings."""

import shutil
from pathlib import Path

import pytest

from corral.config import Secret, ServerConfig
from corral.model.errors import ObjectNotFoundError, StorageUnavailableError
from corral.storage import Store, in_one_piece, open_storage, open_store, storage
from tests.storage.test_store import PNG, sha256


async def test_a_store_that_is_there_passes_its_check(store: Store) -> None:
    await store.check()


async def test_a_bucket_that_is_not_there_fails_it(s3_endpoint: str, bucket: str) -> None:
    with pytest.raises(StorageUnavailableError, match="bucket does not exist"):
        await open_store(f"s3://no-{bucket}?endpoint={s3_endpoint}&region=us-east-1").check()


async def test_a_directory_that_vanished_fails_it_once_it_is_looked_at_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_storage(ServerConfig(data_dir=str(tmp_path)))
    await opened.check()
    shutil.rmtree(tmp_path / "objects")
    await opened.check()  # believed for some seconds

    monkeypatch.setattr(storage, "_BELIEVED_S", 0.0)
    with pytest.raises(StorageUnavailableError):
        await opened.check()


async def test_files_are_kept_beside_the_database_unless_another_store_is_named(tmp_path: Path) -> None:
    config = ServerConfig(data_dir=str(tmp_path / "data"))
    elsewhere = ServerConfig(data_dir=str(tmp_path / "data"), storage_url=Secret(str(tmp_path / "objects")))

    await open_storage(config).store.put("a", in_one_piece(b"a"), limit_bytes=1)
    await open_storage(elsewhere).store.put("b", in_one_piece(b"b"), limit_bytes=1)

    assert (tmp_path / "data" / "objects" / "a").read_bytes() == b"a"
    assert (tmp_path / "objects" / "b").read_bytes() == b"b"
    assert str(tmp_path) not in repr(elsewhere.storage_url)


async def test_what_is_stored_can_be_measured_anew(tmp_path: Path) -> None:
    opened = open_storage(ServerConfig(data_dir=str(tmp_path)))
    receipt = await opened.store.put("a/b.png", in_one_piece(PNG), limit_bytes=len(PNG))

    assert await opened.measure("a/b.png") == receipt
    assert receipt.sha256 == sha256(PNG)
    with pytest.raises(ObjectNotFoundError):
        await opened.measure("none")
