"""What a command line means, once it is parsed. Plain data."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class PartKind(Enum):
    """What a piece of a word stands for."""

    LITERAL = "literal"
    VARIABLE = "variable"
    COMMAND = "command"
    ARITHMETIC = "arithmetic"


class Part(NamedTuple):
    """A piece of a word. Quoted pieces are neither split nor matched against files."""

    kind: PartKind
    text: str
    is_quoted: bool


Word = tuple[Part, ...]


class Redirection(NamedTuple):
    """Where a stream of a command goes to or comes from: a file, or another stream (`2>&1`)."""

    stream: int
    operator: str
    target: Word


class Simple(NamedTuple):
    """One command with its arguments."""

    assignments: tuple[tuple[str, Word], ...]
    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]


class Group(NamedTuple):
    """A list in parentheses or braces. Parentheses keep its variables and its directory to itself."""

    body: Script
    is_subshell: bool
    redirections: tuple[Redirection, ...]


class If(NamedTuple):
    """Conditions with what to do, in turn, and what to do otherwise."""

    branches: tuple[tuple[Script, Script], ...]
    otherwise: Script | None
    redirections: tuple[Redirection, ...]


class While(NamedTuple):
    """A body that is repeated while, or until, a condition holds."""

    condition: Script
    body: Script
    is_until: bool
    redirections: tuple[Redirection, ...]


class For(NamedTuple):
    """A body for each of some words."""

    name: str
    words: tuple[Word, ...]
    body: Script
    redirections: tuple[Redirection, ...]


Compound = Group | If | While | For
Command = Simple | Compound


class Pipeline(NamedTuple):
    """Commands, each reading what the one before it wrote."""

    commands: tuple[Command, ...]
    is_negated: bool


class Script(NamedTuple):
    """Pipelines, each with what joins it to the one before: `;`, `&&` or `||`."""

    items: tuple[tuple[str, Pipeline], ...]
