"""Tells command lines that only look at the phone from those that act on it."""

from __future__ import annotations

from corral.simulator.shell.call import COMMANDS
from corral.simulator.shell.parse import parse
from corral.simulator.shell.syntax import Command, For, Group, If, PartKind, Script, Simple, While, Word
from corral.simulator.shell.tokens import ShellSyntaxError

_BUILT_IN = frozenset({"break", "cd", "continue", "exit", "export"})
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
    match command:
        case Group(body=body):
            return _looks(body)
        case If(branches=branches, otherwise=otherwise):
            return all(_looks(script) for branch in branches for script in branch) and _looks(otherwise or Script(()))
        case While(condition=condition, body=body):
            return _looks(condition) and _looks(body)
        case For(words=words, body=body):
            return _are_still(words) and _looks(body)
        case Simple(words=words):
            return _simple_looks(words)


def _simple_looks(texts: tuple[Word, ...]) -> bool:
    words = [_literal(word) for word in texts]
    if not _are_still(texts):
        return False
    if words[:1] == ["exec"]:
        words = words[1:]
    if not words or words[0] in _BUILT_IN:
        return True
    entry = COMMANDS.get(words[0] or "")
    return entry is not None and entry.is_read_only([word or "" for word in words[1:]])


def _are_still(words: tuple[Word, ...]) -> bool:
    """Whether no word runs a command of its own."""
    return not any(part.kind is PartKind.COMMAND for word in words for part in word)


def _literal(word: Word) -> str | None:
    """The text of a word that needs nothing looked up."""
    if any(part.kind is not PartKind.LITERAL for part in word):
        return None
    return "".join(part.text for part in word)
