"""Named operators: who else may call, and as what."""

from collections.abc import Iterator

from corral.client.paging import each_of
from corral.client.transport import Transport, part
from corral.model.credentials import Operator, Role
from corral.wire.credentials import NewOperator, OperatorPage, OperatorToken


class Operators:
    """`client.operators`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, name: str, *, role: Role) -> OperatorToken:
        """Name an operator; the token is told this once. Raises ConflictError where the name is taken."""
        return self._transport.send("POST", "/api/operators", OperatorToken, NewOperator(name=name, role=role))

    def rotate_token(self, name: str) -> OperatorToken:
        """A new token in the place of the old one, told this once."""
        return self._transport.send("POST", f"/api/operators/{part(name)}/token", OperatorToken)

    def revoke(self, name: str) -> None:
        """Let an operator's token and sessions open nothing any more. Raises NotFoundError."""
        self._transport.delete(f"/api/operators/{part(name)}")

    def list(self, *, most: int | None = None) -> Iterator[Operator]:
        """Operators by name, revoked ones included."""

        def ask(after: str | None) -> "tuple[list[Operator], str | None]":
            page = self._transport.get("/api/operators", OperatorPage, {"after": after})
            return page.operators, page.next

        return each_of(ask, most=most)
