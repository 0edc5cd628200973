"""Compare a JSON document with the one that is kept, after what differs from run to run is replaced by its kind."""

import os
import re
from pathlib import Path
from typing import Any

import msgspec

_FOLDER = Path(__file__).parent / "snapshots"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00")


def assert_matches_snapshot(document: bytes, name: str) -> None:
    """Fail unless the document is the one of snapshots/<name>.json; UPDATE_SNAPSHOTS=1 writes that file anew.

    A version is a number that only has to grow: which one it is, is not part of the contract.
    """
    content = _normal(msgspec.json.decode(document))
    if isinstance(content.get("version"), int):
        content["version"] = 0
    found = msgspec.json.format(msgspec.json.encode(content), indent=2).decode() + "\n"
    path = _FOLDER / f"{name}.json"
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(found)
    assert found == path.read_text()


def _normal(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_normal(item) for item in value]
    if isinstance(value, str):
        return _TIME.sub("<time>", _UUID.sub("<uuid>", value))
    return value
