"""What the terminal shows: few characters, and none that only a colour explains."""

import io
import re
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from uuid import UUID, uuid4

import pytest
from rich.console import Console

from corral.cli.explain import say_numbers
from corral.cli.farm_status import Outlook, render
from corral.cli.heatmap import render_node, render_tiles
from corral.cli.output import LOOKS, age, duration, look, size
from corral.cli.watch import (
    ORDER,
    print_summary,
    render_bar,
    render_progress,
    say_counts,
    say_trouble,
    tabulate_counts,
    watch,
)
from corral.client import Client
from corral.model.states import RunStatus
from corral.wire.views import (
    Activity,
    Counts,
    Heatmap,
    Monitor,
    MonitoredRun,
    NodeTiles,
    Progress,
    Selected,
    Tile,
    WorkflowName,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Screen(io.StringIO):
    """A terminal that keeps all that it was sent."""

    def isatty(self) -> bool:
        return True


def count(**amounts: int) -> Counts:
    return Counts(total=sum(amounts.values()), **{state: amounts.get(state, 0) for state in ORDER})


def tile(index: int, activity: Activity, *, error: str | None = None) -> Tile:
    return Tile(
        index=index,
        device_id=uuid4(),
        serial=f"R58M{index}",
        node_id="rack-1",
        online=True,
        activity=activity,
        progress=Progress(current=1, total=2, step="look"),
        attempt=1,
        last_seen=None,
        last_error_message=error,
        failure_reason=None,
    )


def monitor(status: RunStatus, counts: Counts, *tiles: Tile) -> Monitor:
    run = MonitoredRun(
        run_id=UUID("0199f3c8-8a7b-7000-8000-000000000001"),
        name="smoke",
        status=status,
        workflow=WorkflowName(name="smoke", version=1),
        policy={},
        youtube_video_id=None,
        counts=counts,
        last_error_message=None,
        created_at=NOW,
        started_at=NOW,
        finished_at=NOW + timedelta(seconds=75) if status.is_terminal else None,
        cancel_requested_at=None,
        created_by=None,
        retry_of=None,
        replay_of=None,
    )
    return Monitor(
        run=run,
        heatmap=Heatmap(cols=10, items=list(tiles)),
        selected=Selected(index=0, steps=[], current_step={}, logs_tail=[], last_artifacts=[]),
        logs_tail=[],
        last_artifacts=[],
        version=1,
        server_time=NOW + timedelta(seconds=12),
    )


def printed(*what: object, width: int = 100, is_colourful: bool = False) -> str:
    console = Console(width=width, force_terminal=is_colourful, color_system="truecolor" if is_colourful else None)
    with console.capture() as capture:
        console.print(*what)
    return capture.get()


def test_a_heatmap_has_a_symbol_for_each_device_in_blocks_of_ten() -> None:
    tiles = dict.fromkeys(range(1, 26), "done") | {3: "error", 5: "offline", 25: "running"}

    assert render_tiles(tiles, width=80).plain == " 1 ✓✓✗✓○✓✓✓✓✓ ✓✓✓✓✓✓✓✓✓✓ ✓✓✓✓▶"


def test_a_heatmap_wraps_where_the_terminal_ends_and_leaves_gaps_blank() -> None:
    tiles = {41: "idle", 43: "idle", 62: "quarantined"}

    assert render_tiles(tiles, width=24).plain.splitlines() == ["41 □ □" + " " * 7, "61  !"]
    assert render_tiles({}, width=24).plain == ""


def test_every_state_of_a_heatmap_is_told_apart_without_colours() -> None:
    for words in (ORDER, ("running", "waiting", "idle", "quarantined", "offline")):
        assert len({LOOKS[word][0] for word in words}) == len(words)


def test_a_node_is_a_line_about_it_and_its_devices() -> None:
    node = NodeTiles(
        node_id="rack-1",
        name="Rack 1",
        online=True,
        draining=True,
        counts={"total": 2, "running": 1, "idle": 1, "waiting": 0},
        items=[{"index": 1, "activity": "running"}, {"index": 2, "activity": "idle"}],
    )

    assert printed(render_node(node, width=80)) == "Rack 1  ↓ draining  ▶ running 1  □ idle 1  \n1 ▶□\n"


def test_a_bar_is_as_wide_as_asked_and_leaves_out_no_state() -> None:
    for width in (20, 33, 60):
        bar = render_bar(count(done=9_990, error=1, running=9), width=width).plain
        assert len(bar) == width
        assert {"█", "▓", "▬"} == set(bar)
    assert render_bar(count(), width=20).plain == "·" * 20


def test_progress_is_two_lines() -> None:
    view = monitor(RunStatus.RUNNING, count(done=45, error=2, running=1, waiting=2))

    lines = printed(render_progress(view, width=100)).splitlines()

    assert lines[0] == "smoke  0199f3c8-8a7b  ▶ running  12s"
    assert lines[1].endswith("47/50  ✓45 ✗2 ▶1 ·2 ")


def test_a_farm_is_a_few_lines() -> None:
    outlook = Outlook(
        nodes=(3, 2),
        devices={"online": 5, "offline": 1, "quarantined": 2},
        runs=("smoke 4/8 running",),
        hints=("R58M2: confirm on the phone",),
    )

    lines = printed(
        render("http://127.0.0.1:8080", outlook, logs=Path("/farm/logs"), advice="none needed")
    ).splitlines()

    assert [" ".join(line.split()) for line in lines] == [
        "Corral http://127.0.0.1:8080",
        "nodes 2 online, 1 silent",
        "devices ! 2 quarantined · ✓ 5 online · ○ 1 offline",
        "runs smoke 4/8 running",
        "! R58M2: confirm on the phone",
        "logs /farm/logs",
        "Ctrl-C stops everything.",
    ]


def test_a_farm_without_phones_says_what_to_do_and_one_without_a_server_that() -> None:
    empty = Outlook(nodes=(1, 1), devices={}, runs=(), hints=())

    told = printed(render("http://x", empty, logs=Path("/logs"), advice="attach one"))
    away = printed(render("http://x", None, logs=Path("/logs"), advice="attach one"))

    assert "none yet: attach one" in told
    assert "none going" in told
    assert "does not answer" in away
    assert "nodes" not in away


def test_a_run_on_a_terminal_is_a_bar_that_goes_and_a_summary_that_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stdout", screen := Screen())
    broken = tile(2, "error", error="the button is gone")
    views = [
        monitor(RunStatus.RUNNING, count(running=1, error=1), tile(1, "running"), broken),
        monitor(RunStatus.COMPLETED_WITH_ERRORS, count(done=1, error=1), tile(1, "done"), broken),
    ]
    client = SimpleNamespace(runs=SimpleNamespace(watch=lambda *_, **__: iter(views)))

    last = watch(cast("Client", client), "0199f3c8")

    drawn = re.sub(r"\x1b\[[0-9;]*m", "", screen.getvalue())
    summary = drawn.rpartition("\x1b[2K")[2]  # after the last line that was wiped
    assert last is views[-1]
    assert "smoke  0199f3c8-8a7b  ✗ completed with errors  1m15s" in drawn
    assert "2/2  ✓1 ✗1" in drawn
    assert drawn.count("✗ device 2 R58M2 on rack-1 error at look: the button is gone") == 1
    assert "✗ completed with errors  smoke  0199f3c8-8a7b  1 done, 1 error of 2" in summary
    assert "█" not in summary


def test_colours_are_told_only_to_who_can_see_them() -> None:
    assert "\x1b[" in printed(look("failed"), is_colourful=True)
    assert printed(look("failed")) == "✗ failed\n"


def test_a_summary_lists_what_did_not_make_it() -> None:
    console = Console(width=100, color_system=None)
    view = monitor(
        RunStatus.COMPLETED_WITH_ERRORS,
        count(done=1, error=1, offline=1),
        tile(1, "done"),
        tile(2, "error", error="the button is gone"),
        tile(3, "offline"),
    )

    with console.capture() as capture:
        print_summary(view, console)
    lines = [line.split() for line in capture.get().splitlines()]

    assert lines[1] == ["2", "R58M2", "rack-1", "✗", "error", "look", "the", "button", "is", "gone"]
    assert lines[2][:5] == ["3", "R58M3", "rack-1", "○", "offline"]
    assert " ".join(lines[3]) == (
        "✗ completed with errors smoke 0199f3c8-8a7b 1 done, 1 error, 1 offline of 3 in 1m15s"
    )


def test_a_run_that_ended_is_a_table_of_its_states() -> None:
    told = printed(tabulate_counts(count(done=197, error=1, offline=2)))

    assert [line.split() for line in told.splitlines()] == [
        ["state", "devices", "share"],
        ["✓", "done", "197", "98.5", "%"],
        ["✗", "error", "1", "0.5", "%"],
        ["○", "offline", "2", "1.0", "%"],
        ["total", "200"],
    ]


def test_a_failure_is_a_line_that_says_where_and_why() -> None:
    told = say_trouble(tile(7, "error", error="the button is gone")).plain

    assert told == "✗ device 7 R58M7 on rack-1 error at look: the button is gone"
    assert say_counts(count()) == "no device yet"


@pytest.mark.parametrize(
    ("numbers", "expected"), [([], "-"), ([5], "5"), ([1, 2, 3], "1-3"), ([9, 1, 2, 4], "1-2,4,9")]
)
def test_numbers_are_told_as_a_target_takes_them(numbers: list[int], expected: str) -> None:
    assert say_numbers(numbers) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0, "0s"), (75, "1m15s"), (3700, "1h01m"), (200_000, "2d"), (-5, "0s")]
)
def test_a_duration_is_told_in_few_letters(seconds: int, expected: str) -> None:
    assert duration(timedelta(seconds=seconds)) == expected
    assert age(NOW, now=NOW + timedelta(seconds=seconds)) == expected
    assert age(None) == "-"


@pytest.mark.parametrize(
    ("amount", "expected"), [(None, "-"), (0, "0 B"), (1500, "1.5 KB"), (2_500_000_000_000, "2500.0 GB")]
)
def test_a_size_is_told_as_people_say_it(amount: int | None, expected: str) -> None:
    assert size(amount) == expected
