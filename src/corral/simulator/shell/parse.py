"""From a command line to its meaning: lists, pipes, groups, redirections. Refuses what the simulator does not run."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from corral.simulator.shell.syntax import (
    Command,
    Compound,
    For,
    Group,
    If,
    Part,
    PartKind,
    Pipeline,
    Redirection,
    Script,
    Simple,
    While,
    Word,
)
from corral.simulator.shell.tokens import ShellSyntaxError, Token, tokenize

_MAX_DEPTH: Final = 20
_REDIRECTIONS: Final = (">", ">>", "<", ">&", "<&")
_ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_NOT_SIMULATED: Final = frozenset({"case", "function", "select"})
_STRAY: Final = frozenset({"then", "elif", "else", "fi", "do", "done", "}"})
_NO_END: Final[frozenset[str]] = frozenset()


def parse(line: str) -> Script:
    """The meaning of a line. Raises ShellSyntaxError, worded as the shell does."""
    parser = _Parser(tokenize(line))
    script = parser.script(_NO_END)
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

    def script(self, ends: frozenset[str]) -> Script:
        items: list[tuple[str, Pipeline]] = []
        joint = ";"
        while (token := self.peek()) is not None and not self._is_end(token, ends):
            if token.operator in {";", "\n"}:
                if token.operator == ";" and joint == ";" and not items:
                    raise self.unexpected()
                self._at += 1
                continue
            items.append((joint, self._pipeline()))
            joint = self._joint(ends)
        if joint != ";":
            raise self.unexpected()
        return Script(tuple(items))

    def _joint(self, ends: frozenset[str]) -> str:
        token = self.peek()
        if token is None or self._is_end(token, ends):
            return ";"
        if token.operator == "&":
            raise ShellSyntaxError("syntax error: '&': the simulator runs nothing in the background")
        if token.operator not in {";", "\n", "&&", "||"}:
            raise self.unexpected()
        self._at += 1
        return token.operator if token.operator in {"&&", "||"} else ";"

    @staticmethod
    def _is_end(token: Token, ends: frozenset[str]) -> bool:
        return (token.operator or _plain(token.word)) in ends

    def _pipeline(self) -> Pipeline:
        is_negated = self._take_word("!")
        commands = [self._command()]
        while (token := self.peek()) is not None and token.operator == "|":
            self._at += 1
            commands.append(self._command())
        return Pipeline(tuple(commands), is_negated)

    def _command(self) -> Command:
        token = self.peek()
        keyword = (token.operator or _plain(token.word)) if token is not None else ""
        compounds: dict[str, Callable[[], Compound]] = {
            "(": lambda: self._group(")", is_subshell=True),
            "{": lambda: self._group("}", is_subshell=False),
            "if": self._if,
            "for": self._for,
            "while": lambda: self._while(is_until=False),
            "until": lambda: self._while(is_until=True),
        }
        if keyword not in compounds:
            return self._simple()
        self._at += 1
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise ShellSyntaxError("syntax error: nested too deeply")
        compound = compounds[keyword]()
        self._depth -= 1
        return compound

    def _group(self, end: str, *, is_subshell: bool) -> Group:
        body, _ = self._body(end)
        return Group(body, is_subshell, tuple(self._redirections()))

    def _body(self, *ends: str) -> tuple[Script, str]:
        """A list that is not empty, up to one of these words; and which of them it was."""
        body = self.script(frozenset(ends))
        token = self.peek()
        if token is None or not body.items:
            raise self.unexpected()
        self._at += 1
        return body, token.operator or _plain(token.word)

    def _if(self) -> If:
        branches: list[tuple[Script, Script]] = []
        ended_by = "elif"
        while ended_by == "elif":
            condition, _ = self._body("then")
            body, ended_by = self._body("elif", "else", "fi")
            branches.append((condition, body))
        otherwise = self._body("fi")[0] if ended_by == "else" else None
        return If(tuple(branches), otherwise, tuple(self._redirections()))

    def _while(self, *, is_until: bool) -> While:
        condition, _ = self._body("do")
        body, _ = self._body("done")
        return While(condition, body, is_until, tuple(self._redirections()))

    def _for(self) -> For:
        name = self.peek()
        if name is None or not _plain(name.word).isidentifier():
            raise self.unexpected()
        self._at += 1
        words: list[Word] = []
        if self._take_word("in"):
            while (token := self.peek()) is not None and not token.operator:
                words.append(token.word)
                self._at += 1
        while (token := self.peek()) is not None and token.operator in {";", "\n"}:
            self._at += 1
        if not self._take_word("do"):
            raise self.unexpected()
        body, _ = self._body("done")
        return For(_plain(name.word), tuple(words), body, tuple(self._redirections()))

    def _simple(self) -> Simple:
        assignments: list[tuple[str, Word]] = []
        words: list[Word] = []
        redirections: list[Redirection] = []
        first = self.peek()
        if first is not None and _plain(first.word) in _STRAY:
            raise self.unexpected()
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
