"""From a server's answer back to the one tree of errors, by the code and never by the message."""

from typing import Final

import msgspec

from corral.model.errors import (
    ActionFailedError,
    ClientError,
    ConflictError,
    CorralError,
    DeviceError,
    ForbiddenError,
    InvalidRequestError,
    NodeError,
    NotFoundError,
    Problem,
    RecipeInvalidError,
    ServerUnavailableError,
    TooManyFailuresError,
    UnauthenticatedError,
    UnexpectedAnswerError,
)
from corral.model.reading import read_json
from corral.wire.problems import ErrorBody

_NEVER_ANSWERED: Final = (DeviceError, ActionFailedError, NodeError, ClientError)
_BY_STATUS: Final[dict[int, type[CorralError]]] = {
    400: InvalidRequestError,
    401: UnauthenticatedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidRequestError,
    429: TooManyFailuresError,
}
_REDIRECTED: Final = range(300, 400)
_SERVER_FAULT: Final = 500


def to_error(status: int, body: bytes, *, url: str) -> CorralError:
    """What an answer that is not a success means; its code is the server's."""
    try:
        fault = read_json(body, ErrorBody).error
    except msgspec.DecodeError:
        return _unexplained(status, url)
    if fault.problems:
        problems = [Problem(problem.get("path", ""), problem.get("message", "")) for problem in fault.problems]
        return RecipeInvalidError(problems, code=fault.code)
    kind = _BY_CODE.get(fault.code) or _BY_STATUS.get(status, CorralError)
    return kind(fault.message, code=fault.code, path=fault.path)


def _unexplained(status: int, url: str) -> CorralError:
    """An answer in somebody else's words: a proxy's, perhaps."""
    if status >= _SERVER_FAULT:
        return ServerUnavailableError(f"{url} answered {status}, and not in a Corral server's words")
    if status in _REDIRECTED:
        return UnexpectedAnswerError(f"{url} answered {status}: redirections are not followed", status=status)
    return UnexpectedAnswerError(f"{url} answered {status}, and not in a Corral server's words", status=status)


def _list_answered(kind: type[CorralError]) -> list[type[CorralError]]:
    if issubclass(kind, _NEVER_ANSWERED):
        return []
    return [kind, *(each for child in kind.__subclasses__() for each in _list_answered(child))]


def _without_fields(kind: type[CorralError]) -> type[CorralError]:
    """The class, or the nearest above it that needs nothing but a message: an answer has no other fields."""
    return next(
        each for each in kind.__mro__ if issubclass(each, CorralError) and each.__init__ is CorralError.__init__
    )


_BY_CODE: Final = {kind.code: _without_fields(kind) for kind in _list_answered(CorralError)}
