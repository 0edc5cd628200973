"""`$(( … ))`: whole numbers, names, the usual operators. Nothing else is evaluated."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from typing import Final

_LIMIT: Final = 1 << 63
_MAX_LENGTH: Final = 200


def _quotient(left: int, right: int) -> int:
    """Towards zero, as in C."""
    whole = abs(left) // abs(right)
    return whole if (left < 0) is (right < 0) else -whole


_OPERATORS: Final[dict[type[ast.AST], Callable[[int, int], int]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: _quotient,
    ast.Mod: lambda left, right: left - right * _quotient(left, right),
    ast.Lt: lambda left, right: int(left < right),
    ast.LtE: lambda left, right: int(left <= right),
    ast.Gt: lambda left, right: int(left > right),
    ast.GtE: lambda left, right: int(left >= right),
    ast.Eq: lambda left, right: int(left == right),
    ast.NotEq: lambda left, right: int(left != right),
}


class ExpressionError(Exception):
    """Not an expression that a shell computes."""


def compute(expression: str, variables: Mapping[str, str]) -> int:
    """The value of an expression; a name that is unset counts as 0. Raises ExpressionError."""
    plain = re.sub(r"\$\{?(\w+)\}?", r"\1", expression).strip() or "0"
    if len(plain) > _MAX_LENGTH:
        raise ExpressionError("expression too long")
    try:
        tree = ast.parse(re.sub(r"(?<!/)/(?!/)", "//", plain), mode="eval")
        return _wrap(_value(tree.body, variables))
    except (SyntaxError, ValueError, ZeroDivisionError, OverflowError, RecursionError) as error:
        raise ExpressionError(f"{expression.strip()}: {error}") from error


def _value(node: ast.AST, variables: Mapping[str, str]) -> int:
    match node:
        case ast.Constant(value=int() as number):
            return number
        case ast.Name(id=name):
            text = variables.get(name, "") or "0"
            return int(text)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, variables)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _wrap(_OPERATORS[type(op)](_value(left, variables), _value(right, variables)))
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_value(left, variables), _value(right, variables))
        case _:
            raise ValueError("unexpected token")


def _wrap(number: int) -> int:
    """Numbers have 64 bits."""
    return (number + _LIMIT) % (2 * _LIMIT) - _LIMIT
