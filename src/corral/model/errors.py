"""The one tree of errors, each with a stable code and its data in fields."""

from collections.abc import Sequence
from typing import NamedTuple

from corral.model.states import FailureReason


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


class BadJsonError(InvalidRequestError):
    """The body is not JSON, or not an object."""

    code = "bad_json"


class NoTasksError(NotFoundError):
    """Nothing waits in the channel that was asked for work."""

    code = "no_tasks"


class NoCurrentTaskError(NotFoundError):
    """The agent has no task in progress."""

    code = "no_current_task"


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


class UnauthenticatedError(CorralError):
    """The caller showed no credential, or a wrong one."""

    code = "unauthenticated"


class ForbiddenError(CorralError):
    """The caller is known, or needs no credential, but may not do this."""

    code = "forbidden"


class TooManyFailuresError(CorralError):
    """The caller's address showed too many wrong credentials lately."""

    code = "too_many_failures"


class UnsupportedMediaTypeError(CorralError):
    """The body is of a kind that is not read here."""

    code = "unsupported_media_type"


class RequestTimeoutError(CorralError):
    """The request took longer than any should; what it asked for may or may not have happened."""

    code = "request_timeout"


class ConfigInvalidError(CorralError):
    """A setting is unknown, missing or makes no sense; `path` names it."""

    code = "config_invalid"


class DatabaseUnavailableError(CorralError):
    """PostgreSQL could not be reached, or went away in the middle; nothing was half-written."""

    code = "database_unavailable"


class DatabaseNotReadyError(CorralError):
    """PostgreSQL answers, but is too old, not migrated, or migrated by a newer Corral."""

    code = "database_not_ready"


class BrokenRuleError(CorralError):
    """The database held a rule of the engine's against the engine itself: a bug of ours, and nothing was written."""

    code = "broken_rule"


class EmbeddedPostgresError(CorralError):
    """The embedded PostgreSQL could not be made, started, joined or stopped; nothing was deleted.

    Codes: no_binaries, no_account, unreachable, foreign_directory, wrong_version,
    in_use, init_failed, start_failed, stop_failed, each prefixed `embedded_postgres_`.
    `path` is the directory concerned.
    """

    code = "embedded_postgres"


class Problem(NamedTuple):
    """One thing wrong with a document, and where: `steps[2].with.package`, or nothing for the whole of it."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


class RecipeInvalidError(CorralError):
    """A recipe, playbook or run was refused; `problems` holds all that is wrong with it, at least one.

    Codes: recipe_invalid, command_invalid, playbook_invalid, params_invalid, overrides_invalid, args_invalid,
    files_missing.
    `message` and `path` are those of the first problem.
    """

    code = "recipe_invalid"

    def __init__(self, problems: Sequence[Problem], *, code: str | None = None) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        more = f" (and {len(self.problems) - 1} more)" if len(self.problems) > 1 else ""
        super().__init__(first.message + more, code=code, path=first.path or None)


class RenderError(CorralError):
    """A template could not be rendered: a value is undefined, of the wrong type or too large."""

    code = "render_failed"


class ActionClashError(CorralError):
    """Two actions claim one name, or an extension offers something that is not an action."""

    code = "action_clash"


class StorageError(CorralError):
    """The store of artifacts and input files did not do what was asked; nothing half-written can be seen."""

    code = "storage_error"


class ObjectNotFoundError(StorageError):
    """The store holds nothing under that key."""

    code = "object_not_found"


class ObjectExistsError(StorageError):
    """The key is taken, and what it holds was left as it is."""

    code = "object_exists"


class ObjectTooLargeError(StorageError):
    """More bytes came than are allowed, or than were announced; `limit_bytes` is where reading stopped."""

    code = "object_too_large"

    def __init__(self, message: str, *, limit_bytes: int) -> None:
        super().__init__(message)
        self.limit_bytes = limit_bytes


class ChecksumMismatchError(StorageError):
    """The bytes that came are not those announced: another size or another sha256. Codes: as this, size_mismatch."""

    code = "checksum_mismatch"


class RangeInvalidError(StorageError):
    """The range asked for starts past the end; `size_bytes` is how much there is."""

    code = "range_invalid"

    def __init__(self, message: str, *, size_bytes: int) -> None:
        super().__init__(message)
        self.size_bytes = size_bytes


class StorageUnavailableError(StorageError):
    """The store could not be reached, refused Corral's credentials, or is full.

    Codes: storage_unavailable, storage_denied, storage_full.
    """

    code = "storage_unavailable"


class StorageUrlInvalidError(StorageError):
    """The store's URL cannot be used. The message never repeats the URL, which may hold what should not be shown."""

    code = "storage_url_invalid"


class KeyInvalidError(InvalidRequestError):
    """A key, or a part of one, is not of the form that keys have; `path` names the part."""

    code = "key_invalid"


class UploadNotFoundError(NotFoundError):
    """No such upload: it never began, or was given up for idleness."""

    code = "upload_not_found"


