"""Schema and Python agree, a function lives in a file of its name, and every way of migrating ends alike."""

import asyncio
import re
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import get_args
from uuid import RFC_4122

import asyncpg
import pytest

from corral.engine import Engine, migrate
from corral.engine.sqlstates import ERRORS_BY_SQLSTATE
from corral.model import states
from corral.model.errors import DatabaseNotReadyError
from corral.model.notifications import NotificationType
from corral.model.records import NewStep
from corral.model.states import (
    AgentStatus,
    CaseStatus,
    CatchUp,
    Chunking,
    Connection,
    DeliveryStatus,
    EventOutcome,
    FailureReason,
    FiringOutcome,
    Health,
    JobStatus,
    LeaseEnding,
    Overlap,
    RunStatus,
    ScanStatus,
    SessionEnd,
    StepStatus,
    SuitePart,
    WebhookKind,
)
from corral.wire.webhooks import Subscription
from tests.engine.programs import run_program
from tests.postgres import execute

SQL = Path(migrate.__file__).parent / "sql"
FUNCTION_FILES = sorted(SQL.glob("functions/*/*.sql"))
VIEW_FILES = sorted(SQL.glob("views/*.sql"))

ENUM_OF_COLUMN: dict[str, type[StrEnum]] = {
    "runs.status": RunStatus,
    "jobs.status": JobStatus,
    "jobs.failure_reason": FailureReason,
    "job_steps.status": StepStatus,
    "leases.ending": LeaseEnding,
    "devices.connection": Connection,
    "devices.health": Health,
    "scan_jobs.status": ScanStatus,
    "node_events.outcome": EventOutcome,
    "agents.status": AgentStatus,
    "schedules.overlap": Overlap,
    "schedules.catch_up": CatchUp,
    "firings.outcome": FiringOutcome,
    "webhooks.kind": WebhookKind,
    "deliveries.status": DeliveryStatus,
    "test_results.status": CaseStatus,
    "test_units.verdict": CaseStatus,
    "test_suites.chunk": Chunking,
    "test_phones.part": SuitePart,
    "device_sessions.end_reason": SessionEnd,
}
# An event that is a duplicate was recorded before, and an invalid one has no id to be recorded under.
NOT_RECORDED = {EventOutcome.DUPLICATE, EventOutcome.INVALID}

# A function of an earlier version, whose file is no more.
GONE = "create or replace function corral.fn_gone() returns integer language sql as 'select 1';"


async def fetch(dsn: str, query: str, *args: object) -> list[asyncpg.Record]:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetch(query, *args)
    finally:
        await connection.close()


async def listed_values(dsn: str) -> dict[str, set[str]]:
    """The values that each column's CHECK (column in (…)) lists, by table.column."""
    rows = await fetch(
        dsn,
        "select format('%s.%s', t.relname, a.attname) as name, pg_get_constraintdef(c.oid) as definition"
        "  from pg_constraint c join pg_class t on t.oid = c.conrelid"
        "  join pg_attribute a on a.attrelid = t.oid and array[a.attnum] = c.conkey"
        " where c.contype = 'c' and t.relnamespace = 'corral'::regnamespace",
    )
    return {
        row["name"]: set(re.findall(r"'([^']*)'::text", row["definition"]))
        for row in rows
        if "ANY (ARRAY[" in row["definition"]
    }


async def dump_schema(dsn: str) -> str:
    done = await run_program("pg_dump", "--schema-only", "--schema=corral", dsn=dsn)
    assert done.returncode == 0, done.stderr
    # Newer versions frame a dump with a random word, so that its text cannot run commands of psql.
    return re.sub(r"^\\(un)?restrict .*\n", "", done.stdout, flags=re.MULTILINE)


async def migrate_database(dsn: str) -> list[str]:
    async with Engine.connect(dsn, max_connections=1) as engine:
        return await engine.migrate()


async def test_every_enum_equals_the_check_of_its_column(farm_dsn: str) -> None:
    listed = await listed_values(farm_dsn)

    for column, enum in ENUM_OF_COLUMN.items():
        expected = {member.value for member in enum} - (NOT_RECORDED if enum is EventOutcome else set())
        assert listed[column] == expected, column


async def test_what_webhooks_are_told_of_equals_the_check_of_its_column(farm_dsn: str) -> None:
    assert (await listed_values(farm_dsn))["notifications.type"] == set(NotificationType)
    assert {str(each) for each in NotificationType} - {"ping"} == set(get_args(Subscription))


async def test_no_enum_of_states_and_no_status_column_is_left_unpinned(farm_dsn: str) -> None:
    enums = {
        item
        for item in vars(states).values()
        if isinstance(item, type) and issubclass(item, StrEnum) and item is not StrEnum
    }
    status_columns = {name for name in await listed_values(farm_dsn) if name.endswith(".status")}

    assert enums == set(ENUM_OF_COLUMN.values())
    assert status_columns <= set(ENUM_OF_COLUMN)


