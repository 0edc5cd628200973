"""Sessions of browsers, which hold a cookie in the place of an operator's token."""

from datetime import datetime, timedelta

from corral.engine.announce import CREDENTIALS, Announcements
from corral.engine.database import Database
from corral.model.credentials import SESSION_PREFIX, digest_token, mint_token, prove_session


class Sessions:
    """Signing in and out."""

    def __init__(self, database: Database, announcements: Announcements) -> None:
        self._database = database
        self._announcements = announcements

    async def open_session(self, name: str, *, token_digest: bytes, lifetime: timedelta) -> tuple[str, datetime]:
        """The cookie of a new session, and when that ends. The caller has checked the token whose digest this is."""
        cookie = mint_token(SESSION_PREFIX)
        proof = prove_session(cookie.encode(), token_digest)
        expires_at: datetime = await self._database.fetch_value(
            "select corral.fn_open_session($1, $2, $3, $4)", digest_token(cookie.encode()), name, proof, lifetime
        )
        return cookie, expires_at

    async def close_session(self, digest: bytes) -> None:
        """End the session whose cookie has this sha256, on every server."""
        await self._database.fetch_value("select corral.fn_close_session($1)", digest)
        self._announcements.announce([CREDENTIALS])
