"""Tokens of nodes and operators, and sessions: told once, then only told of."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from corral.model.credentials import NodeToken, Operator, Role


class EnrolledNode(Struct, frozen=True, kw_only=True):
    """A node's new token, told this once: nothing that is kept can tell it again."""

    token: str
    details: NodeToken

    def __repr__(self) -> str:
        return f"EnrolledNode({self.details.token_id})"


class NodeTokenList(Struct, frozen=True, kw_only=True):
    """The tokens of a node, oldest first, revoked ones included."""

    tokens: list[NodeToken]


Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,62}$")]


class NewOperator(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A name, which audits keep, and what it may do."""

    name: Name
    role: Role


class OperatorToken(Struct, frozen=True, kw_only=True):
    """An operator's new token, told this once: nothing that is kept can tell it again."""

    token: str
    operator: Operator

    def __repr__(self) -> str:
        return f"OperatorToken({self.operator.name})"


class OperatorPage(Struct, frozen=True, kw_only=True):
    """Operators by name, revoked ones included; `next` is the `after` of the following page, null on the last."""

    operators: list[Operator]
    next: str | None


class SignIn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An operator's token, of the server's settings or their own."""

    token: Annotated[str, Meta(min_length=1, max_length=1000)]

    def __repr__(self) -> str:
        return "SignIn(***)"


class Session(Struct, frozen=True, kw_only=True):
    """Who is signed in; `expires_at` is null where that is not by a cookie."""

    actor: str
    role: Role
    expires_at: datetime | None
