"""Read template expressions without evaluating them: the names they use, and whether they stay in bounds.

The language is that of minijinja's expressions less calls and multiplication: with those gone, and the
filters that remain bounded, what an expression can yield is bounded by its length and its inputs.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import NamedTuple

from corral.workflow.limits import MAX_EXPRESSION

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<text>'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<number>[0-9][0-9A-Za-z_]*(?:\.[0-9][0-9A-Za-z_]*)?)
      | (?P<sign>\*\*|//|==|!=|<=|>=|[-+*/%~|.,:=<>()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS = frozenset({"and", "or", "not", "in", "is", "if", "else", "true", "false", "none", "True", "False", "None"})
_INFIX = frozenset({"and", "or", "in", "is", "if", "else"})
_CLOSES = {")": "(", "]": "[", "}": "{"}


class ExpressionError(ValueError):
    """The expression cannot be read, or uses what the language leaves out."""


class Token(NamedTuple):
    kind: str
    text: str
    start: int


class Reference(NamedTuple):
    """A name and the members read from it: `steps.open.output.pid` is ("steps", "open", "output", "pid")."""

    parts: tuple[str, ...]
    start: int
    end: int


class Expression(NamedTuple):
    source: str
    references: tuple[Reference, ...]
    filters: tuple[str, ...]


def read_expression(source: str) -> Expression:
    """The names and filters that an expression uses; raises ExpressionError."""
    if len(source) > MAX_EXPRESSION:
        raise ExpressionError(f"an expression is longer than {MAX_EXPRESSION} characters")
    tokens = _tokens(source)
    if not tokens:
        raise ExpressionError("the expression is empty")
    _check_balance(tokens)
    _check_language(tokens)
    filters = tuple(token.text for before, token in pairwise(tokens) if before.text == "|" and token.kind == "name")
    return Expression(source, tuple(_references(tokens)), filters)


def _tokens(source: str) -> list[Token]:
    tokens, position = [], 0
    while position < len(source):
        match = _TOKEN.match(source, position)
        if match is None:
            raise ExpressionError(f"unexpected {source[position]!r}")
        if match.lastgroup != "space":
            tokens.append(Token(str(match.lastgroup), match.group(), position))
        position = match.end()
    return tokens


def _check_balance(tokens: list[Token]) -> None:
    """Balanced on its own, an expression cannot break out of the parentheses that we put around it."""
    open_signs: list[str] = []
    for token in tokens:
        if token.kind == "sign" and token.text in "([{":
            open_signs.append(token.text)
        elif (
            token.kind == "sign"
            and token.text in _CLOSES
            and (not open_signs or open_signs.pop() != _CLOSES[token.text])
        ):
            raise ExpressionError(f"unexpected {token.text!r}")
    if open_signs:
        raise ExpressionError(f"{open_signs[-1]!r} is never closed")


def _check_language(tokens: list[Token]) -> None:
    for index, token in enumerate(tokens):
        if token.text in _INFIX and _is_misplaced(tokens, index):
            raise ExpressionError(f"unexpected '{token.text}'")
        if token.kind == "sign" and token.text in ("*", "**"):
            raise ExpressionError("'*' is not supported in templates")
        if token.kind == "sign" and token.text == "(" and _is_call(tokens, index):
            raise ExpressionError("calls are not supported in templates; use a filter")


def _is_misplaced(tokens: list[Token], index: int) -> bool:
    """Whether an operator has nothing before it: the engine would take the word for a variable's name."""
    if index == 0:
        return True
    before = tokens[index - 1]
    if before.kind == "sign":
        return before.text not in _CLOSES and before.text not in (".", "|")
    if _names_filter_or_test(tokens, index) or (before.text, tokens[index].text) == ("not", "in"):
        return False
    return before.text in _INFIX or before.text == "not"


def _is_call(tokens: list[Token], index: int) -> bool:
    if index == 0:
        return False
    before = tokens[index - 1]
    if before.kind == "sign":
        return before.text in _CLOSES
    if before.kind != "name":
        return True
    return before.text not in _KEYWORDS and not _names_filter_or_test(tokens, index - 1)


def _names_filter_or_test(tokens: list[Token], index: int) -> bool:
    before = [token.text for token in tokens[max(0, index - 2) : index]]
    return bool(before) and (before[-1] in ("|", "is") or before == ["is", "not"])


def _references(tokens: list[Token]) -> list[Reference]:
    return [
        _follow(tokens, index)
        for index, token in enumerate(tokens)
        if token.kind == "name" and _is_variable(tokens, index)
    ]


def _is_variable(tokens: list[Token], index: int) -> bool:
    if tokens[index].text in _KEYWORDS or _names_filter_or_test(tokens, index):
        return False
    if index + 1 < len(tokens) and tokens[index + 1].text == "=":
        return False
    return index == 0 or tokens[index - 1].text != "."


def _follow(tokens: list[Token], index: int) -> Reference:
    parts, start, last = [tokens[index].text], tokens[index].start, tokens[index]
    rest = tokens[index + 1 :]
    while rest:
        match rest[:3]:
            case [Token(text="."), Token(kind="name" | "number") as member, *_]:
                parts, last, rest = [*parts, member.text], member, rest[2:]
            case [Token(text="["), member, Token(text="]") as close] if _is_simple_text(member):
                parts, last, rest = [*parts, member.text[1:-1]], close, rest[3:]
            case _:
                break
    return Reference(tuple(parts), start, last.start + len(last.text))


def _is_simple_text(token: Token) -> bool:
    return token.kind == "text" and "\\" not in token.text
