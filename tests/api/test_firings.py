"""Due times happen once each: whatever number of servers tries, whichever dies, and as the schedule's policies say."""

import asyncio
import signal
from datetime import datetime, timedelta
from typing import Any

import pytest

from corral.engine import Engine
from corral.model.errors import DatabaseUnavailableError
from corral.model.schedules import Firing, Schedule
from corral.timetable import Timetable
from corral.upkeep.fire_schedules import fire_schedules
from tests.api.process import running
from tests.engine.farm import Farm

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
RECIPE: dict[str, Any] = {"name": "smoke", "steps": [{"id": "look", "uses": "device.screenshot"}]}


async def given_schedule(farm: Farm, cron: str = "* * * * *", **fields: object) -> Schedule:
    """A schedule whose next time is the next one from now."""
    await farm.engine.workflows.create_workflow("smoke", RECIPE)
    body = {
        "name": "nightly",
        "workflow_name": "smoke",
        "cron": cron,
        "time_zone": "UTC",
        "run_request": {"target": {"all": True}},
        "secret_params": {},
        "overlap": "allow",
        "catch_up": "all",
        "catch_up_limit": 10,
        "is_paused": False,
    }
    next_fire_at = Timetable.parse(cron, "UTC").next_after(await farm.engine.schedules.now())
    return await farm.engine.schedules.create_schedule({**body, **fields}, next_fire_at=next_fire_at, actor="ann")


async def move_clock_to(farm: Farm, at: datetime) -> None:
    await farm.clock.advance(at - await farm.engine.schedules.now() + timedelta(seconds=1))


async def firings_of(farm: Farm, schedule: Schedule) -> list[Firing]:
    """Oldest first."""
    return (await farm.engine.schedules.list_firings(schedule.schedule_id, limit=5000))[::-1]


async def told(farm: Farm, schedule: Schedule) -> list[str]:
    return [str(firing.outcome) for firing in await firings_of(farm, schedule)]


@pytest.mark.timeout(400)  # a day has 1,440 minutes, and the machine may be busy
async def test_two_servers_fire_every_minute_of_a_day_once(farm: Farm, farm_dsn: str) -> None:
    schedule = await given_schedule(farm)
    assert schedule.next_fire_at is not None
    await move_clock_to(farm, schedule.next_fire_at)
    async with Engine.connect(farm_dsn, max_connections=4) as other:
        for _ in range(1440):
            await asyncio.gather(fire_schedules(farm.engine), fire_schedules(other))
            await farm.clock.advance(MINUTE)

    firings = await firings_of(farm, schedule)

    assert [firing.due_at for firing in firings] == [schedule.next_fire_at + MINUTE * n for n in range(1440)]
    assert {firing.outcome for firing in firings} == {"fired"}
    assert await farm.value("select count(*) from corral.runs") == 1440
    assert len({firing.run_id for firing in firings}) == 1440


async def test_many_that_try_at_the_same_moment_fire_once(farm: Farm) -> None:
    schedule = await given_schedule(farm)
    await farm.clock.advance(MINUTE)

    await asyncio.gather(*(fire_schedules(farm.engine) for _ in range(10)))

    assert await told(farm, schedule) == ["fired"]
    assert await farm.value("select count(*) from corral.runs") == 1


async def test_a_run_links_back_to_its_schedule_and_says_who_asked(farm: Farm) -> None:
    schedule = await given_schedule(farm)
    await farm.clock.advance(MINUTE)
    await fire_schedules(farm.engine)

    (firing,) = await firings_of(farm, schedule)
    assert firing.run_id is not None
    run = await farm.run(firing.run_id)

    assert (run.source_type, run.source_id) == ("schedule", str(schedule.schedule_id))
    assert run.created_by == "schedule:nightly"
    assert (await farm.engine.schedules.get(schedule.schedule_id)).last_fired_at == firing.due_at


async def test_a_server_that_dies_before_the_commit_leaves_the_due_time_to_another(farm: Farm, farm_dsn: str) -> None:
    schedule = await given_schedule(farm)
    await farm.clock.advance(MINUTE)
    waiting = "from pg_locks where relation = 'corral.firings'::regclass and not granted"
    async with (
        Engine.connect(farm_dsn, max_connections=2) as dying,
        farm.engine.database.own_connection() as connection,
        connection.transaction(),
    ):
        # It waits for a lock that we hold, in the middle of its transaction, when its connection is cut.
        await connection.execute("lock table corral.firings in exclusive mode")
        firing = asyncio.create_task(fire_schedules(dying))
        while not await connection.fetchval(f"select count(*) {waiting}"):  # noqa: ASYNC110 - PostgreSQL's to say
            await asyncio.sleep(0.01)
        await connection.execute(f"select pg_terminate_backend(pid) {waiting}")
        with pytest.raises(DatabaseUnavailableError):
            await firing
    assert await told(farm, schedule) == []

    await fire_schedules(farm.engine)

    assert await told(farm, schedule) == ["fired"]
    assert await farm.value("select count(*) from corral.runs") == 1


async def test_a_server_that_dies_after_the_commit_leaves_the_fan_out_to_another(
    farm: Farm, monkeypatch: pytest.MonkeyPatch
) -> None:
    await farm.given_node(devices=3)
    schedule = await given_schedule(farm)
    await farm.clock.advance(MINUTE)

    async def die(_run_id: object) -> int:
        raise DatabaseUnavailableError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(farm.engine.runs, "fan_out_run", die)
        with pytest.raises(DatabaseUnavailableError):
            await fire_schedules(farm.engine)
    await farm.run_upkeep()
    await fire_schedules(farm.engine)

    (firing,) = await firings_of(farm, schedule)
    assert firing.run_id is not None
    assert (await farm.run(firing.run_id)).total_jobs == 3


