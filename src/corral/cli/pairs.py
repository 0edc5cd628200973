"""`name=value` on the command line: parameters, secrets, timeouts, policies."""

import getpass
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from corral.model.errors import InvalidRequestError
from corral.model.records import Json
from corral.workflow import ParamSpec, param_from_text


def split(text: str, *, flag: str, example: str) -> tuple[str, str]:
    """Name and value. Raises InvalidRequestError with an example."""
    name, separator, value = text.partition("=")
    if not separator or not name.strip():
        raise InvalidRequestError(f"{flag} {text:.80}: write {flag} {example}", path=flag)
    return name.strip(), value


def read_params(texts: Iterable[str], *, specs: Mapping[str, ParamSpec], file: Path | None) -> Json:
    """The parameters of a file and, over them, of flags, which are read as the recipe's types say."""
    params = {} if file is None else _read_file(file)
    for text in texts:
        name, value = split(text, flag="--param", example="name=value")
        params[name] = param_from_text(specs[name], value) if name in specs else value
    return params


def read_secrets(texts: Iterable[str]) -> dict[str, str]:
    """Secret parameters, from the environment (name=env:VAR), a file (name=file:PATH) or a question (name)."""
    return dict(_read_secret(text) for text in texts)


def read_timeouts(texts: Iterable[str]) -> Json:
    """Overrides of steps' timeouts: step=seconds."""
    overrides: Json = {}
    for text in texts:
        step, value = split(text, flag="--set-timeout", example="step=60")
        overrides[step] = {"timeout_s": _number(value, flag="--set-timeout", what=f"the timeout of {step}")}
    return overrides


def read_policy(texts: Iterable[str], **flags: object) -> Json:
    """A run's policy: name=value, and flags of their own for what is used most."""
    policy: Json = {}
    for text in texts:
        name, value = split(text, flag="--policy", example="max_attempts=2")
        policy[name] = value if name == "offline" else _number(value, flag="--policy", what=name)
    return policy | {name: value for name, value in flags.items() if value is not None}


def _number(text: str, *, flag: str, what: str) -> int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise InvalidRequestError(f"{flag}: {what} must be a number, not '{text:.80}'", path=flag)


def _read_file(path: Path) -> Json:
    from corral.workflow.source import read_document  # noqa: PLC0415 - YAML is loaded where there is some

    try:
        document = read_document(path.read_bytes())
    except OSError as error:
        raise InvalidRequestError(f"cannot read {path}: {error.strerror}", path="--param-file") from error
    try:
        return msgspec.convert(document, dict[str, Any])
    except msgspec.ValidationError:
        raise InvalidRequestError(f"{path} must hold names and values", path="--param-file") from None


def _read_secret(text: str) -> tuple[str, str]:
    name, separator, source = text.partition("=")
    kind, _, where = source.partition(":")
    if not separator:
        if not sys.stdin.isatty():
            message = f"--secret {name}: there is no terminal to ask on; write {name}=env:VARIABLE or {name}=file:PATH"
            raise InvalidRequestError(message, path="--secret")
        return name, getpass.getpass(f"{name}: ")
    if kind == "env" and where in os.environ:
        return name, os.environ[where]
    if kind == "file" and where:
        try:
            return name, Path(where).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            raise InvalidRequestError(f"--secret {name}: cannot read {where}: {error}", path="--secret") from error
    if kind == "env":
        raise InvalidRequestError(f"--secret {name}: the variable {where} is not set", path="--secret")
    # What was written may be the secret itself: it is not repeated.
    raise InvalidRequestError(f"--secret {name}: write {name}=env:VARIABLE or {name}=file:PATH", path="--secret")
