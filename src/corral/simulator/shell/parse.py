"""From a command line to its meaning: lists, pipes, groups, redirections. Refuses what the simulator does not run."""

from __future__ import annotations

import re
from typing import Final

from corral.simulator.shell.syntax import (
    Command,
    Group,
    Part,
    PartKind,
    Pipeline,
    Redirection,
    Script,
    Simple,
    Word,
)
from corral.simulator.shell.tokens import ShellSyntaxError, Token, tokenize

_MAX_DEPTH: Final = 20
_REDIRECTIONS: Final = (">", ">>", "<", ">&", "<&")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_NOT_SIMULATED: Final = frozenset({"if", "then", "for", "while", "until", "case", "function", "do", "done"})


def parse(line: str) -> Script:
    """The meaning of a line. Raises ShellSyntaxError, worded as the shell does."""
    parser = _Parser(tokenize(line))
    script = parser.script(end="")
    if parser.peek() is not None:
        raise parser.unexpected()
    return script


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def peek(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def unexpected(self) -> ShellSyntaxError:
        token = self.peek()
        shown = "EOF" if token is None else f"'{token.operator or _plain(token.word) or '...'}'"
        return ShellSyntaxError(f"syntax error: unexpected {shown}".replace("\n", "newline"))

    def script(self, *, end: str) -> Script:
        items: list[tuple[str, Pipeline]] = []
        joint = ";"
        while (token := self.peek()) is not None and not self._is_end(token, end):
            if token.operator in {";", "\n"}:
                if token.operator == ";" and joint == ";" and not items:
                    raise self.unexpected()
                self._at += 1
                continue
            items.append((joint, self._pipeline()))
            joint = self._joint(end)
        if joint != ";":
            raise self.unexpected()
        return Script(tuple(items))

    def _joint(self, end: str) -> str:
        token = self.peek()
        if token is None or self._is_end(token, end):
            return ";"
        if token.operator == "&":
            raise ShellSyntaxError("syntax error: '&': the simulator runs nothing in the background")
        if token.operator not in {";", "\n", "&&", "||"}:
            raise self.unexpected()
        self._at += 1
        return token.operator if token.operator in {"&&", "||"} else ";"

    @staticmethod
    def _is_end(token: Token, end: str) -> bool:
        return bool(end) and (token.operator == end or (not token.operator and _plain(token.word) == end))

    def _pipeline(self) -> Pipeline:
        is_negated = self._take_word("!")
        commands = [self._command()]
        while (token := self.peek()) is not None and token.operator == "|":
            self._at += 1
            commands.append(self._command())
        return Pipeline(tuple(commands), is_negated)

    def _command(self) -> Command:
        token = self.peek()
        if token is not None and token.operator == "(":
            return self._group(")", is_subshell=True)
        if self._take_word("{"):
            self._at -= 1
            return self._group("}", is_subshell=False)
        return self._simple()

    def _group(self, end: str, *, is_subshell: bool) -> Group:
        self._at += 1
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ShellSyntaxError("syntax error: nested too deeply")
        body = self.script(end=end)
        if self.peek() is None or not body.items:
            raise self.unexpected()
        self._at += 1
        self._depth -= 1
        return Group(body, is_subshell, tuple(self._redirections()))

    def _simple(self) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        while (token := self.peek()) is not None:
            if found := self._redirection():
                redirections.append(found)
            elif token.operator:
                break
            else:
                self._at += 1
                assignment = None if words else _assignment(token.word)
                if assignment:
                    assignments.append(assignment)
                else:
                    words.append(token.word)
        if not words and not assignments and not redirections:
            raise self.unexpected()
        if words and _plain(words[0]) in _NOT_SIMULATED:
            raise ShellSyntaxError(f"syntax error: '{_plain(words[0])}' is not simulated")
        return Simple(tuple(assignments), tuple(words), tuple(redirections))

    def _redirections(self) -> list[Redirection]:
        found = []
        while redirection := self._redirection():
            found.append(redirection)
        return found

    def _redirection(self) -> Redirection | None:
        token = self.peek()
        if token is None:
            return None
        following = self._tokens[self._at + 1] if self._at + 1 < len(self._tokens) else None
        number = _plain(token.word) if not token.operator else ""
        if number in {"0", "1", "2"} and following and following.is_joined and following.operator in _REDIRECTIONS:
            self._at += 1
            token = following
        elif token.operator not in _REDIRECTIONS:
            return None
        self._at += 1
        target = self.peek()
        if target is None or target.operator:
            raise self.unexpected()
        self._at += 1
        default = 0 if token.operator.startswith("<") else 1
        return Redirection(int(number) if number in {"0", "1", "2"} else default, token.operator, target.word)

    def _take_word(self, text: str) -> bool:
        token = self.peek()
        if token is None or token.operator or token.word != (Part(PartKind.LITERAL, text, is_quoted=False),):
            return False
        self._at += 1
        return True


def _plain(word: Word) -> str:
    """The text of a word that is one unquoted literal; else nothing."""
    return word[0].text if len(word) == 1 and word[0].kind is PartKind.LITERAL and not word[0].is_quoted else ""


def _assignment(word: Word) -> tuple[str, Word] | None:
    if not word or word[0].kind is not PartKind.LITERAL or word[0].is_quoted:
        return None
    found = _ASSIGNMENT.fullmatch(word[0].text)
    if found is None:
        return None
    return found[1], (Part(PartKind.LITERAL, found[2], is_quoted=False), *word[1:])
