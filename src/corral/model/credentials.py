"""Who may call: roles, tokens and what is known of them. A token itself is seen once, by whom it is made for."""

import hashlib
import secrets
from datetime import datetime
from enum import StrEnum
from typing import Final
from uuid import UUID

from msgspec import Struct

NODE_PREFIX: Final = "crln_"
OPERATOR_PREFIX: Final = "crlo_"
SESSION_PREFIX: Final = "crls_"
BUILT_IN: Final = "operator"
"""The operator whose token is in the server's settings."""
LOCAL: Final = "local"
"""Whoever is on the machine of a server without an operator token."""


class Role(StrEnum):
    """What an operator may do: look; work; decide who else may."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"

    def includes(self, other: "Role") -> bool:
        """Whether this role may do all that the other may."""
        return _RANK[self] >= _RANK[other]


_RANK: Final = {role: rank for rank, role in enumerate(Role)}


class NodeToken(Struct, frozen=True):
    """A token of a node's own, without the token."""

    token_id: UUID
    node_id: str
    created_at: datetime
    created_by: str
    last_used_at: datetime | None
    revoked_at: datetime | None
    revoked_by: str | None


class Operator(Struct, frozen=True):
    """A named operator, without the token; `token_at` is when the present one was made."""

    name: str
    role: Role
    token_at: datetime
    created_at: datetime
    created_by: str
    last_used_at: datetime | None
    revoked_at: datetime | None


class Found(Struct, frozen=True):
    """What a credential proves, as of a version of all credentials; nothing, where both names are None."""

    version: int
    token_id: UUID | None = None
    node_id: str | None = None
    name: str | None = None
    role: Role | None = None
    proof: bytes | None = None
    token_digest: bytes | None = None
    expires_at: datetime | None = None
    left_s: float | None = None


def mint_token(prefix: str) -> str:
    """A new secret of 256 bits. The prefix tells people, and those who look for leaks, what it is."""
    return prefix + secrets.token_urlsafe(32)


def digest_token(token: bytes) -> bytes:
    """What is kept of a token, and compared: of one length, so that comparing tells nothing of the token's."""
    return hashlib.sha256(token).digest()


def prove_session(cookie: bytes, token_digest: bytes) -> bytes:
    """Ties a session to the token that it was traded for, without telling anything of either."""
    return hashlib.sha256(cookie + token_digest).digest()
