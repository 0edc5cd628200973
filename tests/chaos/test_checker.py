"""The checker finds each kind of wrong history, and nothing in a right one."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from corral.simulator.record import Entry
from tests.chaos.checker import RULES, check
from tests.chaos.given_graph import (
    WRONG_GRAPHS,
    add_graph,
    begin_by_a_heartbeat,
    begin_late,
    change_graph_job,
    change_graph_run,
    change_row,
    forget,
    given_exchange,
    given_heartbeat,
    pause,
)
from tests.chaos.history import Deed, EventRow, History, JobRow, LeaseRow, RunRow
from tests.chaos.plan import WAKE
from tests.chaos.proxy import Exchange
from tests.chaos.workload import Asked

LEASE_S = 10.0


def given_job(number: int, **fields: Any) -> JobRow:  # noqa: ANN401 - of the row
    defaults: dict[str, Any] = {
        "job_id": f"job-{number}",
        "run_id": "run-1",
        "mode": "device",
        "device_id": f"device-{number}",
        "status": "succeeded",
        "position": number,
        "is_pooled": False,
        "attempt": 1,
        "max_attempts": 3,
        "failure_reason": None,
        "output": {"job_id": f"job-{number}", "serial": f"serial-{number}"},
    }
    return JobRow(**{**defaults, **fields})


def given_command(number: int, at_s: float, **fields: Any) -> Entry:  # noqa: ANN401 - of the entry
    defaults: dict[str, Any] = {
        "number": int(at_s * 100),
        "phone": f"serial-{number}",
        "via": "1/1",
        "line": f"echo job-{number} serial-{number} > /sdcard/who.txt; sleep 0.4",
        "is_read_only": False,
        "started_s": at_s,
        "ended_s": at_s + 0.4,
        "outcome": "exited",
        "status": 0,
        "job": f"job-{number}",
        "fence": 5,
    }
    return Entry(**{**defaults, **fields})


def given_callback(at_s: float, *told: tuple[int, str], **fields: Any) -> Exchange:  # noqa: ANN401 - of the exchange
    """The ends of these jobs, each with what became of the word."""
    events = [
        {"event_id": f"event-{n}", "job_id": f"job-{n}", "lease_token": f"token-{n}", "type": "job_finished"}
        for n, _ in told
    ]
    results = [{"event_id": f"event-{n}", "outcome": outcome} for n, outcome in told]
    request = {"node_id": "north", "events": events}
    return given_exchange("/api/nodes/callback", at_s, request=request, answer={"results": results}, **fields)


def given_history() -> History:
    """Two jobs of one run on two phones, told and acknowledged, the answer to the first event lost on its way."""
    finished = [
        EventRow(
            node_id="north",
            event_id=f"event-{number}",
            job_id=f"job-{number}",
            type="job_finished",
            outcome="applied",
            payload={"outcome": "succeeded"},
        )
        for number in (1, 2)
    ]
    return History(
        lease_s=LEASE_S,
        serials={"device-1": "serial-1", "device-2": "serial-2"},
        commands=[given_command(1, 101), given_command(2, 102)],
        exchanges=[
            given_heartbeat(100),
            given_callback(103, (1, "applied"), is_delivered=False),
            given_callback(104, (1, "duplicate"), (2, "applied")),
        ],
        asked=[Asked(run_id="run-1", jobs=2, is_cancelled=False)],
        runs=[
            RunRow(
                run_id="run-1",
                workflow="short",
                status="succeeded",
                is_finished=True,
                is_cancelled=False,
                total_jobs=2,
                counts={"total": 2, "done": 2, "error": 0},
            )
        ],
        jobs=[given_job(1), given_job(2)],
        leases=[
            LeaseRow(
                job_id=f"job-{number}",
                lease_token=f"token-{number}",
                node_id="north",
                device_id=f"device-{number}",
                fence=5,
            )
            for number in (1, 2)
        ],
        events=finished,
    )


def given_graph() -> History:
    """The same, and a graph beside it."""
    history = given_history()
    add_graph(history)
    return history


@pytest.mark.parametrize("given", [given_history, given_graph])
def test_a_right_history_has_no_violation(given: Callable[[], History]) -> None:
    assert check(given()) == []


def change_job(history: History, **fields: Any) -> None:  # noqa: ANN401 - of the row
    history.jobs[0] = msgspec.structs.replace(history.jobs[0], **fields)


def change_run(history: History, **fields: Any) -> None:  # noqa: ANN401 - of the row
    history.runs[0] = msgspec.structs.replace(history.runs[0], **fields)


def say_twice(history: History) -> None:
    history.events.append(msgspec.structs.replace(history.events[0], event_id="event-9"))


def act_late(history: History) -> None:
    history.commands.append(given_command(1, 100 + LEASE_S + 1))


def act_twice_after_a_pause(history: History) -> None:
    wake(history, 120)
    history.commands += [given_command(1, 120.1), given_command(1, 120.2)]


def act_beside_another(history: History) -> None:
    history.leases.append(msgspec.structs.replace(history.leases[0], job_id="job-3", lease_token="token-3", fence=6))
    history.commands.append(given_command(1, 101.2, job="job-3", fence=6))


def act_after_being_fenced(history: History) -> None:
    history.leases.append(msgspec.structs.replace(history.leases[0], job_id="job-3", lease_token="token-3", fence=6))
    history.commands += [given_command(1, 102, job="job-3", fence=6), given_command(1, 103)]


def take_over(history: History) -> None:
    """While north is paused, the first phone goes to south, which does a job of another run on it."""
    history.exchanges.append(msgspec.structs.replace(given_heartbeat(115), node="south"))
    history.asked.append(Asked(run_id="run-2", jobs=1, is_cancelled=False))
    counts = {"total": 1, "done": 1}
    history.runs.append(msgspec.structs.replace(history.runs[0], run_id="run-2", total_jobs=1, counts=counts))
    output = {"job_id": "job-3", "serial": "serial-1"}
    history.jobs.append(given_job(3, run_id="run-2", device_id="device-1", output=output))
    history.leases.append(
        msgspec.structs.replace(history.leases[0], job_id="job-3", lease_token="token-3", node_id="south", fence=6)
    )
    history.commands.append(given_command(1, 118, job="job-3", fence=6))
    history.events.append(
        msgspec.structs.replace(history.events[0], node_id="south", event_id="event-3", job_id="job-3")
    )


def wake(history: History, at_s: float) -> None:
    history.deeds.append(Deed(kind=WAKE, part="north", began_s=at_s, ended_s=at_s))


def act_twice_after_being_fenced_and_paused(history: History) -> None:
    take_over(history)
    wake(history, 120)
    history.commands += [given_command(1, 120.1), given_command(1, 120.6)]


def wake_up_beside_another(history: History) -> None:
    take_over(history)
    wake(history, 118.1)
    history.commands.append(given_command(1, 118.2))


def begin_beside_one_that_was_on_its_way(history: History) -> None:
    take_over(history)
    wake(history, 117.7)
    history.commands.append(given_command(1, 117.8))


def hang_beside_another(history: History, *, until_s: float, paused: tuple[float, float]) -> None:
    """The first phone hangs on a command of north's, and south has it by the time that it ends."""
    take_over(history)
    began_s, woke_s = paused
    history.deeds.append(Deed(kind="pause_node", part="north", began_s=began_s, ended_s=woke_s))
    wake(history, woke_s)
    history.commands.append(given_command(1, 101.5, ended_s=until_s, outcome="cancelled", status=None))


