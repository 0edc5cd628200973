"""The tree of errors that Corral raises on purpose; each carries a stable code and its data in fields."""


class CorralError(Exception):
    """An expected failure, told to the user by its message and to programs by its code."""

    code = "internal"

    def __init__(self, message: str, *, code: str | None = None, path: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.path = path


class EmbeddedPostgresError(CorralError):
    """The embedded PostgreSQL could not be made, started, joined or stopped; nothing was deleted.

    Codes: no_binaries, no_account, unreachable, foreign_directory, wrong_version,
    in_use, init_failed, start_failed, stop_failed, each prefixed `embedded_postgres_`.
    `path` is the directory concerned.
    """

    code = "embedded_postgres"
