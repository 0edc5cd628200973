"""The one table from the engine's SQLSTATEs (class CR) to errors."""

from typing import Final

from corral.model.errors import (
    ConflictError,
    CorralError,
    ForbiddenError,
    InvalidRequestError,
    LeaseLostError,
    NotFoundError,
    StaleEpochError,
    UnknownNodeError,
)

ERRORS_BY_SQLSTATE: Final[dict[str, type[CorralError]]] = {
    "CR001": NotFoundError,
    "CR002": InvalidRequestError,
    "CR003": ConflictError,
    "CR004": ForbiddenError,
    "CR101": StaleEpochError,
    "CR102": UnknownNodeError,
    "CR103": LeaseLostError,
}