def wake_up_and_act_much_later(history: History) -> None:
    wake(history, 120)
    history.commands.append(given_command(1, 123.5))


def start_out_of_order(history: History) -> None:
    history.jobs.append(given_job(3, device_id="device-1", position=0, status="failed"))
    history.leases.append(msgspec.structs.replace(history.leases[0], job_id="job-3", lease_token="token-3", fence=6))
    history.commands.append(given_command(1, 102, job="job-3", fence=6))


def apply_under_an_old_token(history: History) -> None:
    history.leases.append(msgspec.structs.replace(history.leases[0], lease_token="token-9", fence=6))
    for at_s, token in ((100.5, "token-1"), (102.5, "token-9")):
        answer = {"jobs": [{"job_id": "job-1", "lease_token": token}]}
        history.exchanges.append(given_exchange("/api/nodes/pull", at_s, answer=answer))


def apply_twice(history: History) -> None:
    history.exchanges[2].answer["results"][0]["outcome"] = "applied"


def apply_twice_what_cannot_be_read(history: History) -> None:
    apply_twice(history)
    history.exchanges[2].request = None


WRONG: dict[str, Callable[[History], object]] = {
    "a run goes on for ever": lambda history: change_run(history, status="running", is_finished=False),
    "a job goes on for ever": lambda history: change_job(history, status="queued"),
    "a run is gone": lambda history: history.asked.append(Asked(run_id="run-2", jobs=1, is_cancelled=False)),
    "a job was never made": lambda history: history.jobs.pop(),
    "a device has two jobs of a run": lambda history: change_job(history, device_id="device-2"),
    "a run counts wrong": lambda history: change_run(history, counts={"total": 2, "done": 1, "error": 1}),
    "a run has another total": lambda history: change_run(history, total_jobs=3),
    "a run succeeded without its jobs": lambda history: change_job(history, status="failed"),
    "an event was applied twice": apply_twice,
    "an event was applied twice, as its answers alone tell": apply_twice_what_cannot_be_read,
    "an applied event is not on the books": lambda history: history.events.pop(),
    "a word under a token that was superseded": apply_under_an_old_token,
    "a job ended twice": say_twice,
    "a success that nobody told": lambda history: history.events.clear(),
    "a success that no phone executed": lambda history: history.commands.pop(),
    "a success of a command that failed": lambda history: setattr(history.commands[0], "status", 1),
    "a result of another phone": lambda history: change_job(history, output={"job_id": "job-1", "serial": "serial-2"}),
    "a job was given up too early": lambda history: change_job(history, status="failed", failure_reason="node_lost"),
    "a job was cancelled by nobody": lambda history: change_job(history, status="cancelled"),
    "a phone executed what was never granted": lambda history: history.leases.pop(),
    "a command beside another job's": act_beside_another,
    "a command after a newer lease had come": act_after_being_fenced,
    "a command after the lease had ended": act_late,
    "two commands as a paused node woke up": act_twice_after_a_pause,
    "two commands of a paused node after a newer lease": act_twice_after_being_fenced_and_paused,
    "a command of a paused node beside another's": wake_up_beside_another,
    "a command beside that of a paused node": begin_beside_one_that_was_on_its_way,
    "a command beside one on which its phone hung, of a node that was not paused": lambda history: hang_beside_another(
        history, until_s=120, paused=(110, 117)
    ),
    "a command long after a paused node woke up": wake_up_and_act_much_later,
    "jobs of a device out of order": start_out_of_order,
    "two leases with one fence": lambda history: history.leases.append(
        msgspec.structs.replace(history.leases[0], lease_token="token-9")
    ),
    "events that were never told": lambda history: history.untold.update({"north: events": 1}),
    "books that do not agree": lambda history: history.contradictions.append("a lane without a device"),
    "an artifact that is not there": lambda history: history.missing_objects.append("artifact-1"),
}


