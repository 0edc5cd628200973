"""Named operators: who else may call, and as what."""

from typing import Annotated, Any, Final

from litestar import Request, delete, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from corral.api.auth import caller_of
from corral.api.server import Server
from corral.wire.credentials import Name, NewOperator, OperatorPage, OperatorToken


@post("/api/operators")
async def create_operator(
    data: JSONBody[NewOperator], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> OperatorToken:
    """Name an operator; 409 where the name is taken. A revoked name may be given again."""
    token, operator = await server.engine.operators.create_operator(
        data.name, data.role, actor=caller_of(request).actor
    )
    return OperatorToken(token=token, operator=operator)


@get("/api/operators")
async def list_operators(
    server: NamedDependency[Server],
    after: FromQuery[str] = "",
    limit: Annotated[int, QueryParameter(ge=1, le=1000)] = 100,
) -> OperatorPage:
    """Operators, without their tokens."""
    operators = await server.engine.operators.list(after=after, limit=limit)
    return OperatorPage(operators=operators, next=operators[-1].name if len(operators) == limit else None)


@delete("/api/operators/{name:str}")
async def revoke_operator(
    name: FromPath[Name], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> None:
    """Let an operator's token and sessions open nothing any more. Repeating it is safe."""
    await server.engine.operators.revoke_operator(name, actor=caller_of(request).actor)


@post("/api/operators/{name:str}/token")
async def rotate_operator_token(
    name: FromPath[Name], server: NamedDependency[Server], request: Request[Any, Any, Any]
) -> OperatorToken:
    """A new token in the place of the old one, which ends with its sessions."""
    token, operator = await server.engine.operators.rotate_operator_token(name, actor=caller_of(request).actor)
    return OperatorToken(token=token, operator=operator)


HANDLERS: Final = [create_operator, list_operators, revoke_operator, rotate_operator_token]