class UploadOffsetError(ConflictError):
    """The bytes do not continue where the upload stands; `offset` is where they must."""

    code = "upload_offset"

    def __init__(self, message: str, *, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class UploadBusyError(ConflictError):
    """Another request is writing to this upload; ask again once it ended."""

    code = "upload_busy"


class UploadIncompleteError(ConflictError):
    """The upload cannot be finished yet; `offset` is how far it came."""

    code = "upload_incomplete"

    def __init__(self, message: str, *, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class ContentUrlInvalidError(InvalidRequestError):
    """What was given names no video or channel of YouTube's, or something besides; the message says what is wrong."""

    code = "content_url_invalid"


class ContentNotFoundError(NotFoundError):
    """YouTube has no such video or channel, or not for everybody. Codes: content_not_found, content_closed."""

    code = "content_not_found"


class YouTubeUnavailableError(CorralError):
    """YouTube did not tell what was asked; the message says why, and nothing was changed.

    Codes: youtube_unavailable, youtube_quota_exceeded, youtube_refused, youtube_unexpected.
    """

    code = "youtube_unavailable"


class DeviceError(CorralError):
    """A phone, or the way to it, did not do what was asked. `reason` is the failure_reason of a job that ends by it."""

    code = "driver_error"
    reason = FailureReason.DRIVER_ERROR


class DeviceOfflineError(DeviceError):
    """The phone is not connected, or went away in the middle. `is_started` tells whether the command may have begun."""

    code = "device_offline"
    reason = FailureReason.DEVICE_OFFLINE

    def __init__(self, message: str, *, is_started: bool = True) -> None:
        super().__init__(message)
        self.is_started = is_started


class DeviceUnauthorizedError(DeviceError):
    """The phone has not allowed this computer to debug it."""

    code = "device_unauthorized"
    reason = FailureReason.DEVICE_UNAUTHORIZED


class DeviceNotBootedError(DeviceError):
    """The phone answers, but has not finished starting."""

    code = "device_not_booted"
    reason = FailureReason.DEVICE_NOT_BOOTED


class DriverUnavailableError(DeviceError):
    """The way to all phones is away: no adb server, no vendor program."""

    code = "driver_unavailable"


class OutcomeUnknownError(DeviceError):
    """The command was sent, and no answer came: it may have happened. Never repeated by itself."""

    code = "outcome_unknown"


class CommandFailedError(DeviceError):
    """The device refused or failed a command, in its own words."""

    code = "command_failed"
    reason = FailureReason.ACTION_FAILED


class NotSupportedError(DeviceError):
    """This way to the phone has no such thing."""

    code = "not_supported"
    reason = FailureReason.ACTION_FAILED


class ActionFailedError(CorralError):
    """A step did not achieve what it should, on a phone that works."""

    code = "action_failed"
    reason = FailureReason.ACTION_FAILED


class AssertionFailedError(ActionFailedError):
    """What the step was to check is not so."""

    code = "assertion_failed"
    reason = FailureReason.ASSERTION_FAILED


class FailedTestsError(ActionFailedError):
    """Tests of a suite failed for good on this phone; each has its own result."""

    code = "tests_failed"
    reason = FailureReason.TESTS_FAILED


class DeviceUnhealthyError(ActionFailedError):
    """The phone is too hot, too empty or too full for the work."""

    code = "device_unhealthy"
    reason = FailureReason.DEVICE_UNHEALTHY


class UploadFailedError(ActionFailedError):
    """A file of the step could not be stored on the server."""

    code = "upload_failed"
    reason = FailureReason.UPLOAD_FAILED


class NodeError(CorralError):
    """Something that only callers of a server meet, an agent above all, and that no server ever answers with."""

    code = "node_error"


class ServerUnavailableError(NodeError):
    """The server could not be reached, is overloaded or has trouble of its own: ask again later."""

    code = "server_unavailable"


class RequestRefusedError(NodeError):
    """The server understood, and said no; asking the same again is of no use. `code` is the server's own."""

    code = "request_refused"

    def __init__(self, message: str, *, status: int, code: str | None = None, path: str | None = None) -> None:
        super().__init__(message, code=code, path=path)
        self.status = status


class StateInUseError(NodeError):
    """Another agent works from this state directory, or it belongs to another node."""

    code = "state_in_use"


class SpoolFullError(NodeError):
    """The spool has no room for a file, although everything that may be dropped was."""

    code = "spool_full"


class TouchForbiddenError(NodeError):
    """The right to touch the phone has ended: the job is given back, not failed."""

    code = "interrupted"


class ClientError(CorralError):
    """Something that only callers of a server meet, and that no server ever answers with."""

    code = "client_error"


class UnexpectedAnswerError(ClientError):
    """What answered is not a Corral server, or is of another version; `status` is HTTP's."""

    code = "unexpected_answer"

    def __init__(self, message: str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class WaitTimeoutError(ClientError):
    """What was waited for did not happen in time; it may still happen."""

    code = "wait_timeout"


class ChildDiedError(ClientError):
    """A process that `corral up` started to stay has ended; the message has the end of its log."""

    code = "child_died"