@pytest.mark.parametrize(
    ("constraint", "enum"),
    [
        ("jobs_end_when_finished", JobStatus),
        ("job_steps_end_when_finished", StepStatus),
        ("runs_end_when_finished", RunStatus),
    ],
)
async def test_the_same_states_are_terminal_in_python_and_in_the_schema(
    farm_dsn: str, constraint: str, enum: type[JobStatus | StepStatus | RunStatus]
) -> None:
    (row,) = await fetch(
        farm_dsn,
        "select pg_get_constraintdef(oid) as definition from pg_constraint where conname = $1",
        constraint,
    )

    assert set(re.findall(r"'([^']*)'::text", row["definition"])) == {str(s) for s in enum if s.is_terminal}


async def test_sql_knows_every_failure_reason_and_no_other(farm_dsn: str) -> None:
    reasons = [str(reason) for reason in FailureReason]
    (row,) = await fetch(
        farm_dsn,
        "select array_agg(corral.fn_known_reason(r) order by n) as known"
        " from unnest($1::text[]) with ordinality as u (r, n)",
        [*reasons, "made_up"],
    )
    (source,) = await fetch(farm_dsn, "select prosrc from pg_proc where proname = 'fn_known_reason'")

    assert row["known"] == [*reasons, "unknown"]
    assert set(re.findall(r"'(\w+)'", source["prosrc"])) == set(reasons)


def test_every_sqlstate_raised_has_an_error_and_every_error_is_raised() -> None:
    raised = {code for file in FUNCTION_FILES for code in re.findall(r"errcode = '(\w+)'", file.read_text())}

    assert raised == set(ERRORS_BY_SQLSTATE)


@pytest.mark.parametrize("file", FUNCTION_FILES, ids=lambda file: file.stem)
def test_a_function_file_holds_one_function_of_its_name_with_a_header(file: Path) -> None:
    text = file.read_text()
    header = text.partition("create ")[0]

    assert re.findall(r"^create or replace function (\S+?)\(", text, re.MULTILINE) == [f"corral.{file.stem}"]
    assert not re.search(r"^create (?!or replace function)", text, re.MULTILINE)
    assert header.startswith("-- ")
    assert all(line.startswith("--") for line in header.splitlines())


@pytest.mark.parametrize("file", FUNCTION_FILES, ids=lambda file: file.stem)
def test_a_function_sets_its_search_path_unless_it_is_one_to_inline(file: Path) -> None:
    """The planner inlines only functions without SET: small ones in SQL, called once per row or more (fn_now,
    fn_uuid7, fn_one_of …). They may leave it out if no search_path can mislead them: they name nothing of ours."""
    head, _, body = file.read_text().partition("as $$")
    ours = {
        name
        for migration in migrate.list_migrations()
        for name in re.findall(r"create \w+ corral\.(\w+)", migration.sql)
    }
    ours |= {other.stem for other in (*FUNCTION_FILES, *VIEW_FILES)}
    unqualified = set(re.findall(r"(?<![.\w'])\w+", body)) & ours

    is_inlined = "language sql" in head and not unqualified
    assert "set search_path = corral, pg_catalog" in head or is_inlined


@pytest.mark.parametrize("file", FUNCTION_FILES, ids=lambda file: file.stem)
def test_a_functions_header_names_the_errors_that_it_raises_itself(file: Path) -> None:
    header, _, body = file.read_text().partition("create ")

    assert set(re.findall(r"errcode = '(CR\d+)'", body)) <= set(re.findall(r"CR\d+", header))


@pytest.mark.parametrize("file", VIEW_FILES, ids=lambda file: file.stem)
def test_a_view_file_holds_one_view_of_its_name_with_a_header(file: Path) -> None:
    text = file.read_text()

    assert re.findall(r"^create or replace view (\S+)", text, re.MULTILINE) == [f"corral.{file.stem}"]
    assert text.startswith("-- ")


async def test_the_schema_has_exactly_the_functions_and_views_that_have_files(farm_dsn: str) -> None:
    functions = await fetch(farm_dsn, "select proname from pg_proc where pronamespace = 'corral'::regnamespace")
    views = await fetch(farm_dsn, "select viewname from pg_views where schemaname = 'corral'")

    assert sorted(row["proname"] for row in functions) == sorted(file.stem for file in FUNCTION_FILES)
    assert sorted(row["viewname"] for row in views) == sorted(file.stem for file in VIEW_FILES)


async def test_every_function_compiles(empty_dsn: str) -> None:
    """They are created with their bodies unchecked, because they name one another in any order."""
    await migrate_database(empty_dsn)

    for file in FUNCTION_FILES:
        await execute(empty_dsn, file.read_text())


def test_migrations_are_numbered_without_a_gap_and_without_a_twin() -> None:
    assert [migration.number for migration in migrate.list_migrations()] == list(
        range(1, len(migrate.list_migrations()) + 1)
    )


