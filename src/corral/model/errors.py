"""The one tree of errors, each with a stable code and its data in fields."""


class CorralError(Exception):
    """Something went wrong in a way that Corral has a word for."""

    code = "internal_error"

    def __init__(self, message: str, *, code: str | None = None, path: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.path = path


class NotFoundError(CorralError):
    """The thing named does not exist."""

    code = "not_found"


class InvalidRequestError(CorralError):
    """What was asked for makes no sense; `path` names the offending value."""

    code = "invalid_request"


class ConflictError(CorralError):
    """What was asked for cannot be done in the present state."""

    code = "conflict"


class StaleEpochError(CorralError):
    """The node registered again since; this process of it must stop, and not register itself anew."""

    code = "stale_epoch"


class UnknownNodeError(NotFoundError):
    """The node is not registered."""

    code = "unknown_node"


class LeaseLostError(CorralError):
    """The token is not, or no longer, the right to do this."""

    code = "lease_lost"


class DatabaseUnavailableError(CorralError):
    """PostgreSQL could not be reached, or went away in the middle; nothing was half-written."""

    code = "database_unavailable"


class DatabaseNotReadyError(CorralError):
    """PostgreSQL answers, but is too old, not migrated, or migrated by a newer Corral."""

    code = "database_not_ready"


class EmbeddedPostgresError(CorralError):
    """The embedded PostgreSQL could not be made, started, joined or stopped; nothing was deleted.

    Codes: no_binaries, no_account, unreachable, foreign_directory, wrong_version,
    in_use, init_failed, start_failed, stop_failed, each prefixed `embedded_postgres_`.
    `path` is the directory concerned.
    """

    code = "embedded_postgres"
