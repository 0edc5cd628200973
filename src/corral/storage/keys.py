"""The names of stored objects, built and parsed from validated parts. Nothing here touches a store.

Artifacts: `{youtube_video_id or _}/{node_id}/{device_serial}/{run_id}/{timestamp}-{tag}.{extension}`.
Input files: `files/sha256/ab/abcdef…`, so that equal contents are one object.

The timestamp has milliseconds, and the tag is eight random hex digits: two artifacts of one device in the same
instant have two keys. A retried upload must therefore send the key that it was first given, and not make another.
"""

import re
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Self
from uuid import UUID

from corral.model.errors import KeyInvalidError

MAX_KEY_LENGTH: Final = 512
# Where stores keep what is not yet whole. No public key starts with a dot, so none can name what is in it.
INCOMING: Final = ".incoming"
NO_VIDEO: Final = "_"

# Every pattern lists ASCII characters one by one: look-alikes, controls, separators and `..` have no way in.
_VIDEO_ID: Final = re.compile(r"[A-Za-z0-9_-]{11}")
_NODE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_SERIAL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}")
_RUN_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIMESTAMP: Final = re.compile(r"[0-9]{8}T[0-9]{9}Z")
_TAG: Final = re.compile(r"[0-9a-f]{8}")
_EXTENSION: Final = re.compile(r"[a-z0-9]{1,8}")
_FILE_NAME: Final = re.compile(r"(?P<timestamp>[^-]*)-(?P<tag>[^.]*)\.(?P<extension>.*)", re.DOTALL)
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_SEGMENT: Final = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._:@-]{0,127}")

_ARTIFACT_PARTS: Final = 5
_SHOWN_CHARACTERS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactKey:
    """One artifact's key. Making one checks every part and raises KeyInvalidError, whose path names the part."""

    youtube_video_id: str | None = None
    node_id: str
    device_serial: str
    run_id: UUID
    at: datetime
    tag: str = field(default_factory=lambda: secrets.token_hex(4))
    extension: str = "png"

    def __post_init__(self) -> None:
        if self.youtube_video_id is not None:
            _check("youtube_video_id", self.youtube_video_id, _VIDEO_ID)
        _check("node_id", self.node_id, _NODE_ID)
        _check("device_serial", self.device_serial, _SERIAL)
        _check("tag", self.tag, _TAG)
        _check("extension", self.extension, _EXTENSION)
        if self.at.tzinfo is None:
            raise KeyInvalidError("an artifact's time needs a time zone", path="at")
        instant = self.at.astimezone(UTC)
        object.__setattr__(self, "at", instant.replace(microsecond=instant.microsecond // 1000 * 1000))

    def __str__(self) -> str:
        # Not strftime's %Y, which leaves out leading zeros on some platforms.
        at = self.at
        timestamp = f"{at.year:04}{at:%m%dT%H%M%S}{at.microsecond // 1000:03}Z"
        video = self.youtube_video_id or NO_VIDEO
        return f"{video}/{self.node_id}/{self.device_serial}/{self.run_id}/{timestamp}-{self.tag}.{self.extension}"

    @classmethod
    def parse(cls, key: str) -> Self:
        """Read a key that somebody sent. The result, as text, is exactly the key given."""
        parts = _check_length(key).split("/")
        if len(parts) != _ARTIFACT_PARTS:
            raise KeyInvalidError(f"an artifact's key has {_ARTIFACT_PARTS} parts, not {len(parts)}", path="key")
        video, node_id, serial, run_id, name = parts
        matched = _FILE_NAME.fullmatch(name)
        if matched is None:
            raise KeyInvalidError("the last part must be {timestamp}-{tag}.{extension}", path="name")
        return cls(
            youtube_video_id=None if video == NO_VIDEO else video,
            node_id=node_id,
            device_serial=serial,
            run_id=UUID(_check("run_id", run_id, _RUN_ID)),
            at=_parse_timestamp(matched["timestamp"]),
            tag=matched["tag"],
            extension=matched["extension"],
        )


def file_key(sha256: str) -> str:
    """The key of the input file with these contents."""
    check_sha256(sha256)
    return f"files/sha256/{sha256[:2]}/{sha256}"


def parse_file_key(key: str) -> str:
    """The sha256 that an input file's key speaks of."""
    sha256 = key.rpartition("/")[2]
    if _SHA256.fullmatch(sha256) is None or key != file_key(sha256):
        raise KeyInvalidError("an input file's key is files/sha256/ab/abcdef…", path="key")
    return sha256


def check_sha256(sha256: str) -> str:
    """Return what was given if it is a sha256 in lower-case hex."""
    return _check("sha256", sha256, _SHA256)


def check_key(key: str) -> str:
    """Return what was given if a store may use it as a key; every store asks this of every key."""
    for part in _check_length(key).split("/"):
        _check("key", part, _SEGMENT)
    return key


def is_segment(name: str) -> bool:
    """Whether a name can be one part of a key: what else lies about in a store's directory is not ours."""
    return _SEGMENT.fullmatch(name) is not None


def check_prefix(prefix: str) -> str:
    """Return the folder named, without its trailing slash; empty for everything."""
    return check_key(prefix.removesuffix("/")) if prefix else ""


def _parse_timestamp(text: str) -> datetime:
    _check("timestamp", text, _TIMESTAMP)
    try:
        # Python reads %f as a fraction, so three digits are milliseconds.
        return datetime.strptime(text, "%Y%m%dT%H%M%S%fZ").replace(tzinfo=UTC)
    except ValueError:
        raise KeyInvalidError(f"timestamp is no point in time: {text}", path="timestamp") from None


def _check_length(key: str) -> str:
    if not key:
        raise KeyInvalidError("a key must not be empty", path="key")
    if len(key) > MAX_KEY_LENGTH:
        raise KeyInvalidError(f"a key has at most {MAX_KEY_LENGTH} characters, not {len(key)}", path="key")
    return key


def _check(part: str, value: str, pattern: re.Pattern[str]) -> str:
    if pattern.fullmatch(value) is None:
        shown = ascii(value[:_SHOWN_CHARACTERS]) + ("…" if len(value) > _SHOWN_CHARACTERS else "")
        raise KeyInvalidError(f"{part} is not of the form {pattern.pattern}: {shown}", path=part)
    return value