def given_wrong(wrong: str) -> History:
    history = given_history() if wrong in WRONG else given_graph()
    (WRONG | WRONG_GRAPHS)[wrong](history)
    return history


@pytest.mark.parametrize("wrong", WRONG | WRONG_GRAPHS)
def test_a_wrong_history_is_noticed(wrong: str) -> None:
    assert check(given_wrong(wrong)) != []


def test_every_rule_notices_something() -> None:
    histories = [given_wrong(wrong) for wrong in WRONG | WRONG_GRAPHS]
    noticed = {rule.__name__ for history in histories for rule in RULES if list(rule(history))}
    assert noticed == {rule.__name__ for rule in RULES}


@pytest.mark.parametrize("at_s", [120.1, 122.9])
def test_the_one_command_that_was_on_its_way_when_a_node_was_paused_is_excused(at_s: float) -> None:
    history = given_history()
    wake(history, 120)
    history.commands.append(given_command(1, at_s))
    assert check(history) == []


def test_it_is_excused_after_a_newer_lease_too_if_it_is_not_beside_anothers() -> None:
    history = given_history()
    take_over(history)
    assert check(history) == []
    wake(history, 120)
    history.commands.append(given_command(1, 120.1))
    assert check(history) == []


def test_a_command_on_which_its_phone_hung_while_its_node_was_paused_is_excused() -> None:
    history = given_history()
    hang_beside_another(history, until_s=120, paused=(110, 119.9))
    assert check(history) == []


def test_a_renewal_whose_answer_was_lost_renews_nothing() -> None:
    history = given_history()
    history.exchanges.append(given_heartbeat(108, is_delivered=False))
    act_late(history)
    assert any("nothing_without_a_lease" in words for words in check(history))


def test_steps_that_were_on_their_way_when_their_node_was_paused_are_excused() -> None:
    history = given_graph()
    pause(history, 214.2, 230)
    begin_late(history, 18)
    assert check(history) == []


def test_a_heartbeat_that_named_a_step_renews_its_lease() -> None:
    history = given_graph()
    begin_by_a_heartbeat(history, "d-1")
    assert check(history) == []


def test_what_outlives_its_node_need_not_have_its_directory() -> None:
    history = given_graph()
    history.executions[0].ended_s, history.executions[0].status = 202.0, 9
    assert check(history) == []


def test_a_claim_that_the_database_forgot_supersedes_nothing() -> None:
    history = given_graph()
    answer = {"steps": [{"job_id": "graph-job", "step": "d", "lease_token": "d-9"}]}
    history.exchanges.append(given_exchange("/api/nodes/claim", 215, answer=answer))
    assert check(history) == []


def test_a_run_may_be_cancelled_before_a_step_that_failed_at_first_is_tried_again() -> None:
    history = given_graph()
    for step in "bd":
        change_row(history, step, status="cancelled", lease_token=None, output=None)
    forget(history, "b-2", "d-1")
    change_graph_job(history, status="cancelled", output=None)
    change_graph_run(history, status="cancelled", is_cancelled=True, counts={"total": 1, "cancelled": 1})
    assert check(history) == []
