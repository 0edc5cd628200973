"""`corral schedule`: runs that start by themselves."""

from datetime import datetime
from pathlib import Path
from typing import Annotated, Final
from zoneinfo import ZoneInfo

import msgspec
from cyclopts import App, Parameter
from rich.text import Text

from corral.cli.options import DEFAULT, Options
from corral.cli.output import look, make_console, make_table, print_json, print_page, print_table, short, text_or_dash
from corral.cli.pairs import read_params, read_policy, read_secrets, read_timeouts
from corral.client import Client, parse_target
from corral.model.errors import InvalidRequestError
from corral.model.schedules import Firing
from corral.model.states import CatchUp, Overlap
from corral.wire.schedules import NewSchedule, ScheduleChange, ScheduledRun, ScheduleView
from corral.workflow import ParamSpec

_EXAMPLES: Final = """Examples:

  corral schedule create nightly smoke --cron "0 3 * * *" --zone Asia/Seoul --on tag:pixel
  corral schedule preview "*/15 9-17 * * MON-FRI" --zone Europe/Berlin
  corral schedule firings nightly
"""
app = App(name="schedule", help_epilogue=_EXAMPLES, help_format="plaintext")
Repeated = Annotated[list[str] | None, Parameter(negative_iterable="")]


@app.command
def create(
    name: str,
    workflow: str,
    /,
    *,
    cron: str,
    zone: str = "UTC",
    on: Repeated = None,
    param: Repeated = None,
    param_file: Path | None = None,
    secret: Repeated = None,
    set_timeout: Repeated = None,
    policy: Repeated = None,
    overlap: Overlap = Overlap.SKIP,
    catch_up: CatchUp = CatchUp.LAST,
    catch_up_limit: int = 10,
    paused: Annotated[bool, Parameter(negative="")] = False,
    options: Options = DEFAULT,
) -> None:
    """Run a workflow again and again, at the times that a cron expression names.

    Parameters
    ----------
    name
        What to call the schedule.
    workflow
        A stored workflow: smoke, whatever its newest version is then, or smoke@3.
    cron
        Minute, hour, day, month and weekday: "0 3 * * *" is every night at three.
    zone
        The IANA time zone that the times are in.
    on
        Which devices, as for `corral run`.
    param
        A parameter: name=value, read as the recipe's type says.
    param_file
        Parameters in a YAML or JSON file.
    secret
        A secret parameter: name asks for it, name=env:VARIABLE and name=file:PATH read it.
    set_timeout
        A step's timeout in seconds, within its bounds: step=60.
    policy
        A setting of the run's policy: concurrency=5, max_attempts=2, offline=wait.
    overlap
        What becomes of a time that comes while an earlier run goes on: allow, skip or cancel-previous.
    catch_up
        What becomes of times that went by while no server ran: none, last or all of them.
    catch_up_limit
        How many of the last are caught up with, for all.
    paused
        Store it, and start nothing until it is resumed.
    """
    target = parse_target(*(on or ["all"]))
    secrets = read_secrets(secret or [])
    with options.client() as client:
        stored, version = _find_workflow(client, workflow)
        created = client.schedules.create(
            NewSchedule(
                name=name,
                cron=cron,
                time_zone=zone,
                run=ScheduledRun(
                    workflow=stored,
                    version=version,
                    target=target,
                    params=read_params(param or [], specs=_specs(client, stored, version), file=param_file) | secrets,
                    overrides=read_timeouts(set_timeout or []),
                    policy=read_policy(policy or []),
                    workspace=client.runs.workspace,
                ),
                overlap=overlap,
                catch_up=catch_up,
                catch_up_limit=catch_up_limit,
                is_paused=paused,
            )
        )
    _say(created, options)


@app.command(name="list")
def list_schedules(*, options: Options = DEFAULT) -> None:
    """List the schedules, with their next times and how they last went."""
    with options.client() as client:
        found = list(client.schedules.list())
    if options.json:
        print_page("schedules", found)
        return
    table = make_table("schedule", "workflow", "cron", "zone", "next", "last")
    for each in found:
        upcoming = _local(each.next_times[0], each.time_zone) if each.next_times else look("offline", "paused")
        last = _outcome(each.last_firings[0]) if each.last_firings else Text("-")
        table.add_row(each.name, _workflow(each), each.cron, each.time_zone, upcoming, last)
    print_table(table, nothing="no schedules: corral schedule create makes one")


@app.command
def show(schedule: str, /, *, options: Options = DEFAULT) -> None:
    """Show a schedule: what it runs, its next five times, its last firings.

    Parameters
    ----------
    schedule
        Its name.
    """
    with options.client() as client:
        _say(client.schedules.find(schedule), options)


@app.command
def update(
    schedule: str,
    /,
    *,
    name: str | None = None,
    cron: str | None = None,
    zone: str | None = None,
    overlap: Overlap | None = None,
    catch_up: CatchUp | None = None,
    catch_up_limit: int | None = None,
    options: Options = DEFAULT,
) -> None:
    """Change a schedule's name, times or policies; what is not given stays.

    Parameters
    ----------
    schedule
        Its name.
    name
        Another name.
    cron
        Other times.
    zone
        Another time zone.
    overlap
        allow, skip or cancel-previous.
    catch_up
        none, last or all.
    catch_up_limit
        How many of the last are caught up with, for all.
    """
    wanted = {
        "name": name,
        "cron": cron,
        "time_zone": zone,
        "overlap": overlap,
        "catch_up": catch_up,
        "catch_up_limit": catch_up_limit,
    }
    change = {field: value for field, value in wanted.items() if value is not None}
    if not change:
        raise InvalidRequestError("nothing to change: give --cron, --zone, --name, --overlap or --catch-up")
    _change(schedule, ScheduleChange(**change), options)  # type: ignore[arg-type]  # each is its field's


