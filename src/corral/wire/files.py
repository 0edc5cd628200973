"""Input files: uploading them in one piece or bit by bit, and finding them by name or sha256."""

from typing import Annotated, Final

from msgspec import Meta, Struct

from corral.model.records import InputFile
from corral.wire.artifacts import Sha256, Size

UPLOAD_OFFSET: Final = "Upload-Offset"

# One part of a path, and nothing that is invisible. A sha256 would be ambiguous, and /api/files/uploads is a route.
FILE_NAME: Final = r"^(?!uploads$|\.\.?$)(?![0-9a-f]{64}$)[^/\\\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]{1,200}$"
FileName = Annotated[str, Meta(pattern=FILE_NAME)]


class FileAnnouncement(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that is to be uploaded. With its sha256, contents that are stored already need not travel."""

    name: FileName
    size_bytes: Size
    sha256: Sha256 | None = None


class FileUpload(Struct, frozen=True, kw_only=True):
    """An upload: PATCH the bytes from `offset` on, then finish it. Or the file, where nothing is left to upload."""

    upload_id: str | None
    offset: int
    size_bytes: int
    file: InputFile | None = None


class FilePage(Struct, frozen=True, kw_only=True):
    """Files, newest first; `next` is the `after` of the following page, null on the last."""

    files: list[InputFile]
    next: int | None
