"""`corral content`: videos that runs are about, and the channels that bring them."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from cyclopts import App, Parameter
from rich.text import Text

from corral.cli.options import DEFAULT, Options
from corral.cli.output import (
    age,
    duration,
    look,
    make_console,
    make_table,
    print_json,
    print_page,
    print_table,
    short,
    text_or_dash,
)
from corral.client import parse_target
from corral.model.contents import Content, ContentChannel

app = App(
    name="content", help="Register videos, keep channels in sync, and see what ran on them.", help_format="plaintext"
)
channel_app = App(name="channel", help="Keep channels in sync.", help_format="plaintext")
app.command(channel_app)


@app.command
def add(urls: Annotated[list[str], Parameter(negative_iterable="")], /, *, options: Options = DEFAULT) -> None:
    """Register videos. One that is registered already stays as it is.

    Parameters
    ----------
    urls
        Addresses of YouTube videos, of any form, or their ids.
    """
    with options.client() as client:
        added = [client.contents.register(url) for url in urls]
    if options.json:
        print_page("contents", added)
        return
    for each in added:
        make_console().print(look("ok", each.youtube_video_id), text_or_dash(each.title), soft_wrap=True)


@app.command(name="list")
def list_contents(
    search: str = "", /, *, channel: str | None = None, limit: int = 50, options: Options = DEFAULT
) -> None:
    """List videos, newest first.

    Parameters
    ----------
    search
        Only those whose title, channel or id has this text.
    channel
        Only those that this channel brought.
    limit
        How many at most.
    """
    with options.client() as client:
        found = list(client.contents.list(search=search, channel=channel, most=limit))
    if options.json:
        print_page("contents", found)
        return
    table = make_table("video", "title", "channel", "length", "runs", "added", right=("length", "runs"))
    for each in found:
        added = f"{age(each.created_at)} ago"
        title, by = text_or_dash(each.title), text_or_dash(each.channel_title)
        table.add_row(each.youtube_video_id, title, by, _length(each), str(each.runs), added)
    print_table(table, nothing="no videos: corral content add ADDRESS registers one")


@app.command
def show(video: str, /, *, options: Options = DEFAULT) -> None:
    """Show a video, its latest runs and what each device showed last.

    Parameters
    ----------
    video
        Its YouTube id.
    """
    with options.client() as client:
        view = client.contents.get(video)
    if options.json:
        print_json(view)
        return
    console, content = make_console(), view.content
    console.print(content.youtube_video_id, text_or_dash(content.title), soft_wrap=True)
    console.print(text_or_dash(content.channel_title), _length(content), style="dim")
    runs = make_table("run", "name", "status", "devices", "started", right=("devices",))
    for run in view.runs:
        ended = run.total_jobs - run.waiting - run.leased
        started = f"{age(run.created_at)} ago"
        runs.add_row(short(run.run_id), run.name, look(run.status), f"{ended}/{run.total_jobs}", started)
    print_table(runs, nothing="no runs on it yet: corral run WORKFLOW --video ID")
    shots = make_table("device", "serial", "screenshot", "taken", right=("device",))
    for shot in view.screenshots:
        place = text_or_dash(shot.index_no)
        shots.add_row(place, text_or_dash(shot.serial), str(shot.artifact_id), f"{age(shot.created_at)} ago")
    print_table(shots, nothing="no screenshots yet")


@channel_app.command(name="add")
def add_channel(
    channel: str,
    /,
    *,
    every: float = 180.0,
    run: str | None = None,
    on: Annotated[list[str] | None, Parameter(negative_iterable="")] = None,
    cap: int = 10,
    options: Options = DEFAULT,
) -> None:
    """Keep a channel in sync. One that is registered already stays as it is.

    Parameters
    ----------
    channel
        Its address, @handle or id.
    every
        Seconds between two syncs, 60 at least.
    run
        A workflow to run on each new video; nothing is run by default.
    on
        Which devices to run it on, as for `corral run`.
    cap
        How many such runs at most in 24 hours.
    """
    rule = None if run is None else {"workflow": run, "target": parse_target(*(on or ["all"]))}
    with options.client() as client:
        added = client.content_channels.create(channel, sync_every_s=every, run=rule, run_cap=cap)
    if options.json:
        print_json(added)
        return
    make_console().print(look("ok", added.youtube_channel_id), text_or_dash(added.title), soft_wrap=True)


@channel_app.command(name="list")
def list_channels(*, options: Options = DEFAULT) -> None:
    """List the channels, with how their sync goes."""
    with options.client() as client:
        found = list(client.content_channels.list())
    if options.json:
        print_page("content_channels", found)
        return
    table = make_table("channel", "title", "videos", "state", "synced", "next", "runs", right=("videos",))
    for each in found:
        table.add_row(
            each.youtube_channel_id,
            text_or_dash(each.title),
            str(each.contents),
            _state(each),
            "never" if each.last_synced_at is None else f"{age(each.last_synced_at)} ago",
            _next(each),
            "nothing" if each.run is None else f"{each.run.get('workflow')} ≤ {each.run_cap}/day",
        )
    print_table(table, nothing="no channels: corral content channel add @HANDLE keeps one in sync")


def _length(content: Content) -> str:
    return "-" if content.duration_s is None else duration(timedelta(seconds=content.duration_s))


def _state(channel: ContentChannel) -> Text:
    if channel.last_error_message is not None:
        return look("error", channel.last_error_message)
    return look("draining", "paused") if channel.is_paused else look("ok", "in sync")


def _next(channel: ContentChannel) -> str:
    if channel.is_paused or channel.next_sync_at is None:
        return "-"
    return f"in {duration(channel.next_sync_at - datetime.now(UTC))}"