async def test_a_database_migrated_step_by_step_equals_one_migrated_at_once(
    empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrations, definitions = migrate.list_migrations(), migrate.list_definitions()
    await migrate_database(empty_dsn)
    at_once = await dump_schema(empty_dsn)
    await execute(empty_dsn, "drop schema corral cascade")

    # A view must find its tables, so today's definitions fit today's tables only; earlier ones had others.
    monkeypatch.setattr(migrate, "list_definitions", lambda: [GONE])
    for count in range(1, len(migrations)):
        monkeypatch.setattr(migrate, "list_migrations", partial(migrations.__getitem__, slice(count)))
        assert len(await migrate_database(empty_dsn)) == 1
    monkeypatch.setattr(migrate, "list_definitions", lambda: definitions)
    monkeypatch.setattr(migrate, "list_migrations", lambda: migrations)
    assert len(await migrate_database(empty_dsn)) == 1

    assert await dump_schema(empty_dsn) == at_once


async def test_steps_outlive_their_table_getting_another_order(empty_dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrations = migrate.list_migrations()
    before = [each for each in migrations if each.number < 22]
    monkeypatch.setattr(migrate, "list_migrations", lambda: before)
    await migrate_database(empty_dsn)
    await execute(empty_dsn, "alter table corral.job_steps add column run_id uuid")  # for today's functions
    async with Engine.connect(empty_dsn, max_connections=1) as engine:
        job = await engine.jobs.create("old")
        await engine.steps.create_steps(
            job.job_id, [NewStep("first"), NewStep("second", needs=["first"]), NewStep("third")]
        )
        node = await engine.nodes.register_node("desk", state_id="desk")
        first, third = await engine.steps.claim_ready_steps("desk", epoch=node.epoch, want=2)
        await engine.steps.mark_completed("desk", first, output={"n": 1})
        kept = await engine.database.fetch("select to_jsonb(s) as step from corral.job_steps s order by s.name")

    monkeypatch.setattr(migrate, "list_migrations", lambda: migrations)
    await migrate_database(empty_dsn)

    async with Engine.connect(empty_dsn, max_connections=1) as engine:
        assert await engine.database.fetch("select to_jsonb(s) as step from corral.job_steps s order by s.name") == kept
        (second,) = await engine.steps.claim_ready_steps("desk", epoch=node.epoch, want=2)
        for grant in (second, third):
            await engine.steps.mark_completed("desk", grant)
        assert (await engine.jobs.get(job.job_id)).status is JobStatus.SUCCEEDED
        assert await engine.upkeep.check_invariants() == []


async def test_migrating_again_changes_nothing(empty_dsn: str) -> None:
    first = await migrate_database(empty_dsn)
    dump = await dump_schema(empty_dsn)

    assert await migrate_database(empty_dsn) == []
    assert await migrate_database(empty_dsn) == []
    assert len(first) == len(migrate.list_migrations())
    assert await dump_schema(empty_dsn) == dump


async def test_a_function_whose_file_is_gone_goes_with_the_next_change_of_definitions(
    empty_dsn: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    definitions = migrate.list_definitions()
    view = "create or replace view corral.gone as select corral.fn_gone();"
    monkeypatch.setattr(migrate, "list_definitions", lambda: [*definitions, GONE, view])
    await migrate_database(empty_dsn)
    monkeypatch.undo()

    await migrate_database(empty_dsn)

    left = "select to_regproc('corral.fn_gone') as function, to_regclass('corral.gone') as view"
    assert [tuple(row) for row in await fetch(empty_dsn, left)] == [(None, None)]


async def test_many_servers_may_migrate_at_once(empty_dsn: str) -> None:
    applied = await asyncio.gather(*(migrate_database(empty_dsn) for _ in range(4)))

    assert sorted(map(len, applied)) == [0, 0, 0, len(migrate.list_migrations())]


async def test_a_database_that_was_never_migrated_is_not_ready(empty_dsn: str) -> None:
    async with Engine.connect(empty_dsn, max_connections=1) as engine:
        with pytest.raises(DatabaseNotReadyError, match="migrate it first"):
            await engine.check_migrated()
        await engine.migrate()
        await engine.check_migrated()


@pytest.mark.parametrize(
    ("forgery", "complaint"),
    [
        ("update corral.migrations set checksum = 'other' where number = 2", "was changed after"),
        (
            "insert into corral.migrations (number, name, checksum) values (9999, 'later', '')",
            "does not know",
        ),
    ],
    ids=["edited migration", "newer database"],
)
async def test_a_database_that_it_cannot_vouch_for_is_refused_and_left_alone(
    empty_dsn: str, forgery: str, complaint: str
) -> None:
    await migrate_database(empty_dsn)
    dump = await dump_schema(empty_dsn)
    await execute(empty_dsn, forgery)

    async with Engine.connect(empty_dsn, max_connections=1) as engine:
        with pytest.raises(DatabaseNotReadyError, match=complaint):
            await engine.migrate()
        with pytest.raises(DatabaseNotReadyError, match=complaint):
            await engine.check_migrated()

    assert await dump_schema(empty_dsn) == dump


async def test_ids_sort_in_the_order_in_which_they_were_made(empty_dsn: str) -> None:
    await migrate_database(empty_dsn)
    connection = await asyncpg.connect(empty_dsn)
    try:
        made = [await connection.fetchval("select corral.fn_uuid7()") for _ in range(500)]
    finally:
        await connection.close()

    assert made == sorted(made)
    assert {(each.version, each.variant) for each in made} == {(7, RFC_4122)}
