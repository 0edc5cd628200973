"""What only a bucket has: URLs to give away, credentials to keep, and a network to lose."""

import traceback
import urllib.request
from datetime import timedelta
from email.message import Message
from urllib.parse import parse_qs, urlsplit

import pytest

from corral.model.errors import (
    ChecksumMismatchError,
    KeyInvalidError,
    ObjectExistsError,
    ObjectNotFoundError,
    ObjectTooLargeError,
    StorageUnavailableError,
)
from corral.storage import DirectUpload, Store, open_store
from corral.storage.s3 import S3Store
from tests.storage.conftest import ACCESS_KEY, SECRET_KEY
from tests.storage.test_store import KEY, LIMIT, PNG, assert_nothing_is_left, keys, put, read, sha256

MINUTE = timedelta(minutes=1)


def fetch(url: str) -> tuple[bytes, Message]:
    with urllib.request.urlopen(url) as response:
        return response.read(), response.headers


async def upload_directly(store: Store, data: bytes = PNG) -> DirectUpload:
    direct = await store.presign_put(expires_in=MINUTE)
    assert direct is not None
    request = urllib.request.Request(direct.url, method="PUT", data=data, headers={"Content-Type": "text/html"})
    with urllib.request.urlopen(request) as response:
        assert response.status == 200
    return direct


async def test_a_presigned_url_reads_one_object_for_a_while(s3_store: Store) -> None:
    await put(s3_store)

    url = await s3_store.presign_get(KEY, expires_in=MINUTE)

    assert url is not None
    body, headers = fetch(url)
    assert body == PNG
    assert headers["Content-Type"] == "image/png"
    assert headers["Content-Disposition"].startswith("inline; filename=")
    assert parse_qs(urlsplit(url).query)["X-Amz-Expires"] == ["60"]


async def test_what_could_run_in_a_browser_is_a_download_from_the_bucket_too(s3_store: Store) -> None:
    await put(s3_store, "a/page.html", b"<html><script>alert(1)</script></html>")

    url = await s3_store.presign_get("a/page.html", expires_in=MINUTE)

    assert url is not None
    _, headers = fetch(url)
    assert headers["Content-Type"] == "text/plain"
    assert headers["Content-Disposition"].startswith("attachment;")


async def test_a_direct_upload_is_seen_once_it_is_accepted(s3_store: Store) -> None:
    direct = await upload_directly(s3_store)
    assert await keys(s3_store) == set()

    receipt = await s3_store.accept(
        direct.upload_id, KEY, limit_bytes=LIMIT, size_bytes=len(PNG), sha256=sha256(PNG), filename="shot.png"
    )

    assert (receipt.size_bytes, receipt.sha256, receipt.content_type) == (len(PNG), sha256(PNG), "image/png")
    assert await read(s3_store) == PNG
    await s3_store.delete(KEY)
    await assert_nothing_is_left(s3_store)


async def test_the_holder_of_an_upload_url_cannot_change_what_was_accepted(s3_store: Store) -> None:
    direct = await upload_directly(s3_store)
    await s3_store.accept(direct.upload_id, KEY, limit_bytes=LIMIT)

    with urllib.request.urlopen(urllib.request.Request(direct.url, method="PUT", data=b"forged")):
        pass

    assert await read(s3_store) == PNG
    with pytest.raises(ObjectExistsError):
        await s3_store.accept(direct.upload_id, KEY, limit_bytes=LIMIT)
    assert await read(s3_store) == PNG


async def test_a_direct_upload_that_is_not_what_was_announced_is_thrown_away(s3_store: Store) -> None:
    direct = await upload_directly(s3_store)
    with pytest.raises(ChecksumMismatchError):
        await s3_store.accept(direct.upload_id, KEY, limit_bytes=LIMIT, sha256=sha256(b"other"))
    await assert_nothing_is_left(s3_store)

    direct = await upload_directly(s3_store)
    with pytest.raises(ObjectTooLargeError):
        await s3_store.accept(direct.upload_id, KEY, limit_bytes=10)
    await assert_nothing_is_left(s3_store)


async def test_a_direct_upload_that_never_came_is_not_found(s3_store: Store) -> None:
    direct = await s3_store.presign_put(expires_in=MINUTE)
    assert direct is not None

    with pytest.raises(ObjectNotFoundError):
        await s3_store.accept(direct.upload_id, KEY, limit_bytes=LIMIT)


@pytest.mark.parametrize("upload_id", ["", "..", "../x", "a/../../x", "a\0"])
async def test_an_upload_id_is_no_path(s3_store: Store, upload_id: str) -> None:
    with pytest.raises(KeyInvalidError):
        await s3_store.accept(upload_id, KEY, limit_bytes=LIMIT)


async def test_direct_uploads_that_nobody_accepts_are_swept(s3_store: Store) -> None:
    await upload_directly(s3_store)

    assert await s3_store.sweep(older_than=timedelta(hours=1)) == 0
    assert await s3_store.sweep(older_than=timedelta(seconds=-60)) == 1


async def test_a_url_that_writes_is_in_no_repr(s3_store: Store) -> None:
    direct = await s3_store.presign_put(expires_in=MINUTE)
    assert direct is not None

    assert "Signature" in direct.url
    assert "Signature" not in repr(direct) + str(direct)


async def test_credentials_are_in_no_repr_and_no_error(bucket: str) -> None:
    store = open_store(f"s3://{bucket}?endpoint=http://127.0.0.1:9&region=us-east-1")

    with pytest.raises(StorageUnavailableError) as raised:
        await store.stat(KEY)

    told = repr(store) + "".join(traceback.format_exception(raised.value))
    assert SECRET_KEY not in told
    assert ACCESS_KEY not in told
    assert len(str(raised.value)) < 200


async def test_a_store_that_is_away_is_told_as_such(bucket: str) -> None:
    store = open_store(f"s3://{bucket}?endpoint=http://127.0.0.1:9&region=us-east-1")

    for act in (store.get(KEY), store.delete(KEY), put(store), keys(store), store.check()):
        with pytest.raises(StorageUnavailableError):
            await act


async def test_two_prefixes_of_one_bucket_are_two_stores(s3_endpoint: str, bucket: str) -> None:
    one, other = (open_store(f"s3://{bucket}/{name}?endpoint={s3_endpoint}&region=us-east-1") for name in ("a", "b"))
    await put(one)

    assert await keys(one) == {KEY}
    assert await keys(other) == set()


@pytest.mark.parametrize("single_put_bytes", [1, LIMIT])
async def test_a_store_without_conditions_still_refuses_a_taken_key(
    s3_endpoint: str, bucket: str, single_put_bytes: int
) -> None:
    store = S3Store(
        bucket, endpoint=s3_endpoint, region="us-east-1", is_conditional=False, single_put_bytes=single_put_bytes
    )
    await put(store)

    with pytest.raises(ObjectExistsError):
        await put(store, data=b"something else")

    assert await read(store) == PNG
