"""Objects in a bucket of an S3-compatible store, through obstore.

A stream is first measured and checked here (in memory, from 8 MiB on in an unlinked temporary file), so that the
bucket only ever sees bytes known to be right. Credentials come from the environment and are never held by this code.
"""

from __future__ import annotations

import tempfile
from collections.abc import AsyncGenerator, AsyncIterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import IO, TYPE_CHECKING, Final
from uuid import uuid4

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import S3Store as Bucket

from corral.model.errors import (
    ObjectExistsError,
    ObjectNotFoundError,
    StorageError,
    StorageUnavailableError,
)
from corral.storage.files import in_thread, named_os_errors
from corral.storage.intake import Intake
from corral.storage.keys import INCOMING, check_key, check_prefix
from corral.storage.sniff import content_disposition
from corral.storage.store import CHUNK_BYTES, Content, DirectUpload, Receipt, Stat, clamp_range

if TYPE_CHECKING:
    from obstore import GetOptions, GetResult, ObjectMeta

# Up to here one conditional PUT; above, a multipart upload out of sight and a conditional copy.
SINGLE_PUT_BYTES: Final = 8 * 1024 * 1024


class S3Store:
    """See Store. The bucket must honour `If-None-Match: *`, as AWS and MinIO do.

    For one that answers such requests with an error there is `is_conditional=False`: a taken key is then still
    refused, but of two writers at the same instant the later wins.
    """

    def __init__(
        self,
        bucket: str,
        *,
        prefix: str = "",
        endpoint: str | None = None,
        region: str | None = None,
        is_virtual_hosted: bool = False,
        is_conditional: bool = True,
        single_put_bytes: int = SINGLE_PUT_BYTES,
    ) -> None:
        self._name = f"s3://{bucket}/{prefix}"
        self._is_conditional = is_conditional
        self._single_put_bytes = single_put_bytes
        self._bucket = Bucket(
            bucket,
            prefix=prefix or None,
            config={
                "copy_if_not_exists": "multipart",
                "virtual_hosted_style_request": is_virtual_hosted,
                **({"endpoint": endpoint} if endpoint else {}),
                **({"region": region} if region else {}),
            },
            client_options={
                "allow_http": endpoint is not None and endpoint.startswith("http://"),
                "connect_timeout": timedelta(seconds=5),
                "read_timeout": timedelta(seconds=30),
                # For the whole of a request: a large object may take its time while bytes keep coming.
                "timeout": timedelta(hours=1),
            },
            retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=20)},
        )

    def __repr__(self) -> str:
        return f"S3Store({self._name!r})"

    async def put(
        self,
        key: str,
        source: AsyncIterable[bytes],
        *,
        limit_bytes: int,
        size_bytes: int | None = None,
        sha256: str | None = None,
        filename: str = "",
    ) -> Receipt:
        check_key(key)
        intake = Intake(limit_bytes=limit_bytes, size_bytes=size_bytes, sha256=sha256)
        # Before the bytes travel; and all there is against overwriting where a store ignores conditions.
        if await self._is_taken(key):
            raise ObjectExistsError(f"{key} is taken")
        with tempfile.SpooledTemporaryFile(max_size=self._single_put_bytes) as spool:
            async for batch in intake.batches(source):
                await in_thread(_spool, spool, intake, batch)
            receipt = intake.receipt(key, filename=filename)
            spool.seek(0)
            if receipt.size_bytes <= self._single_put_bytes:
                await self._put_small(receipt, await in_thread(spool.read), filename=filename)
            else:
                await self._put_large(receipt, spool)
        return receipt

    async def get(self, key: str, *, start: int = 0, length: int | None = None) -> Content:
        check_key(key)
        if start or length is not None:
            # Asking first tells a range past the end from any other error; objects do not change in between.
            size_bytes = (await self.stat(key)).size_bytes
            length = clamp_range(size_bytes, start=start, length=length)
        return await self._get(key, start=start, length=length)

    async def stat(self, key: str) -> Stat:
        with _named_errors(check_key(key)):
            return _stat_of(await obstore.head_async(self._bucket, key))

    async def delete(self, key: str) -> None:
        await self._delete(check_key(key))

    async def list(self, prefix: str = "") -> AsyncGenerator[Stat, None]:
        async for found in self._list(check_prefix(prefix)):
            if not found.key.startswith(f"{INCOMING}/"):
                yield found

    async def presign_get(self, key: str, *, expires_in: timedelta) -> str | None:
        """The store serves it with the type and disposition that `put` recorded."""
        with _named_errors(check_key(key)):
            return await obstore.sign_async(self._bucket, "GET", key, expires_in)

    async def presign_put(self, *, expires_in: timedelta) -> DirectUpload | None:
        """Not to the key itself: whoever holds the URL could overwrite what was checked until it expires."""
        upload_id = uuid4().hex
        with _named_errors("a direct upload"):
            url = await obstore.sign_async(self._bucket, "PUT", _incoming(upload_id), expires_in)
        return DirectUpload(upload_id, url)

    async def accept(
        self,
        upload_id: str,
        key: str,
        *,
        limit_bytes: int,
        size_bytes: int | None = None,
        sha256: str | None = None,
        filename: str = "",
    ) -> Receipt:
        incoming = _incoming(upload_id)
        try:
            receipt = await self.put(
                key,
                self._whole(incoming),
                limit_bytes=limit_bytes,
                size_bytes=size_bytes,
                sha256=sha256,
                filename=filename,
            )
        except (StorageUnavailableError, ObjectNotFoundError):
            raise
        except StorageError:
            await self._delete(incoming)
            raise
        await self._delete(incoming)
        return receipt

    async def check(self) -> None:
        try:
            with _named_errors("listing its bucket: does it exist?"):
                async for _ in obstore.list(self._bucket, prefix=INCOMING):
                    return
        except ObjectNotFoundError as error:
            raise StorageUnavailableError("the store's bucket does not exist") from error

    async def sweep(self, *, older_than: timedelta) -> int:
        before = datetime.now(UTC) - older_than
        left = [found.key async for found in self._list(INCOMING) if found.modified_at < before]
        for key in left:
            await self._delete(key)
        return len(left)

    async def _put_small(self, receipt: Receipt, data: bytes, *, filename: str) -> None:
        name = filename or receipt.key.rpartition("/")[2]
        with _named_errors(receipt.key):
            await obstore.put_async(
                self._bucket,
                receipt.key,
                data,
                mode="create" if self._is_conditional else "overwrite",
                attributes={
                    "Content-Type": receipt.content_type,
                    "Content-Disposition": content_disposition(receipt.content_type, name),
                },
            )

    async def _put_large(self, receipt: Receipt, spool: IO[bytes]) -> None:
        """A multipart upload cannot be made conditional by obstore, a copy can; it loses the content type, safely."""
        incoming = _incoming(uuid4().hex)
        try:
            with _named_errors(receipt.key):
                await obstore.put_async(self._bucket, incoming, spool, use_multipart=True, max_concurrency=4)
                await obstore.copy_async(self._bucket, incoming, receipt.key, overwrite=not self._is_conditional)
        finally:
            # Best effort: whatever goes wrong here is left to `sweep`, and must not hide how the copy went.
            with suppress(StorageError):
                await self._delete(incoming)

    async def _get(self, key: str, *, start: int = 0, length: int | None = None) -> Content:
        # No range for a length of 0 either: there is none in an empty object, which is then all there is to read.
        options: GetOptions = {"range": (start, start + length)} if length else {}
        with _named_errors(key):
            result = await obstore.get_async(self._bucket, key, options=options)
        first, end = result.range
        return Content(_read(result, key=key), size_bytes=result.meta["size"], start=first, length=end - first)

    async def _whole(self, key: str) -> AsyncGenerator[bytes, None]:
        async for chunk in await self._get(key):
            yield chunk

    async def _is_taken(self, key: str) -> bool:
        try:
            await self.stat(key)
        except ObjectNotFoundError:
            return False
        return True

    async def _delete(self, key: str) -> None:
        with suppress(ObjectNotFoundError), _named_errors(key):
            await obstore.delete_async(self._bucket, key)

    async def _list(self, prefix: str) -> AsyncGenerator[Stat, None]:
        with _named_errors(prefix):
            async for batch in obstore.list(self._bucket, prefix=prefix or None):
                for meta in batch:
                    yield _stat_of(meta)


def _incoming(upload_id: str) -> str:
    return f"{INCOMING}/{check_key(upload_id)}"


def _spool(spool: IO[bytes], intake: Intake, batch: bytes) -> None:
    intake.hash(batch)
    with named_os_errors("the disk"):
        spool.write(batch)


async def _read(result: GetResult, *, key: str) -> AsyncGenerator[bytes, None]:
    with _named_errors(key):
        async for chunk in result.stream(min_chunk_size=CHUNK_BYTES):
            yield bytes(chunk)


def _stat_of(meta: ObjectMeta) -> Stat:
    return Stat(meta["path"], meta["size"], meta["last_modified"])


@contextmanager
def _named_errors(what: str) -> Iterator[None]:
    """Turn obstore's errors into ours. Their texts are pages long, so they are the cause and not the message."""
    try:
        yield
    except FileNotFoundError:
        raise ObjectNotFoundError(f"there is no {what}") from None
    except (AlreadyExistsError, PreconditionError):
        raise ObjectExistsError(f"{what} is taken") from None
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise StorageUnavailableError("the store refuses Corral's credentials", code="storage_denied") from error
    except (BaseError, OSError) as error:
        raise StorageUnavailableError(f"the store cannot be reached, or failed at {what}") from error
