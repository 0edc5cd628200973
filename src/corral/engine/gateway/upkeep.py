"""What the server's one upkeep leader does to the engine, a small transaction at a time."""

from collections.abc import Awaitable, Sequence
from datetime import timedelta

from corral.engine.announce import COORDINATOR, Announcements
from corral.engine.database import Database, to_record, to_records
from corral.engine.gateway.reservations import Reservations
from corral.engine.gateway.runs import Runs
from corral.model.errors import CorralError
from corral.model.records import Json, Tick, Violation


class Upkeep:
    """Verdicts, guarantees and purges."""

    def __init__(
        self, database: Database, runs: Runs, reservations: Reservations, announcements: Announcements
    ) -> None:
        self._database = database
        self._runs = runs
        self._reservations = reservations
        self._announcements = announcements

    async def tick_upkeep(self) -> Tick:
        """Note that upkeep is alive; learn whether verdicts may be passed."""
        row = await self._database.fetch_only("select * from corral.fn_tick_upkeep()")
        return to_record(row, Tick)

    async def expire_leases(self) -> int:
        """Take back the leases of silent nodes, one node a transaction; one node's trouble does not spare the others."""
        nodes = await self._database.fetch("select node_id from corral.fn_list_silent_nodes() as t (node_id)")
        return await _each(
            [self._database.fetch_value("select corral.fn_expire_leases($1)", node["node_id"]) for node in nodes]
        )

    async def expire_sessions(self) -> int:
        """End sessions that were not renewed in time, one a transaction."""
        expired = await self._reservations.list_expired()
        return await _each([self._reservations.expire_session(session_id) for session_id in expired])

    async def expire_agents(self) -> int:
        """Take back the tasks of silent agents, one agent a transaction."""
        agents = await self._database.fetch("select agent_id from corral.fn_list_silent_agents() as t (agent_id)")
        return self._told(
            await _each(
                [self._database.fetch_value("select corral.fn_expire_agent($1)", agent["agent_id"]) for agent in agents]
            )
        )

    async def notice_silent_agents(self) -> int:
        """Let streams know of agents that are no longer heard."""
        return self._told(await self._database.fetch_value("select corral.fn_notice_silent_agents()"))

    async def skip_unavailable(self, *, chunk: int = 1000) -> int:
        """End the waiting of jobs where no work can start, round by round until nothing is left to end."""
        ended = 0
        while count := await self._database.fetch_value("select corral.fn_skip_unavailable($1)", chunk):
            ended += count
        return ended

    async def time_out_pools(self, *, chunk: int = 1000) -> int:
        """Fail jobs of pools that found no device in time."""
        ended = 0
        while count := await self._database.fetch_value("select corral.fn_time_out_pools($1)", chunk):
            ended += count
        return ended

    async def expire_steps(self, *, chunk: int = 1000) -> int:
        """Take back steps of distributed jobs that are past their own deadline."""
        taken = 0
        while count := await self._database.fetch_value("select corral.fn_expire_steps($1)", chunk):
            taken += count
        return taken

    async def time_out_jobs(self) -> int:
        """Fail distributed jobs that have taken too long, one a transaction."""
        failed = 0
        while count := await self._database.fetch_value("select corral.fn_time_out_jobs()"):
            failed += count
        return failed

    async def fail_unclaimable_steps(self, *, chunk: int = 1000) -> int:
        """Fail steps that no live node has been capable of for too long."""
        failed = 0
        while count := await self._database.fetch_value("select corral.fn_fail_unclaimable_steps($1)", chunk):
            failed += count
        return failed

    async def resolve_contested(self) -> int:
        """Move contested devices that are free to move."""
        moved: int = await self._database.fetch_value("select corral.fn_resolve_contested()")
        return moved

    async def resume_unfinished_work(self) -> int:
        """Go on with fan-outs and cancellations whose process died half-way; returns how many jobs that touched."""
        rows = await self._database.fetch("select * from corral.fn_list_unfinished_work()")
        return await _each(
            [
                self._runs.cancel_jobs(row["run_id"])
                if row["work"] == "cancel"
                else self._runs.fan_out_run(row["run_id"])
                for row in rows
            ]
        )

    async def finish_open_runs(self) -> int:
        """End every run whose jobs have all ended."""
        ended: int = await self._database.fetch_value("select corral.fn_finish_open_runs()")
        return ended

    async def expire_scans(self) -> int:
        """Fail scans that did not finish in time."""
        failed: int = await self._database.fetch_value("select corral.fn_expire_scans()")
        return failed

    async def purge_events(self, older_than: timedelta, *, chunk: int = 10_000) -> int:
        """Forget old events, a chunk a transaction."""
        return await self._purge("select corral.fn_purge_events(corral.fn_now() - $1::interval, $2)", older_than, chunk)

    async def purge_logs(self, older_than: timedelta, *, chunk: int = 10_000) -> int:
        """Forget old log lines, a chunk a transaction."""
        return await self._purge("select corral.fn_purge_logs(corral.fn_now() - $1::interval, $2)", older_than, chunk)

    async def purge_samples(self, older_than: timedelta, *, chunk: int = 10_000) -> int:
        """Forget how devices were long ago, a chunk a transaction; the last change of a device's health stays."""
        statement = "select corral.fn_purge_samples(corral.fn_now() - $1::interval, $2)"
        return await self._purge(statement, older_than, chunk)

    async def purge_pictures(self, unwatched_for: timedelta) -> int:
        """Forget pictures of screens that nobody has looked at for so long."""
        gone: int = await self._database.fetch_value("select corral.fn_purge_pictures($1)", unwatched_for)
        return gone

    async def purge_artifacts(self, older_than: timedelta, *, chunk: int = 1000) -> int:
        """Forget old artifacts, a chunk a transaction; their bytes are then leftovers of the store."""
        statement = "select corral.fn_purge_artifacts(corral.fn_now() - $1::interval, $2)"
        return await self._purge(statement, older_than, chunk)

    async def purge_runs(self, older_than: timedelta, *, chunk: int = 1000) -> int:
        """Forget runs that ended long ago, with all that belongs to them; returns how many jobs went."""
        return await self._purge("select corral.fn_purge_runs(corral.fn_now() - $1::interval, $2)", older_than, chunk)

    async def purge_task_claims(self, older_than: timedelta, *, chunk: int = 10_000) -> int:
        """Forget old keys of task claims, a chunk a transaction."""
        statement = "select corral.fn_purge_task_claims(corral.fn_now() - $1::interval, $2)"
        return await self._purge(statement, older_than, chunk)

    async def purge_agent_events(self, older_than: timedelta, *, chunk: int = 10_000) -> int:
        """Forget what agents told long ago, with its keys, a chunk a transaction."""
        statement = "select corral.fn_purge_agent_events(corral.fn_now() - $1::interval, $2)"
        return await self._purge(statement, older_than, chunk)

    async def purge_agents(self, older_than: timedelta, *, chunk: int = 10_000) -> int:
        """Forget agents that were last heard long ago, a chunk a transaction."""
        statement = "select corral.fn_purge_agents(corral.fn_now() - $1::interval, $2)"
        return self._told(await self._purge(statement, older_than, chunk))

    async def purge_changes(self, older_than: timedelta, *, chunk: int = 10_000) -> int:
        """Forget what streams were told long ago, a chunk a transaction."""
        statement = "select corral.fn_purge_changes(corral.fn_now() - $1::interval, $2)"
        return await self._purge(statement, older_than, chunk)

    async def close_idle_chains(self, older_than: timedelta, *, chunk: int = 1000) -> int:
        """Close chains of which nothing has been left to do for long, a chunk a transaction."""
        statement = "select corral.fn_close_idle_chains(corral.fn_now() - $1::interval, $2)"
        return self._told(await self._purge(statement, older_than, chunk))

    async def report_disks(self, host: str, disks: Sequence[Json]) -> None:
        """Write down how full a server's file systems are: `{path, total_bytes, free_bytes}` each."""
        await self._database.fetch("select corral.fn_report_disks($1, $2)", host, list(disks))

    async def check_invariants(self) -> list[Violation]:
        """What is broken, if anything: nothing, unless there is a bug."""
        return to_records(await self._database.fetch("select * from corral.fn_check_invariants()"), Violation)

    def _told(self, count: int) -> int:
        if count:
            self._announcements.announce([COORDINATOR])
        return count

    async def _purge(self, statement: str, older_than: timedelta, chunk: int) -> int:
        gone = 0
        while count := await self._database.fetch_value(statement, older_than, chunk):
            gone += count
            if count < chunk:
                break
        return gone


async def _each(calls: Sequence[Awaitable[int]]) -> int:
    """Make every call, in order, whatever becomes of the others; then add up, or raise the first error."""
    total = 0
    first: CorralError | None = None
    for call in calls:
        try:
            total += await call
        except CorralError as error:
            first = first or error
    if first is not None:
        raise first
    return total
