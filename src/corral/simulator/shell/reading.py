"""Tells command lines that only look at the phone from those that act on it."""

from __future__ import annotations

from corral.simulator.shell.call import COMMANDS
from corral.simulator.shell.parse import parse
from corral.simulator.shell.syntax import Command, Group, PartKind, Script, Word
from corral.simulator.shell.tokens import ShellSyntaxError

_BUILT_IN = frozenset({"cd", "exit", "export"})
_HARMLESS_TARGETS = frozenset({"/dev/null", "1", "2"})


def is_read_only(line: str) -> bool:
    """Whether every command of the line is known only to look. A line that cannot be parsed does nothing."""
    try:
        script = parse(line)
    except ShellSyntaxError:
        return True
    return _looks(script)


def _looks(script: Script) -> bool:
    return all(_command_looks(command) for _, pipeline in script.items for command in pipeline.commands)


def _command_looks(command: Command) -> bool:
    for redirection in command.redirections:
        if redirection.operator.startswith(">") and _literal(redirection.target) not in _HARMLESS_TARGETS:
            return False
    if isinstance(command, Group):
        return _looks(command.body)
    words = [_literal(word) for word in command.words]
    if any(part.kind is PartKind.COMMAND for word in command.words for part in word):
        return False
    if not words or words[0] in _BUILT_IN:
        return True
    entry = COMMANDS.get(words[0] or "")
    return entry is not None and entry.is_read_only([word or "" for word in words[1:]])


def _literal(word: Word) -> str | None:
    """The text of a word that needs nothing looked up."""
    if any(part.kind is not PartKind.LITERAL for part in word):
        return None
    return "".join(part.text for part in word)
