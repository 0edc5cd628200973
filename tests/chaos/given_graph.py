"""The history of a graph that ended as it should, and ways to spoil it that the checker must notice."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from tests.chaos.graph import GraphStep, Kind
from tests.chaos.history import Deed, EventRow, Execution, History, JobRow, LeaseRow, RunRow, StepRow
from tests.chaos.plan import WAKE
from tests.chaos.proxy import Exchange
from tests.chaos.workload import Asked

JOB: Final = "graph-job"
SOON_S: Final = 0.2
"""How long after its claim a step begins here."""


def given_exchange(path: str, at_s: float, **fields: Any) -> Exchange:  # noqa: ANN401 - of the exchange
    defaults: dict[str, Any] = {
        "node": "north",
        "line": f"POST {path} HTTP/1.1",
        "asked_at_s": at_s,
        "request": {"node_id": "north"},
        "is_again": False,
        "answered_at_s": at_s + 0.1,
        "status": 200,
        "is_delivered": True,
    }
    return Exchange(**{**defaults, **fields})


def given_heartbeat(at_s: float, *held: str, lost: tuple[str, ...] = (), is_delivered: bool = True) -> Exchange:
    request, answer = {"node_id": "north", "held": list(held)}, {"lost": list(lost)}
    return given_exchange("/api/nodes/heartbeat", at_s, request=request, answer=answer, is_delivered=is_delivered)


def add_graph(history: History) -> None:
    """`a` is executed twice, since its first lease was lost; `b` fails at first; `d` goes without `c`, and `f` without `e`."""
    history.graphs["graph"] = [
        _step("a", 1),
        _step("b", 2, kind="fails_at_first"),
        _step("c", 4, "a", kind="fails", goes_on=True),
        msgspec.structs.replace(_step("d", 8, "b", "c"), capability="red"),
        _step("e", 16, "a", kind="chooses_not_to"),
        _step("f", 32, "e"),
    ]
    results = {"d": {"sum": 10, "execution": "by-d-1"}, "f": {"sum": 32, "execution": "by-f-1"}}
    history.asked.append(Asked(run_id="graph-run", jobs=1, is_cancelled=False))
    history.runs.append(
        RunRow(
            run_id="graph-run",
            workflow="graph",
            status="succeeded",
            is_finished=True,
            is_cancelled=False,
            total_jobs=1,
            counts={"total": 1, "done": 1},
        )
    )
    history.jobs.append(
        JobRow(
            job_id=JOB,
            run_id="graph-run",
            mode="distributed",
            device_id=None,
            status="succeeded",
            position=0,
            is_pooled=False,
            attempt=1,
            max_attempts=20,
            failure_reason=None,
            output=results,
        )
    )
    history.steps += [
        _row("a", output={"sum": 1, "execution": "by-a-2"}, lease_token="a-2"),
        _row("b", output={"sum": 2, "execution": "by-b-2"}, lease_token="b-2"),
        _row("c", status="failed", failure_reason="action_failed"),
        _row("d", output=results["d"]),
        _row("e", status="skipped", lease_token=None),
        _row("f", output=results["f"]),
    ]
    _execute(history, "a-1", 200, None, node="south")
    _execute(history, "b-1", 201, 1)
    _execute(history, "a-2", 210, 0)
    _execute(history, "b-2", 211, 0)
    _execute(history, "c-1", 212, 1)
    _execute(history, "f-1", 213, 0)
    _execute(history, "d-1", 214, 0)


def _step(name: str, number: int, *needs: str, kind: Kind = "works", goes_on: bool = False) -> GraphStep:
    return GraphStep(name=name, number=number, needs=list(needs), kind=kind, goes_on=goes_on, takes_s=1)


def _row(step: str, **fields: Any) -> StepRow:  # noqa: ANN401 - of the row
    defaults = {"status": "succeeded", "lease_token": f"{step}-1", "failure_reason": None, "output": None}
    return StepRow(job_id=JOB, step=step, **{**defaults, **fields})


def _execute(history: History, token: str, at_s: float, status: int | None, *, node: str = "north") -> None:
    """Claimed, executed for a second, and told; None is the status of a command that was killed."""
    step = token[0]
    granted = {"steps": [{"job_id": JOB, "step": step, "lease_token": token}]}
    history.exchanges.append(given_exchange("/api/nodes/claim", at_s, node=node, answer=granted))
    history.leases.append(LeaseRow(job_id=JOB, lease_token=token, node_id=node, device_id=None, fence=0))
    execution = Execution(
        execution=f"by-{token}", job_id=JOB, step=step, lease_token=token, began_s=at_s + 0.1 + SOON_S
    )
    history.executions.append(execution)
    if status is not None:
        execution.ended_s, execution.status, execution.found = execution.began_s + 1, status, [execution.execution]
        tell(history, token, at_s + 1.5, status="failed" if status else "succeeded")


def tell(history: History, token: str, at_s: float, *, status: str, outcome: str = "applied") -> None:
    """The end of a step, in words that were applied."""
    event_id = f"event-{token}-{at_s}"
    said = {"type": "step_finished", "step": token[0], "status": status}
    event = {"event_id": event_id, "job_id": JOB, "lease_token": token, **said}
    answer = {"results": [{"event_id": event_id, "outcome": outcome}]}
    history.exchanges.append(given_exchange("/api/nodes/callback", at_s, request={"events": [event]}, answer=answer))
    history.events.append(
        EventRow(node_id="north", event_id=event_id, job_id=JOB, type="step_finished", outcome=outcome, payload=said)
    )


def change_row(history: History, step: str, **fields: Any) -> None:  # noqa: ANN401 - of the row
    place = next(place for place, row in enumerate(history.steps) if row.step == step)
    history.steps[place] = msgspec.structs.replace(history.steps[place], **fields)


def change_step(history: History, step: str, **fields: Any) -> None:  # noqa: ANN401 - of the step
    graph = history.graphs["graph"]
    place = next(place for place, each in enumerate(graph) if each.name == step)
    graph[place] = msgspec.structs.replace(graph[place], **fields)


def change_graph_job(history: History, **fields: Any) -> None:  # noqa: ANN401 - of the row
    history.jobs[-1] = msgspec.structs.replace(history.jobs[-1], **fields)


def change_graph_run(history: History, **fields: Any) -> None:  # noqa: ANN401 - of the row
    history.runs[-1] = msgspec.structs.replace(history.runs[-1], **fields)


def change_execution(history: History, execution: str, **fields: Any) -> None:  # noqa: ANN401 - of the execution
    (found,) = [each for each in history.executions if each.execution == execution]
    for name, value in fields.items():
        setattr(found, name, value)


def pause(history: History, from_s: float, to_s: float) -> None:
    history.deeds += [
        Deed(kind="pause_node", part="north", began_s=from_s, ended_s=to_s + 1),
        Deed(kind=WAKE, part="north", began_s=to_s, ended_s=to_s),
    ]


def begin_late(history: History, by_s: float) -> None:
    """The last step begins so long after its claim was answered."""
    change_execution(history, "by-d-1", began_s=214.1 + by_s, ended_s=215.1 + by_s)


def begin_what_was_granted_in_a_pause(history: History) -> None:
    pause(history, 213.9, 230)
    begin_late(history, 16)


def begin_long_after_a_pause(history: History) -> None:
    pause(history, 214.2, 230)
    begin_late(history, 20)


def begin_by_a_heartbeat(history: History, *held: str, lost: tuple[str, ...] = ()) -> None:
    history.exchanges.append(given_heartbeat(222, *held, lost=lost))
    begin_late(history, 14)


def apply_an_old_word(history: History) -> None:
    """What south had of `a` ends only after north was given it, and both are believed."""
    tell(history, "a-1", 213, status="succeeded")


def forget(history: History, *tokens: str) -> None:
    """As if these had never been granted."""
    history.executions = [each for each in history.executions if each.lease_token not in tokens]
    history.leases = [each for each in history.leases if each.lease_token not in tokens]
    for token in tokens:
        history.events = [each for each in history.events if f"event-{token}-" not in each.event_id]
        history.exchanges = [each for each in history.exchanges if token not in f"{each.request} {each.answer}"]


def lose_an_execution(history: History) -> None:
    history.executions = [each for each in history.executions if each.execution != "by-d-1"]


WRONG_GRAPHS: Final[dict[str, Callable[[History], object]]] = {
    "a step goes on for ever": lambda history: change_row(history, "d", status="running"),
    "a step was never made": lambda history: history.steps.pop(),
    "a step was skipped for nothing": lambda history: change_row(history, "f", status="skipped"),
    "a step ran although what it needs had failed": lambda history: change_step(history, "c", goes_on=False),
    "a step failed that works": lambda history: change_row(history, "f", status="failed"),
    "a step succeeded that fails": lambda history: change_row(history, "c", status="succeeded"),
    "a step was cancelled by nobody": lambda history: change_row(history, "f", status="cancelled"),
    "a graph failed that succeeded": lambda history: change_graph_job(history, status="failed"),
    "a graph's run failed that succeeded": lambda history: change_graph_run(history, status="failed"),
    "a step has another result": lambda history: change_row(history, "a", output={"sum": 2, "execution": "by-a-2"}),
    "a graph has another result": lambda history: change_graph_job(history, output={}),
    "a step counted what failed": lambda history: change_row(history, "d", output={"sum": 14, "execution": "by-d-1"}),
    "a step succeeded that nobody executed": lose_an_execution,
    "a step succeeded whose command was killed": lambda history: change_execution(
        history, "by-d-1", status=None, ended_s=None
    ),
    "a step failed whose command succeeded": lambda history: change_execution(history, "by-c-1", status=0),
    "a step has the result of a lease that was lost": lambda history: change_row(
        history, "a", output={"sum": 1, "execution": "by-a-1"}
    ),
    "a step is booked under a lease that was lost": lambda history: change_row(history, "a", lease_token="a-1"),
    "a step ended twice": lambda history: tell(history, "f-1", 216, status="succeeded"),
    "a step that failed was tried again unasked": lambda history: tell(history, "f-1", 213.5, status="failed"),
    "a step ended that nobody told of": lambda history: history.events.pop(),
    "a step was executed without a lease": lambda history: change_execution(history, "by-a-1", lease_token="a-0"),
    "a step was executed under another's lease": lambda history: change_execution(history, "by-f-1", step="d"),
    "a step was executed twice under one lease": lambda history: history.executions.append(
        msgspec.structs.replace(history.executions[-1], execution="by-nobody")
    ),
    "a step was executed by a node that is not capable": lambda history: change_step(history, "d", capability="blue"),
    "a step was executed that had chosen not to be": lambda history: change_step(history, "f", kind="chooses_not_to"),
    "a step found another's file": lambda history: change_execution(history, "by-d-1", found=["by-f-1", "by-d-1"]),
    "a step lost its directory": lambda history: change_execution(history, "by-d-1", found=[]),
    "a step began before what it needs had ended": lambda history: change_execution(history, "by-d-1", began_s=213.2),
    "a step began when a lease of its need that was lost had ended": lambda history: change_execution(
        history, "by-c-1", began_s=205
    ),
    "a step began after its lease had ended": lambda history: begin_late(history, 11),
    "a step began that was granted while its node was paused": begin_what_was_granted_in_a_pause,
    "a step began long after its node was paused": begin_long_after_a_pause,
    "a step began by a heartbeat that did not name it": begin_by_a_heartbeat,
    "a step began by a heartbeat that said it was lost": lambda history: begin_by_a_heartbeat(
        history, "d-1", lost=("d-1",)
    ),
    "a word on a step under a token that was superseded": apply_an_old_word,
}
