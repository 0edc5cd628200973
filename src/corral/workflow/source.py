"""From what a caller holds (YAML text, JSON text, a decoded object) to plain values."""

from __future__ import annotations

import json
from typing import NoReturn

from corral.model.errors import Problem, RecipeInvalidError
from corral.workflow.limits import MAX_DEPTH, MAX_SOURCE_BYTES
from corral.workflow.plain import find_unplain
from corral.workflow.yaml_text import load_yaml


def read_document(source: object) -> object:
    """Plain values from text, bytes or an object; raises RecipeInvalidError if they are not plain or too large.

    Text that starts with `{` is tried as JSON first and then as YAML, whose flow style looks the same.
    """
    document = _decode(source) if isinstance(source, str | bytes | bytearray) else source
    problems = find_unplain(document)
    if problems:
        raise RecipeInvalidError(problems)
    return document


def _decode(source: str | bytes | bytearray) -> object:
    text = source if isinstance(source, str) else _text(bytes(source))
    if len(text) > MAX_SOURCE_BYTES or len(text.encode("utf-8", "replace")) > MAX_SOURCE_BYTES:
        refuse(f"larger than {MAX_SOURCE_BYTES} bytes")
    if not text.lstrip("\ufeff \t\r\n").startswith("{"):
        return load_yaml(text)
    try:
        return _load_json(text)
    except json.JSONDecodeError as error:
        return _load_flow_yaml(text, error)


def _text(source: bytes) -> str:
    try:
        return source.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RecipeInvalidError([Problem("", f"not UTF-8: byte {error.start}")]) from None


def _load_flow_yaml(text: str, json_error: json.JSONDecodeError) -> object:
    if _is_yaml_flow(text):
        return load_yaml(text)
    return refuse(f"line {json_error.lineno}, column {json_error.colno}: {json_error.msg}")


def _is_yaml_flow(text: str) -> bool:
    """Whether a document opening with `{` was meant as YAML: its first key is not in double quotes."""
    return not text.lstrip("\ufeff \t\r\n")[1:].lstrip().startswith('"')


def _load_json(text: str) -> object:
    try:
        return json.loads(text.lstrip("\ufeff"), object_pairs_hook=_object, parse_constant=_constant)
    except RecursionError:
        return refuse(f"nested more than {MAX_DEPTH} deep")
    except json.JSONDecodeError:
        raise
    except ValueError:  # an integer with thousands of digits
        return refuse("a number is too long")


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            refuse(f"the key '{key:.80}' appears twice")
        result[key] = value
    return result


def _constant(name: str) -> NoReturn:
    refuse(f"{name} is not a JSON number")


def refuse(message: str) -> NoReturn:
    """Refuse the whole document."""
    raise RecipeInvalidError([Problem("", message)])
