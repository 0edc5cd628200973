"""What the processes of a farm have used of the machine, by the kernel's books and PostgreSQL's."""

import os
from pathlib import Path

from msgspec import Struct

from corral.engine import Engine

_TICKS = os.sysconf("SC_CLK_TCK")
_OWN, _ENDED_CHILDREN, _WITH_ENDED_CHILDREN = slice(11, 13), slice(13, 15), slice(11, 15)

_WAL = """
select pg_current_wal_insert_lsn() - '0/0' as bytes, pg_backend_pid() as pid,
       coalesce((select sum(fsyncs) from pg_stat_io where object = 'wal'), 0)::bigint as fsyncs,
       coalesce((select sum(fsync_time) from pg_stat_io where object = 'wal'), 0)::double precision / 1000 as fsync_s
"""


class Usage(Struct, frozen=True, kw_only=True):
    """So far. Times are seconds of processor, but for `fsync_s`, which is spent waiting."""

    server_s: float
    postgres_s: float
    housekeeping_s: float
    """Of PostgreSQL: vacuum and analyze, checkpoints, and writing what nobody waits for."""

    generator_s: float
    busy_s: float
    wal_bytes: int
    fsyncs: int
    fsync_s: float

    def since(self, before: "Usage") -> "Usage":
        return Usage(**{field: getattr(self, field) - getattr(before, field) for field in self.__struct_fields__})

    @property
    def other_s(self) -> float:
        """What neither the farm nor its model used."""
        return max(0.0, self.busy_s - self.server_s - self.postgres_s - self.generator_s)


async def read_usage(engine: Engine, server_pid: int | None = None) -> Usage:
    """Of the server process with its workers, of PostgreSQL with all its processes, and of this process."""
    row = await engine.database.fetch_only(_WAL)
    postmaster = _parent(row["pid"])
    return Usage(
        server_s=0.0 if server_pid is None else _family_s(server_pid),
        postgres_s=_family_s(postmaster),
        housekeeping_s=_housekeeping_s(postmaster),
        generator_s=_processor_s(os.getpid(), _OWN),
        busy_s=_busy_s(),
        wal_bytes=int(row["bytes"]),
        fsyncs=row["fsyncs"],
        fsync_s=row["fsync_s"],
    )


def _housekeeping_s(postmaster: int) -> float:
    """Connections last as long as a farm does, so that whoever has ended was a worker of autovacuum."""
    ended_s = _processor_s(postmaster, _ENDED_CHILDREN)
    children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text(encoding="utf-8").split()
    return ended_s + sum(_processor_s(int(child), _OWN) for child in children if _keeps_house(int(child)))


def _keeps_house(pid: int) -> bool:
    title = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    return any(word in title for word in ("autovacuum", "checkpointer", "background writer", "walwriter"))


def _family_s(pid: int) -> float:
    """A process, its children that live, and those that have ended."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
        own_s = _processor_s(pid, _WITH_ENDED_CHILDREN)
    except (FileNotFoundError, ProcessLookupError):  # it has just ended; its parent counts it from now on
        return 0.0
    return own_s + sum(_family_s(int(child)) for child in children)


def _processor_s(pid: int, fields: slice) -> float:
    return sum(map(int, _stat(pid)[fields])) / _TICKS


def _parent(pid: int) -> int:
    return int(_stat(pid)[1])


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def _busy_s() -> float:
    """By all processors, for anybody: user, nice, system, irq, softirq."""
    words = Path("/proc/stat").read_text(encoding="utf-8").splitlines()[0].split()
    return sum(int(words[place]) for place in (1, 2, 3, 6, 7)) / _TICKS