@app.command
def pause(schedule: str, /, *, options: Options = DEFAULT) -> None:
    """Start nothing until the schedule is resumed; times that go by meanwhile are forgotten.

    Parameters
    ----------
    schedule
        Its name.
    """
    _change(schedule, ScheduleChange(is_paused=True), options)


@app.command
def resume(schedule: str, /, *, options: Options = DEFAULT) -> None:
    """Go on with a paused schedule, from now.

    Parameters
    ----------
    schedule
        Its name.
    """
    _change(schedule, ScheduleChange(is_paused=False), options)


@app.command
def run(
    schedule: str,
    /,
    *,
    watch: Annotated[bool, Parameter(negative="")] = False,
    timeout: float | None = None,
    options: Options = DEFAULT,
) -> int:
    """Run what the schedule would, now, whatever its policies say.

    Parameters
    ----------
    schedule
        Its name.
    watch
        Show the run until it has ended, and exit with its result.
    timeout
        How many seconds to watch at most; the run then goes on.
    """
    from corral.cli.run import follow  # noqa: PLC0415 - only this needs what watches

    with options.client() as client:
        created = client.schedules.run(client.schedules.find(schedule).schedule_id)
        return follow(client, created, options, watch=watch, timeout_s=timeout)


@app.command
def firings(schedule: str, /, *, limit: int = 20, options: Options = DEFAULT) -> None:
    """List what became of a schedule's due times, newest first: fired, skipped, missed or failed.

    Parameters
    ----------
    schedule
        Its name.
    limit
        How many.
    """
    with options.client() as client:
        found = client.schedules.find(schedule)
        listed = list(client.schedules.firings(found.schedule_id, most=limit))
    if options.json:
        print_page("firings", listed)
        return
    table = make_table("due", "outcome", "run", "reason")
    for each in listed:
        due = _local(each.due_at, found.time_zone) + (" (by hand)" if each.is_by_hand else "")
        table.add_row(due, _outcome(each), short(each.run_id) if each.run_id else "-", text_or_dash(each.reason))
    print_table(table, nothing="it has not been due yet")


@app.command
def preview(cron: str, /, *, zone: str = "UTC", count: int = 5, options: Options = DEFAULT) -> None:
    """Say when a schedule would be due, without storing one.

    Parameters
    ----------
    cron
        Minute, hour, day, month and weekday.
    zone
        The IANA time zone that the times are in.
    count
        How many times.
    """
    with options.client() as client:
        found = client.schedules.preview(cron, time_zone=zone, count=count)
    if options.json:
        print_json(found)
        return
    console = make_console()
    for time in found.times:
        console.print(_local(time, zone))


@app.command
def delete(schedule: str, /, *, options: Options = DEFAULT) -> None:
    """Delete a schedule; its runs stay, and go on.

    Parameters
    ----------
    schedule
        Its name.
    """
    with options.client() as client:
        client.schedules.delete(client.schedules.find(schedule).schedule_id)
    print_json({"name": schedule}) if options.json else make_console().print(look("revoked", "deleted"), schedule)


def _change(schedule: str, change: ScheduleChange, options: Options) -> None:
    with options.client() as client:
        changed = client.schedules.update(client.schedules.find(schedule).schedule_id, change)
    _say(changed, options)


def _find_workflow(client: Client, text: str) -> tuple[str, int | None]:
    name, separator, version = text.partition("@")
    if separator and not (version.isascii() and version.isdecimal()):
        raise InvalidRequestError(f"'{text:.80}': a version is a number, as in {name}@3", path="workflow")
    number = int(version) if separator else None
    return client.workflows.get(name, number).name, number


def _specs(client: Client, workflow: str, version: int | None) -> dict[str, ParamSpec]:
    recipe = client.workflows.get(workflow, version).recipe
    return msgspec.convert(recipe.get("params", {}), dict[str, ParamSpec])


def _say(schedule: ScheduleView, options: Options) -> None:
    if options.json:
        print_json(schedule)
        return
    console = make_console()
    state = look("offline", "paused") if schedule.is_paused else look("ok", "active")
    console.print(Text(schedule.name, style="bold"), _workflow(schedule), schedule.cron, schedule.time_zone, state)
    for time in schedule.next_times:
        console.print("  next", _local(time, schedule.time_zone))
    for firing in schedule.last_firings:
        console.print("  last", _local(firing.due_at, schedule.time_zone), _outcome(firing), firing.reason or "")


def _workflow(schedule: ScheduleView) -> str:
    version = "" if schedule.run.version is None else f"@{schedule.run.version}"
    return f"{schedule.run.workflow}{version}"


def _outcome(firing: Firing) -> Text:
    states = {"fired": "succeeded", "skipped": "skipped", "missed": "suspect", "failed": "failed"}
    times = f" {firing.times} times" if firing.times > 1 else ""
    return look(states[firing.outcome], f"{firing.outcome}{times}")


def _local(at: datetime, zone: str) -> str:
    return f"{at.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M %Z}"
