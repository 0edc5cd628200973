"""Naming a run in few letters: `last`, or the beginning of its id."""

import re
from typing import Final
from uuid import UUID

from corral.client import Client
from corral.model.errors import InvalidRequestError, NotFoundError

_PREFIX: Final = re.compile(r"[0-9a-f-]{4,36}")
_MOST_RUNS: Final = 5000


def find_run(client: Client, ref: str) -> UUID:
    """The run that is meant. Raises NotFoundError, and InvalidRequestError where it could be several."""
    text = ref.strip().lower()
    try:
        return UUID(text)
    except ValueError:
        pass
    if text == "last":
        for run in client.runs.list(most=1):
            return run.run_id
        raise NotFoundError("there is no run yet", path="run")
    if not _PREFIX.fullmatch(text):
        raise InvalidRequestError(f"'{ref:.80}' is not a run: give its id, the beginning of it, or last", path="run")
    return choose(text, [run.run_id for run in client.runs.list(most=_MOST_RUNS)])


def choose(prefix: str, ids: list[UUID], *, noun: str = "run") -> UUID:
    """The one id that begins so. Raises NotFoundError and InvalidRequestError."""
    found = [each for each in ids if str(each).startswith(prefix)]
    if not found:
        raise NotFoundError(f"no {noun} begins with {prefix}", path=noun)
    if len(found) > 1:
        names = ", ".join(str(each) for each in found[:3]) + (", …" if len(found) > 3 else "")  # noqa: PLR2004
        raise InvalidRequestError(f"{len(found)} {noun}s begin with {prefix}: {names}; give more of it", path=noun)
    return found[0]
