"""PostgreSQL for tests: one server of a version for each process of tests, and databases that one test leaves to the next.

A session that has compiled and planned the engine's functions is several times as fast as one that has just begun, and to make
and drop a database takes longer than most tests do. So a database is emptied between tests and its sessions stay. Where
a test changed more than rows, or somebody is still connected, the next one gets another.
"""

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Final, Self

import asyncpg

from corral.engine import Engine
from corral.engine.database import Database
from corral.engine.embedded import EmbeddedPostgres
from tests.tasks import end_tasks

TEMPLATE: Final = "template_farm"
_MOST_USES: Final = 200
"""Whoever deletes leaves dead rows behind."""
_PATIENCE_S: Final = 1.0
"""PostgreSQL notices that a client hung up when it comes to it."""

MOVABLE_CLOCK: Final = """
create schema corral_test;
create table corral_test.clock (stands_at timestamptz, moved_by interval not null);
insert into corral_test.clock values (null, '0');
create or replace function corral.fn_now() returns timestamptz language sql stable parallel safe
as $$ select coalesce((select stands_at from corral_test.clock), pg_catalog.now()) + (select moved_by from corral_test.clock) $$;
"""
FROZEN_CLOCK: Final = "update corral_test.clock set stands_at = timestamptz '2030-01-01T00:00:00Z'"

# The rows that migrations put in are kept aside, and a function brings everything back to that, whatever triggers and foreign
# keys say. What is not rows and sequences changes by statements that an event trigger counts.
_START_OVER: Final = """
do $do$
declare
    v_table text;
    v_has_rows boolean;
    v_sequence record;
    v_body text := $$update corral_test.clock set stands_at = null, moved_by = '0';$$;
begin
    for v_table in select relname from pg_class where relnamespace = 'corral'::regnamespace and relkind = 'r' order by 1 loop
        v_body := v_body || format('delete from corral.%I;', v_table);
        execute format('select exists (select from corral.%I)', v_table) into v_has_rows;
        if v_has_rows then
            execute format('create table corral_test.%I as table corral.%I', 'first_' || v_table, v_table);
            v_body := v_body || format('insert into corral.%I overriding system value table corral_test.%I;',
                                       v_table, 'first_' || v_table);
        end if;
    end loop;
    for v_sequence in select schemaname, sequencename, start_value, last_value from pg_sequences where schemaname = 'corral' loop
        v_body := v_body || format('perform setval(%L, %s, %L);',
                                   format('%I.%I', v_sequence.schemaname, v_sequence.sequencename),
                                   coalesce(v_sequence.last_value, v_sequence.start_value),
                                   v_sequence.last_value is not null);
    end loop;
    execute format('create function corral_test.start_over() returns void language plpgsql'
                   ' set session_replication_role = replica as %L', format('begin %s end', v_body));
end
$do$;
create sequence corral_test.definitions;
create function corral_test.count_definition() returns event_trigger language plpgsql
as $$ begin perform nextval('corral_test.definitions'); end $$;
create event trigger corral_test_definitions on ddl_command_end execute function corral_test.count_definition();
"""
_STATE: Final = """
select (select is_called from corral_test.definitions) as is_altered,
       (select count(*) from pg_stat_activity where datname = current_database() and backend_type = 'client backend') as sessions
"""


def with_database(dsn: str, name: str) -> str:
    """The same server, another database."""
    head, _, query = dsn.partition("?")
    return f"{head.rsplit('/', 1)[0]}/{name}" + (f"?{query}" if query else "")


async def execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def copy_template(server_dsn: str, name: str) -> str:
    """The address of a new database, migrated."""
    await execute(server_dsn, f"create database {name} template {TEMPLATE} strategy file_copy")
    return with_database(server_dsn, name)


class KeptDatabase:
    """A migrated database, with sessions that stay, for one test after the other."""

    def __init__(self, server_dsn: str, name: str, database: Database) -> None:
        self.dsn = database.dsn
        self.database = database
        self._server_dsn = server_dsn
        self._name = name
        self._uses = 0

    @classmethod
    async def make(cls, server_dsn: str, name: str, *, max_connections: int = 24) -> "KeptDatabase":
        dsn = await copy_template(server_dsn, name)
        return cls(server_dsn, name, await Database.open(dsn, max_connections=max_connections))

    @asynccontextmanager
    async def engine(self) -> AsyncIterator[Engine]:
        engine = Engine(self.database)
        try:
            yield engine
        finally:
            await engine.announcements.flush()

    async def start_over(self) -> bool:
        """Be as a new one, or say that another is needed."""
        self._uses += 1
        if self._uses >= _MOST_USES or not await self._is_left_alone():
            return False
        await self.database.fetch("select corral_test.start_over()")
        return True

    async def drop(self) -> None:
        await self.database.close()
        await execute(self._server_dsn, f"drop database {self._name} with (force)")

    async def _is_left_alone(self) -> bool:
        deadline = asyncio.get_running_loop().time() + _PATIENCE_S
        while asyncio.get_running_loop().time() < deadline:
            state = await self.database.fetch_only(_STATE)
            if state["is_altered"]:
                return False
            if state["sessions"] <= self.database._pool.get_size():
                return True
            await asyncio.sleep(0.005)
        return False


class Server:
    """A PostgreSQL with a migrated database to copy, whose clock can be moved."""

    def __init__(self, dsn: str) -> None:
        self.dsn = dsn
        self._numbers = itertools.count()
        self._kept: KeptDatabase | None = None

    @classmethod
    @asynccontextmanager
    async def run(cls, bin_dir: Path) -> "AsyncIterator[Server]":
        async with EmbeddedPostgres.ephemeral(bin_dir=bin_dir) as cluster:
            await execute(cluster.dsn, f"create database {TEMPLATE}")
            template = with_database(cluster.dsn, TEMPLATE)
            async with Engine.connect(template, max_connections=1) as engine:
                await engine.migrate()
            await execute(template, MOVABLE_CLOCK)
            await execute(template, _START_OVER)
            server = cls(cluster.dsn)
            yield server
            if server._kept is not None:
                await server._kept.database.close()

    def new_name(self, of: str) -> str:
        return f"{of}_{next(self._numbers)}"

    @asynccontextmanager
    async def new_database(self) -> AsyncIterator[str]:
        """The address of a migrated one that nobody has used or is connected to."""
        name = self.new_name("new")
        yield await copy_template(self.dsn, name)
        await execute(self.dsn, f"drop database {name} with (force)")

    @asynccontextmanager
    async def database(self) -> AsyncIterator[KeptDatabase]:
        """For one test. What it leaves running in this loop ends with it."""
        kept, self._kept = self._kept, None
        if kept is None:
            kept = await KeptDatabase.make(self.dsn, self.new_name("farm"))
        others = asyncio.all_tasks()
        try:
            yield kept
        finally:
            await end_tasks(asyncio.all_tasks() - others)
            if await kept.start_over():
                self._kept = kept
            else:
                await kept.drop()


class Servers:
    """Those of this process, each started when first asked for."""

    def __init__(self) -> None:
        self._stack = AsyncExitStack()
        self._servers: dict[Path, Server] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def find(self, bin_dir: Path) -> Server:
        if (server := self._servers.get(bin_dir)) is None:
            server = self._servers[bin_dir] = await self._stack.enter_async_context(Server.run(bin_dir))
        return server
