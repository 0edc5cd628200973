"""Sessions that hold phones; those of browsers that are signed in are gateway/sessions.py."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from corral.engine.announce import EVERYBODY, Announcements
from corral.engine.database import Database, to_record, to_records
from corral.engine.gateway.runs import Runs
from corral.model.errors import NotFoundError
from corral.model.records import Json
from corral.model.sessions import DeviceSession, SessionInput
from corral.workflow import HOLD_NAME, LONGEST_HOLD_S, hold_recipe


class Reservations:
    """Phones that are held for people and programs."""

    def __init__(self, database: Database, runs: Runs, announcements: Announcements) -> None:
        self._database = database
        self._runs = runs
        self._announcements = announcements

    async def open_session(
        self,
        holder: str,
        *,
        tags: Sequence[str] = (),
        device: str | None = None,
        ttl: timedelta = timedelta(minutes=10),
        purpose: str | None = None,
    ) -> DeviceSession:
        """Hold any phone with these tags, or the one that `device` names; it is had when the session is active.

        Raises NotFoundError for the device, InvalidRequestError for tags that no device has, ConflictError for a farm
        without devices.
        """
        row = await self._database.fetch_only(
            "select * from corral.fn_open_device_session($1, $2, $3, $4, $5, $6, $7, $8)",
            holder,
            purpose,
            list(tags),
            device,
            ttl,
            HOLD_NAME,
            hold_recipe(),
            timedelta(seconds=LONGEST_HOLD_S),
        )
        self._announcements.announce(row["node_ids"] or [EVERYBODY])
        return await self.get(row["session_id"])

    async def renew_session(self, session_id: UUID, *, actor: str, ttl: timedelta | None = None) -> DeviceSession:
        """Let it go on. Raises NotFoundError, ForbiddenError for another than the holder, ConflictError once it ended."""
        await self._database.fetch("select corral.fn_renew_device_session($1, $2, $3)", session_id, ttl, actor)
        return await self.get(session_id)

    async def release_session(self, session_id: UUID, *, actor: str, reason: str | None = None) -> DeviceSession:
        """End it; another than the holder must give a reason. Repeating it is safe.

        Raises NotFoundError, and InvalidRequestError where the reason is missing.
        """
        await self._cancel(
            await self._database.fetch_value(
                "select corral.fn_release_device_session($1, $2, $3)", session_id, reason, actor
            )
        )
        return await self.get(session_id)

    async def expire_session(self, session_id: UUID) -> bool:
        """End it if it was not renewed in time; whether this call did."""
        run_id: UUID | None = await self._database.fetch_value("select corral.fn_expire_device_session($1)", session_id)
        await self._cancel(run_id)
        return run_id is not None

    async def list_expired(self) -> list[UUID]:
        """Live sessions that were not renewed in time."""
        rows = await self._database.fetch("select t.id from corral.fn_list_expired_device_sessions() as t (id)")
        return [row["id"] for row in rows]

    async def send_input(self, session_id: UUID, touch: Json, *, actor: str) -> None:
        """Let the node that has the phone do this to its screen; `touch` is what wire/sessions.py says.

        Raises NotFoundError, ForbiddenError for another than the holder, ConflictError unless the session is active.
        """
        node_id: str = await self._database.fetch_value(
            "select corral.fn_send_device_input($1, $2, $3)", session_id, touch, actor
        )
        self._announcements.announce([node_id])

    async def list_inputs(self, node_id: str, *, taken: Mapping[UUID, int]) -> list[SessionInput]:
        """What holders did to the screens of a node's phones; `taken` says how far the node came with each lease."""
        plain = {str(token): seq for token, seq in taken.items()}
        rows = await self._database.fetch("select * from corral.fn_list_device_inputs($1, $2)", node_id, plain)
        return to_records(rows, SessionInput)

    async def get(self, session_id: UUID) -> DeviceSession:
        """Raises NotFoundError."""
        row = await self._database.fetch_one(
            "select * from corral.device_session_states where session_id = $1", session_id
        )
        if row is None:
            message = f"no session {session_id}"
            raise NotFoundError(message, path="session_id")
        return to_record(row, DeviceSession)

    async def list(self, *, is_live: bool = True, before: UUID | None = None, limit: int = 100) -> list[DeviceSession]:
        """Sessions, newest first, those that have not ended or all; `before` is the last one seen."""
        rows = await self._database.fetch(
            "select * from corral.device_session_states where (not $1 or ended_at is null)"
            " and ($2::uuid is null or session_id < $2) order by session_id desc limit $3",
            is_live,
            before,
            limit,
        )
        return to_records(rows, DeviceSession)

    async def _cancel(self, run_id: UUID | None) -> None:
        if run_id is not None:
            await self._runs.cancel_jobs(run_id)
