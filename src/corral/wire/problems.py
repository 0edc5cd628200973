"""The body of every answer that is not a success, and what is wrong with documents that were only looked at."""

from msgspec import Struct


class Fault(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is wrong; `path` names the offending value, `problems` all of them where there are several."""

    code: str
    message: str
    path: str | None = None
    problems: list[dict[str, str]] | None = None


class ErrorBody(Struct, frozen=True, kw_only=True):
    """The body of every answer that is not a success."""

    error: Fault


class Flaw(Struct, frozen=True, kw_only=True):
    """One thing wrong with a document; `path` says where, and is empty for the whole of it."""

    path: str
    message: str
