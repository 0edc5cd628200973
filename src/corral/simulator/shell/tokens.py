"""From characters to words and operators, with quotes, escapes, `$name`, `${name}` and `$(command)` understood."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from corral.simulator.shell.syntax import Part, PartKind, Word

_OPERATORS: Final = ("&&", "||", ">>", ">&", "<&", ";", "|", "&", "<", ">", "(", ")", "\n")
_BLANKS: Final = " \t"
_NAME: Final = re.compile(r"[A-Za-z_]\w*|[?$#@*!0-9]")
_ESCAPED_IN_QUOTES: Final = '"\\$`'


class ShellSyntaxError(Exception):
    """The line is not one that a shell understands; the message is the shell's own."""


class Token(NamedTuple):
    """A word, or an operator."""

    operator: str
    word: Word = ()
    is_joined: bool = False
    """Whether no blank stands before it, as in `2>`."""


def tokenize(line: str) -> list[Token]:
    """All words and operators of a line. Raises ShellSyntaxError on an open quote or bracket."""
    return _Scanner(line).tokens()


class _Scanner:
    def __init__(self, line: str) -> None:
        self._line = line
        self._at = 0

    def tokens(self) -> list[Token]:
        found: list[Token] = []
        is_joined = False
        while self._at < len(self._line):
            char = self._line[self._at]
            if char in _BLANKS:
                self._at, is_joined = self._at + 1, False
            elif self._line.startswith("\\\n", self._at):
                self._at += 2
            elif char == "#" and not is_joined:
                end = self._line.find("\n", self._at)
                self._at = len(self._line) if end < 0 else end
            elif operator := next((op for op in _OPERATORS if self._line.startswith(op, self._at)), None):
                found.append(Token(operator, is_joined=is_joined))
                self._at, is_joined = self._at + len(operator), True
            else:
                found.append(Token("", self._word(), is_joined))
                is_joined = True
        return found

    def _word(self) -> Word:
        parts: list[Part] = []
        while self._at < len(self._line):
            char = self._line[self._at]
            if char in _BLANKS or any(self._line.startswith(op, self._at) for op in _OPERATORS):
                break
            if char == "'":
                parts.append(Part(PartKind.LITERAL, self._until("'"), is_quoted=True))
            elif char == '"':
                self._at += 1
                parts.extend(self._double_quoted())
            elif char == "\\" and self._at + 1 < len(self._line):
                parts.append(Part(PartKind.LITERAL, self._line[self._at + 1], is_quoted=True))
                self._at += 2
            elif expansion := self._expansion(is_quoted=False):
                parts.append(expansion)
            else:
                parts.append(Part(PartKind.LITERAL, char, is_quoted=False))
                self._at += 1
        return _merged(parts)

    def _double_quoted(self) -> list[Part]:
        parts = [Part(PartKind.LITERAL, "", is_quoted=True)]
        while self._at < len(self._line):
            char = self._line[self._at]
            if char == '"':
                self._at += 1
                return parts
            following = self._line[self._at + 1 : self._at + 2]
            if char == "\\" and following and following in _ESCAPED_IN_QUOTES:
                parts.append(Part(PartKind.LITERAL, following, is_quoted=True))
                self._at += 2
            elif expansion := self._expansion(is_quoted=True):
                parts.append(expansion)
            else:
                parts.append(Part(PartKind.LITERAL, char, is_quoted=True))
                self._at += 1
        raise ShellSyntaxError("no closing quote")

    def _expansion(self, *, is_quoted: bool) -> Part | None:
        if self._line[self._at] == "`":
            return Part(PartKind.COMMAND, self._until("`"), is_quoted)
        if self._line[self._at] != "$":
            return None
        if self._line.startswith("$(", self._at):
            return _in_brackets(self._bracketed(), is_quoted=is_quoted)
        if self._line.startswith("${", self._at):
            self._at += 1
            return Part(PartKind.VARIABLE, self._until("}"), is_quoted)
        name = _NAME.match(self._line, self._at + 1)
        if name is None:
            return None
        self._at = name.end()
        return Part(PartKind.VARIABLE, name.group(), is_quoted)

    def _until(self, closing: str) -> str:
        end = self._line.find(closing, self._at + 1)
        if end < 0:
            raise ShellSyntaxError("no closing quote")
        text, self._at = self._line[self._at + 1 : end], end + 1
        return text

    def _bracketed(self) -> str:
        """The inside of `$( … )`, quotes and nested brackets respected."""
        start, depth, quote = self._at + 2, 1, ""
        for at in range(start, len(self._line)):
            char = self._line[at]
            if quote:
                quote = "" if char == quote else quote
            elif char in "'\"":
                quote = char
            else:
                depth += {"(": 1, ")": -1}.get(char, 0)
            if not depth:
                self._at = at + 1
                return self._line[start:at]
        raise ShellSyntaxError("syntax error: unexpected EOF looking for ')'")


def _in_brackets(inner: str, *, is_quoted: bool) -> Part:
    if inner.startswith("(") and inner.endswith(")"):
        return Part(PartKind.ARITHMETIC, inner[1:-1], is_quoted)
    return Part(PartKind.COMMAND, inner, is_quoted)


def _merged(parts: list[Part]) -> Word:
    """Neighbouring letters as one part."""
    merged: list[Part] = []
    for part in parts:
        last = merged[-1] if merged else None
        if last and part.kind is last.kind is PartKind.LITERAL and part.is_quoted == last.is_quoted:
            merged[-1] = Part(PartKind.LITERAL, last.text + part.text, part.is_quoted)
        else:
            merged.append(part)
    return tuple(merged)
