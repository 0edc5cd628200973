"""Which devices a run is for, as people write it: `all`, `1-50`, `3,7`, `node:rack-1`, `tag:pixel`, `label=door`, `any:5`.

Words of one kind add up (`3 7` is devices 3 and 7), words of different kinds narrow (`node:rack-1 1-50` is those of the
first fifty that are on rack-1); tags narrow, too. Pure: whether the things named exist is for the server to say.
"""

import re
from collections.abc import Callable, Iterable
from typing import Any, Final
from uuid import UUID

from corral.model.errors import InvalidRequestError
from corral.model.records import Json

_NUMBER: Final = re.compile(r"[1-9][0-9]{0,8}")
_RANGE: Final = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_KINDS: Final = (
    "all, a number (7), a range (1-50), node:NAME, tag:NAME, label=NAME, serial:SERIAL, device:ID or any:COUNT"
)


def parse_target(*texts: str) -> Json:
    """The target of POST /api/runs. Raises InvalidRequestError, which names the word that is not understood."""
    target: Json = {}
    for word in _words(texts):
        _add(target, word)
    if not target:
        raise _refused(f"no device is named: say {_KINDS}")
    if "all" in target and "any" in target:
        raise _refused("all devices and any of them exclude one another")
    if "any" in target and set(target) - {"any", "tags"}:
        raise _refused("any:COUNT goes with tag:NAME and nothing else")
    if "all" in target and len(target) > 1:
        del target["all"]  # everything, narrowed
    return target


def _words(texts: Iterable[str]) -> list[str]:
    return [word.strip() for text in texts for word in text.split(",") if word.strip()]


def _add(target: Json, word: str) -> None:
    if word == "all":
        target["all"] = True
    elif _NUMBER.fullmatch(word):
        target.setdefault("indexes", []).append(int(word))
    elif bounds := _RANGE.fullmatch(word):
        first, last = int(bounds[1]), int(bounds[2])
        if first > last:
            raise _refused(f"the range {word} runs backwards: write {last}-{first}")
        target.setdefault("indexes", []).append([first, last])
    else:
        _add_named(target, word)


def _add_named(target: Json, word: str) -> None:
    kind, separator, value = word.partition("=" if word.startswith("label=") else ":")
    if not separator or kind not in _NAMED:
        raise _refused(f"'{word:.80}' is not a target: say {_KINDS}")
    if not value:
        raise _refused(f"{kind}{separator} needs a value, as in {kind}{separator}{_NAMED[kind][1]}")
    key, _, read = _NAMED[kind]
    if key == "any":
        if "any" in target:
            raise _refused("any:COUNT can be said once")
        target[key] = read(value)
    else:
        target.setdefault(key, []).append(read(value))


def _read_count(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise _refused(f"any:{text:.80} needs a count, as in any:5")
    return int(text)


def _read_id(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise _refused(f"device:{text:.80} needs a device's id, a UUID") from None


def _refused(message: str) -> InvalidRequestError:
    return InvalidRequestError(message, code="target_invalid", path="target")


_NAMED: Final[dict[str, tuple[str, str, Callable[[str], Any]]]] = {
    "node": ("nodes", "rack-1", str),
    "tag": ("tags", "pixel", str),
    "label": ("labels", "door", str),
    "serial": ("serials", "R58M1", str),
    "device": ("device_ids", "0199…", _read_id),
    "any": ("any", "5", _read_count),
}
