"""From errors to HTTP: one table. A client sees a code, a message and perhaps a path, never a stack trace."""

import re
from collections.abc import Callable
from typing import Any, Final

from litestar import MediaType, Request, Response
from litestar.exceptions import HTTPException, LitestarException, ValidationException

from corral.model.errors import (
    ActionClashError,
    BadJsonError,
    BrokenRuleError,
    ChecksumMismatchError,
    ConfigInvalidError,
    ConflictError,
    ContentNotFoundError,
    ContentUrlInvalidError,
    CorralError,
    DatabaseNotReadyError,
    DatabaseUnavailableError,
    EmbeddedPostgresError,
    ForbiddenError,
    InvalidRequestError,
    KeyInvalidError,
    LeaseLostError,
    NoCurrentTaskError,
    NoTasksError,
    NotFoundError,
    ObjectExistsError,
    ObjectNotFoundError,
    ObjectTooLargeError,
    RangeInvalidError,
    RecipeInvalidError,
    RenderError,
    RequestTimeoutError,
    StaleEpochError,
    StorageError,
    StorageUnavailableError,
    StorageUrlInvalidError,
    TooManyFailuresError,
    UnauthenticatedError,
    UnknownNodeError,
    UnsupportedMediaTypeError,
    UploadBusyError,
    UploadIncompleteError,
    UploadNotFoundError,
    UploadOffsetError,
    YouTubeUnavailableError,
)
from corral.telemetry import logger
from corral.wire.problems import ErrorBody, Fault

STATUS_BY_ERROR: Final[dict[type[CorralError], int]] = {
    InvalidRequestError: 400,
    BadJsonError: 400,
    RecipeInvalidError: 400,
    RenderError: 400,
    KeyInvalidError: 400,
    ContentUrlInvalidError: 400,
    ChecksumMismatchError: 400,
    UnauthenticatedError: 401,
    ForbiddenError: 403,
    NotFoundError: 404,
    NoTasksError: 404,
    NoCurrentTaskError: 404,
    UnknownNodeError: 404,
    ObjectNotFoundError: 404,
    UploadNotFoundError: 404,
    ContentNotFoundError: 404,
    ConflictError: 409,
    ObjectExistsError: 409,
    UploadOffsetError: 409,
    UploadBusyError: 409,
    UploadIncompleteError: 409,
    StaleEpochError: 409,
    LeaseLostError: 409,
    ObjectTooLargeError: 413,
    UnsupportedMediaTypeError: 415,
    RangeInvalidError: 416,
    # Not 502: this server is well, and browsers and clients must not take it for one that is away.
    YouTubeUnavailableError: 424,
    TooManyFailuresError: 429,
    CorralError: 500,
    ActionClashError: 500,
    BrokenRuleError: 500,
    StorageError: 500,
    StorageUrlInvalidError: 500,
    ConfigInvalidError: 500,
    EmbeddedPostgresError: 503,
    DatabaseUnavailableError: 503,
    DatabaseNotReadyError: 503,
    RequestTimeoutError: 503,
    StorageUnavailableError: 503,
}
_CODE_BY_STATUS: Final = {
    400: "invalid_request",
    404: "not_found",
    405: "method_not_allowed",
    413: "body_too_large",
    415: "unsupported_media_type",
}
_SERVER_FAULT: Final = 500
_OUR_FAULT: Final = "something went wrong; the server's log says what"
# msgspec names the object; we name the field in it.
_NAMED_FIELD: Final = re.compile(r"(?:unknown|missing required) field `([^`]*)`")
_log = logger(__name__)


def describe(error: BaseException) -> tuple[int, Fault]:
    """The status and the body for an error. What we have no word for is logged, and told to nobody."""
    if isinstance(error, RecipeInvalidError):
        problems = [{"path": problem.path, "message": problem.message} for problem in error.problems]
        return 400, Fault(code=error.code, message=error.message, path=error.path, problems=problems)
    if isinstance(error, CorralError):
        status = STATUS_BY_ERROR[type(error)]
        if status >= _SERVER_FAULT:
            _log.error("request failed", code=error.code, error=error.message)
        return status, Fault(code=error.code, message=_told(error, status), path=error.path)
    if isinstance(error, ValidationException):
        return 400, _describe_validation(error)
    if isinstance(error, HTTPException) and error.status_code < _SERVER_FAULT:
        code = _CODE_BY_STATUS.get(error.status_code, "invalid_request")
        return error.status_code, Fault(code=code, message=error.detail)
    if isinstance(error, RecursionError):
        return 400, Fault(code="invalid_request", message="the body is nested too deeply")
    _log.error("unexpected error", exc_info=error)
    return 500, Fault(code="internal_error", message=_OUR_FAULT)


def respond(_request: Request[Any, Any, Any], error: Exception) -> Response[ErrorBody]:
    """Litestar's handler of exceptions."""
    status, fault = describe(error)
    headers = {"retry-after": "1"} if status in {429, 503} else {}
    headers |= {"www-authenticate": "Bearer"} if status == 401 else {}  # noqa: PLR2004 - HTTP's own number
    headers |= _measures_of(error)
    return Response(ErrorBody(error=fault), status_code=status, headers=headers, media_type=MediaType.JSON)


EXCEPTION_HANDLERS: Final[dict[int | type[Exception], Callable[[Request[Any, Any, Any], Any], Response[Any]]]] = {
    CorralError: respond,
    HTTPException: respond,
    LitestarException: respond,
    Exception: respond,
}


def _measures_of(error: Exception) -> dict[str, str]:
    """What a caller needs to go on, in the headers that HTTP and our uploads have for it."""
    if isinstance(error, RangeInvalidError):
        return {"content-range": f"bytes */{error.size_bytes}"}
    if isinstance(error, UploadOffsetError | UploadIncompleteError):
        return {"upload-offset": str(error.offset)}
    return {}


def _told(error: CorralError, status: int) -> str:
    """The message, unless it speaks of what is inside: that is for the log."""
    if status == _SERVER_FAULT:
        return _OUR_FAULT
    return "PostgreSQL cannot be reached" if isinstance(error, DatabaseUnavailableError) else error.message


def _describe_validation(error: ValidationException) -> Fault:
    extra = error.extra if isinstance(error.extra, list) else []
    first = next((item for item in extra if isinstance(item, dict)), None)
    if first is None:
        return Fault(code="invalid_request", message=error.detail)
    message, path = str(first.get("message", error.detail)), str(first.get("key", "")).removeprefix("data")
    if named := _NAMED_FIELD.search(message):
        path = f"{path}.{named[1]}"
    return Fault(code="invalid_request", message=message, path=path.strip(".") or None)