@pytest.mark.parametrize(
    ("overlap", "outcomes", "statuses"),
    [
        ("allow", ["fired", "fired", "fired"], ["queued", "queued", "queued"]),
        ("skip", ["fired", "skipped", "skipped"], ["queued"]),
        ("cancel_previous", ["fired", "fired", "fired"], ["cancelled", "cancelled", "queued"]),
    ],
)
async def test_a_run_that_has_not_ended_meets_the_next_as_the_overlap_policy_says(
    farm: Farm, overlap: str, outcomes: list[str], statuses: list[str]
) -> None:
    await farm.given_node(devices=1)
    schedule = await given_schedule(farm, overlap=overlap)
    for _ in range(3):
        await farm.clock.advance(MINUTE)
        await fire_schedules(farm.engine)

    firings = await firings_of(farm, schedule)

    assert [str(firing.outcome) for firing in firings] == outcomes
    assert [firing.run_status for firing in firings if firing.run_id is not None] == statuses
    assert all(str(firings[0].run_id) in (firing.reason or "") for firing in firings if firing.outcome == "skipped")


async def test_a_skipped_schedule_fires_again_once_its_run_has_ended(farm: Farm) -> None:
    node = await farm.given_node(devices=1)
    schedule = await given_schedule(farm, overlap="skip")
    await farm.clock.advance(MINUTE)
    await fire_schedules(farm.engine)
    await node.finish(*await node.pull())

    await farm.clock.advance(MINUTE)
    await fire_schedules(farm.engine)

    assert await told(farm, schedule) == ["fired", "fired"]


@pytest.mark.parametrize(
    ("catch_up", "outcomes"),
    [
        ("none", [("missed", 6)]),
        ("last", [("missed", 5), ("fired", 1)]),
        ("all", [("missed", 2), ("fired", 1), ("fired", 1), ("fired", 1), ("fired", 1)]),
    ],
)
async def test_times_that_went_by_while_no_server_ran_are_caught_up_with_or_shown_as_missed(
    farm: Farm, catch_up: str, outcomes: list[tuple[str, int]]
) -> None:
    schedule = await given_schedule(farm, "0 * * * *", catch_up=catch_up, catch_up_limit=4)
    assert schedule.next_fire_at is not None
    await move_clock_to(farm, schedule.next_fire_at + 5 * HOUR + 10 * MINUTE)

    await fire_schedules(farm.engine)

    firings = await firings_of(farm, schedule)
    assert [(str(firing.outcome), firing.times) for firing in firings] == outcomes
    assert firings[0].due_at == schedule.next_fire_at
    assert (await farm.engine.schedules.get(schedule.schedule_id)).next_fire_at == schedule.next_fire_at + 6 * HOUR


async def test_an_edit_in_between_is_not_overlooked(farm: Farm) -> None:
    schedule = await given_schedule(farm)
    await farm.clock.advance(MINUTE)
    (seen,) = await farm.engine.schedules.list_due()
    await farm.value("update corral.schedules set revision = revision + 1 returning 1")

    fired = await farm.engine.schedules.fire_schedule(
        seen, [{"due_at": seen.next_fire_at, "outcome": "fired"}], next_at=seen.now + MINUTE, run=None, failure="x"
    )

    assert (fired, await told(farm, schedule)) == (0, [])


async def test_a_workflow_that_no_longer_takes_the_params_fails_the_firing_and_says_why(farm: Farm) -> None:
    schedule = await given_schedule(farm, run_request={"target": {"all": True}, "params": {}})
    changed = {**RECIPE, "params": {"package": {"type": "string"}}}
    await farm.engine.workflows.create_workflow("smoke", changed)
    await farm.clock.advance(MINUTE)

    await fire_schedules(farm.engine)

    (firing,) = await firings_of(farm, schedule)
    assert (firing.outcome, firing.run_id) == ("failed", None)
    assert "package" in (firing.reason or "")
    assert (await farm.engine.schedules.get(schedule.schedule_id)).next_fire_at is not None


async def test_what_became_of_old_due_times_is_purged_but_for_the_last(farm: Farm) -> None:
    schedule = await given_schedule(farm)
    for _ in range(3):
        await farm.clock.advance(MINUTE)
        await fire_schedules(farm.engine)
    await farm.clock.advance(timedelta(days=40))

    assert await farm.engine.schedules.purge_firings(timedelta(days=30)) == 2
    assert await told(farm, schedule) == ["fired"]


@pytest.mark.timeout(180)
async def test_servers_that_are_killed_lose_and_double_nothing(farm: Farm, farm_dsn: str) -> None:
    schedule = await given_schedule(farm, catch_up="all")
    assert schedule.next_fire_at is not None
    await move_clock_to(farm, schedule.next_fire_at - MINUTE)

    async def next_minute(number: int) -> None:
        await farm.clock.advance(MINUTE)
        while len(await firings_of(farm, schedule)) < number:  # noqa: ASYNC110 - another process's to do
            await asyncio.sleep(0.05)

    async with running("--database-url", farm_dsn) as first, running("--database-url", farm_dsn):
        reading = asyncio.create_task(first.read_rest())
        for number in range(1, 4):
            await next_minute(number)
        await farm.clock.advance(MINUTE)  # somebody may be at it just now
        first.process.send_signal(signal.SIGKILL)
        await reading
        for number in range(5, 8):
            await next_minute(number)

    firings = await firings_of(farm, schedule)
    assert [firing.due_at for firing in firings] == [schedule.next_fire_at + MINUTE * n for n in range(7)]
    assert {firing.outcome for firing in firings} == {"fired"}
    assert await farm.value("select count(*) from corral.runs") == 7
