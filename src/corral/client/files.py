"""Input files: what recipes install or push, uploaded once."""

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from corral.client.paging import each_of
from corral.client.transport import Transport, part
from corral.model.errors import ConflictError, ServerUnavailableError, UploadOffsetError
from corral.model.records import InputFile
from corral.wire.files import UPLOAD_OFFSET, FileAnnouncement, FilePage, FileUpload

_CHUNK_BYTES: Final = 4 * 1024 * 1024
_MOST_BREAKS: Final = 10
Progress = Callable[[int, int], None]


class Files:
    """`client.files`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def upload(
        self, path: Path, *, name: str | None = None, progress: Progress | None = None, chunk_bytes: int = _CHUNK_BYTES
    ) -> InputFile:
        """Store a file under its name, or another; recipes then say that name.

        Contents that the server has already are not sent again. A connection that breaks is taken up where the server
        says that it stands, up to ten times in a row. `progress` is told the bytes sent and the bytes there are.
        """
        size_bytes, sha256 = path.stat().st_size, _digest(path)
        announcement = FileAnnouncement(name=name or path.name, size_bytes=size_bytes, sha256=sha256)
        begun = self._transport.send("POST", "/api/files", FileUpload, announcement)
        tell = progress or (lambda _sent, _size: None)
        if begun.file is not None or begun.upload_id is None:
            tell(size_bytes, size_bytes)
            return begun.file or self.get(sha256)
        self._send(path, begun.upload_id, size_bytes=size_bytes, tell=tell, chunk_bytes=chunk_bytes)
        finish = f"/api/files/uploads/{part(begun.upload_id)}/finish"
        return self._transport.send("POST", finish, InputFile, is_repeatable=True)

    def get(self, ref: str) -> InputFile:
        """A file by its name, or by its sha256. Raises NotFoundError."""
        return self._transport.get(f"/api/files/{part(ref)}", InputFile)

    def delete(self, sha256: str) -> None:
        """Delete contents, under all their names."""
        self._transport.delete(f"/api/files/{part(sha256)}")

    def list(self, *, name: str | None = None, most: int | None = None) -> Iterator[InputFile]:
        """Input files, newest first: everything that one name meant, or all."""

        def ask(after: int | None) -> "tuple[list[InputFile], int | None]":
            page = self._transport.get("/api/files", FilePage, {"name": name, "after": after})
            return page.files, page.next

        return each_of(ask, most=most)

    def _send(self, path: Path, upload_id: str, *, size_bytes: int, tell: Progress, chunk_bytes: int) -> None:
        where, offset, breaks = f"/api/files/uploads/{part(upload_id)}", 0, 0
        with path.open("rb") as file:
            tell(0, size_bytes)
            while offset < size_bytes:
                file.seek(offset)
                try:
                    offset = self._append(where, file.read(chunk_bytes), offset=offset)
                    breaks = 0
                except (ServerUnavailableError, ConflictError) as error:
                    breaks += 1
                    if breaks > _MOST_BREAKS or (isinstance(error, ConflictError) and error.code not in _GO_ON):
                        raise
                    offset = self._transport.get(where, FileUpload).offset
                tell(offset, size_bytes)

    def _append(self, where: str, chunk: bytes, *, offset: int) -> int:
        headers = {UPLOAD_OFFSET: str(offset), "content-type": "application/octet-stream"}
        answer = self._transport.ask("PATCH", where, content=chunk, headers=headers)
        return self._transport.decode(answer, FileUpload).offset


# The server got more or less than we heard of, or still writes what we sent: it says where it stands.
_GO_ON: Final = frozenset({UploadOffsetError.code, "upload_busy"})


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
