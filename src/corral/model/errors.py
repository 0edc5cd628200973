"""The one tree of errors, each with a stable code and its data in fields."""

from typing import Literal

EmbeddedPostgresReason = Literal[
    "no_binaries",
    "no_account",
    "unreachable",
    "foreign_directory",
    "wrong_version",
    "in_use",
    "init_failed",
    "start_failed",
    "stop_failed",
]


class CorralError(Exception):
    """Something went wrong in a way that Corral has a word for."""

    code = "internal_error"

    def __init__(self, message: str, *, path: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.path = path


class EmbeddedPostgresError(CorralError):
    """The embedded PostgreSQL could not be found, made, started, joined or stopped.

    `path` is the directory concerned; nothing that was in it before is lost.
    """

    code = "embedded_postgres"

    def __init__(self, message: str, *, reason: EmbeddedPostgresReason, path: str | None = None) -> None:
        super().__init__(message, path=path)
        self.reason = reason
