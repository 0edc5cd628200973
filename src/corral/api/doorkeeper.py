"""Tells callers apart.

A node shows X-Node-Auth: the shared secret, or a token of its own. An operator shows a bearer token or X-Api-Key: the
one of the server's settings, or a token of its own; a browser shows the cookie of a session, and a stream may be
asked for with the token in its address. A kind for which no
secret is set is open to this machine alone, and to no web page but our own.
"""

import hmac
from typing import Final

from msgspec import Struct

from corral.api.auth import Caller, Kind
from corral.api.failures import Failures
from corral.api.knock import Knock, check_local, check_same_origin
from corral.api.known import KnownCredentials
from corral.config import ServerConfig
from corral.model.credentials import (
    BUILT_IN,
    LOCAL,
    NODE_PREFIX,
    OPERATOR_PREFIX,
    Found,
    Role,
    digest_token,
    prove_session,
)
from corral.model.errors import ForbiddenError, UnauthenticatedError
from corral.telemetry import logger

COOKIE: Final = "corral_session"
_log = logger(__name__)


class Proof(Struct, frozen=True, kw_only=True):
    """What a credential proves. `is_open` says that it proves nothing, and that nothing is asked for."""

    actor: str | None = None
    role: Role | None = None
    node_id: str | None = None
    is_open: bool = False


class Doorkeeper:
    """Wrong credentials are counted by address, and soon not even looked at."""

    def __init__(self, config: ServerConfig, known: KnownCredentials) -> None:
        self._known = known
        self._failures = Failures(config.auth_failure_limit)
        node_secret = None if config.require_enrolled_nodes else config.node_secret
        self._digests = {
            kind: digest_token(secret.reveal().encode())
            for kind, secret in ((Kind.NODE, node_secret), (Kind.OPERATOR, config.operator_token))
            if secret is not None
        }
        closed = {*self._digests, *([Kind.NODE] if config.require_enrolled_nodes else [])}
        self._open = frozenset(kind for kind in Kind if kind not in closed)

    async def identify(self, knock: Knock) -> Caller:
        """Raises UnauthenticatedError for a wrong credential, TooManyFailuresError; ForbiddenError without a secret."""
        shown = _read_credentials(knock)
        if not shown:
            return await self._identify_session(knock) or self._identify_local(knock)
        proofs = {kind: await self.prove(kind, text, knock) for kind, text in shown.items()}
        if any(proof.is_open for proof in proofs.values()):
            check_local(knock)
        node, operator = proofs.get(Kind.NODE, Proof()), proofs.get(Kind.OPERATOR, Proof())
        return Caller(
            kinds=frozenset(proofs),
            is_proven=not all(proof.is_open for proof in proofs.values()),
            actor=operator.actor,
            role=operator.role,
            node_id=node.node_id,
            node_token_digest=digest_token(shown[Kind.NODE]) if node.node_id is not None else None,
        )

    async def prove(self, kind: Kind, text: bytes, knock: Knock) -> Proof:
        """What a credential proves. Raises UnauthenticatedError, TooManyFailuresError."""
        digest = digest_token(text)
        self._failures.check(knock.address, digest)
        proof = await self._judge(kind, text, digest)
        if proof is None:
            self._failures.note_wrong(knock.address, digest)
            _log.warning("authentication failed", kind=str(kind), address=knock.address)
            raise UnauthenticatedError(f"the {kind} credential is wrong")
        self._failures.note_right(knock.address, digest)
        return proof

    async def check_still_good(self, caller: Caller) -> None:
        """Raise UnauthenticatedError where a node's own token was revoked since the call began."""
        digest = caller.node_token_digest
        if digest is not None and await self._known.find_node_token(digest) is None:
            raise UnauthenticatedError("the node credential was revoked")

    async def _judge(self, kind: Kind, text: bytes, digest: bytes) -> Proof | None:
        configured = self._digests.get(kind)
        if configured is not None and hmac.compare_digest(digest, configured):
            return Proof(actor=BUILT_IN, role=Role.ADMIN) if kind is Kind.OPERATOR else Proof()
        if kind is Kind.NODE and text.startswith(NODE_PREFIX.encode()):
            node = await self._known.find_node_token(digest)
            return None if node is None else Proof(node_id=node.node_id)
        if kind is Kind.OPERATOR and text.startswith(OPERATOR_PREFIX.encode()):
            operator = await self._known.find_operator(digest)
            return None if operator is None else Proof(actor=operator.name, role=operator.role)
        if kind in self._open:
            local = Proof(is_open=True)
            return Proof(actor=LOCAL, role=Role.ADMIN, is_open=True) if kind is Kind.OPERATOR else local
        return None

    async def _identify_session(self, knock: Knock) -> Caller | None:
        """A cookie that is not good, or no longer, is none: a browser shows it until it is told otherwise."""
        cookie = read_cookie(knock)
        session = await self._known.find_session(digest_token(cookie)) if cookie is not None else None
        if cookie is None or session is None or not self._is_proven(session, cookie):
            return None
        check_same_origin(knock)
        return Caller(
            kinds=frozenset({Kind.OPERATOR}),
            is_proven=True,
            actor=session.name,
            role=session.role or Role.ADMIN,
            session_ends_at=session.expires_at,
        )

    def _is_proven(self, session: Found, cookie: bytes) -> bool:
        """Whether the token that the session was traded for is still the operator's."""
        token_digest = self._digests.get(Kind.OPERATOR) if session.name == BUILT_IN else session.token_digest
        if token_digest is None or session.proof is None:
            return False
        return hmac.compare_digest(session.proof, prove_session(cookie, token_digest))

    def _identify_local(self, knock: Knock) -> Caller:
        if not self._open:
            return Caller()
        try:
            check_local(knock)
        except ForbiddenError as error:
            return Caller(refused=self._open, refusal=error.message)
        is_operator = Kind.OPERATOR in self._open
        return Caller(kinds=self._open, actor=LOCAL if is_operator else None, role=Role.ADMIN if is_operator else None)


def read_cookie(knock: Knock) -> bytes | None:
    """The cookie of a session, if one is shown."""
    for part in knock.headers.get("cookie", "").split(";"):
        name, _, value = part.strip().partition("=")
        if name == COOKIE and value:
            return value.encode("latin-1")
    return None


def _read_credentials(knock: Knock) -> dict[Kind, bytes]:
    headers, shown = knock.headers, {}
    if "x-node-auth" in headers:
        shown[Kind.NODE] = headers["x-node-auth"].encode("latin-1")
    if "x-api-key" in headers:
        shown[Kind.OPERATOR] = headers["x-api-key"].encode("latin-1")
    elif "authorization" in headers:
        scheme, _, token = headers["authorization"].partition(" ")
        shown[Kind.OPERATOR] = token.strip().encode("latin-1") if scheme.lower() == "bearer" else b""
    elif knock.query_token is not None:
        shown[Kind.OPERATOR] = knock.query_token.encode()
    return shown
