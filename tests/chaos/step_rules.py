"""What the checker demands of graphs: that their steps end as plain reasoning says, by what their commands recorded themselves.

A step whose lease was lost may be executed again elsewhere, even beside its first execution. But only one of them counts.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import Struct

from tests.chaos.evidence import CLOCK_SLACK_S, OK, RESUMED_S, list_pauses, list_told
from tests.chaos.graph import CAPABILITIES, GraphStep
from tests.chaos.history import Execution, History, JobRow, RunRow, StepRow

_ENDED: Final = frozenset({"succeeded", "failed", "skipped", "cancelled"})
_TOLD: Final = frozenset({"succeeded", "failed"})
_STATES: Final = frozenset({"step_started", "step_finished"})


class _Case(Struct, frozen=True, kw_only=True):
    """One job: a graph, and what the books say of it."""

    job: JobRow
    run: RunRow
    graph: list[GraphStep]
    rows: dict[str, StepRow]

    def list_known(self) -> list[tuple[GraphStep, StepRow]]:
        """The steps that are on the books, after what they need."""
        return [(step, self.rows[step.name]) for step in self.graph if step.name in self.rows]


class _Grant(Struct, frozen=True, kw_only=True):
    """A lease as its claim was answered."""

    node: str
    job_id: str
    step: str
    answered_at_s: float


def _every_step_ended(history: History) -> Iterator[str]:
    for case in _cases(history):
        if case.rows.keys() != {step.name for step in case.graph}:
            yield f"job {case.job.job_id} has the steps {sorted(case.rows)}"
        for row in case.rows.values():
            if row.status not in _ENDED:
                yield f"{_name(row)} is {row.status}"


def _steps_end_as_the_graph_says(history: History) -> Iterator[str]:
    """What needs a failure is skipped, unless one of the two goes on. In a cancelled run a step may be cancelled instead."""
    for case in _cases(history):
        stops: dict[str, bool] = {}
        for step, row in case.list_known():
            is_skipped = any(stops.get(need) for need in step.needs) and not step.goes_on
            expected = {"skipped"} if is_skipped else _own_ends(step, is_cancelled=case.run.is_cancelled)
            if case.run.is_cancelled:
                expected.add("cancelled")
            if row.status not in expected:
                yield f"{_name(row)} is {row.status} ({row.failure_reason}), and should be {' or '.join(sorted(expected))}"
            stops[step.name] = is_skipped or row.status == "cancelled" or (row.status == "failed" and not step.goes_on)


def _graphs_end_as_their_steps(history: History) -> Iterator[str]:
    for case in _cases(history):
        ends = {row.status for step, row in case.list_known() if not (row.status == "failed" and step.goes_on)}
        expected = next((status for status in ("cancelled", "failed") if status in ends), "succeeded")
        for of, status in (("job", case.job.status), ("run", case.run.status)):
            if status != expected:
                yield f"the {of} of job {case.job.job_id} is {status}, and by its steps {expected}"


def _results_are_as_computed(history: History) -> Iterator[str]:
    """A step's is its own number and the results of those that it needs and that succeeded; a job's, those that nobody needs."""
    for case in _cases(history):
        sums: dict[str, int] = {}
        for step, row in case.list_known():
            if row.status == "succeeded":
                sums[step.name] = step.number + sum(sums.get(need, 0) for need in step.needs)
                if (row.output or {}).get("sum") != sums[step.name]:
                    yield f"{_name(row)} has the result {row.output}, and should have {sums[step.name]}"
        needed = {need for step in case.graph for need in step.needs}
        last = {name: row.output for name, row in case.rows.items() if name in sums and name not in needed}
        if case.job.status == "succeeded" and (case.job.output or {}) != last:
            yield f"job {case.job.job_id} has the result {case.job.output}, and its last steps {last}"


def _every_end_was_executed(history: History) -> Iterator[str]:
    """A step that succeeded or failed was executed to that end under its token on the books, and has that execution's result."""
    executions = _by_token(history)
    for row in history.steps:
        if row.status not in _TOLD:
            continue
        ends = {each.status: each.execution for each in executions[row.lease_token or ""]}
        execution = ends.get(0 if row.status == "succeeded" else 1)
        if execution is None:
            yield f"{_name(row)} {row.status} under {row.lease_token}, and its command ended there with {list(ends)}"
        elif row.status == "succeeded" and (row.output or {}).get("execution") != execution:
            yield f"{_name(row)} has the result {row.output}, and was executed by {execution}"


def _a_step_ends_once(history: History) -> Iterator[str]:
    """Of what holders told, one end was applied; but those that fail at first may have failed before."""
    ends: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for event in history.events:
        if event.type == "step_finished" and event.outcome == "applied" and event.job_id and event.payload:
            ends[event.job_id, event.payload["step"]][event.payload["status"]] += 1
    for case in _cases(history):
        for step, row in case.list_known():
            counted = ends[row.job_id, row.step]
            if step.kind == "fails_at_first" and row.status != "failed":
                counted["failed"] = 0
            expected = {row.status: 1} if row.status in _TOLD else {}
            found = {status: counted[status] for status in sorted(_TOLD) if counted[status]}
            if found != expected:
                yield f"{_name(row)} is {row.status}, and its holders told {found}"


def _steps_execute_what_was_granted(history: History) -> Iterator[str]:
    """Once for each token, by a node that has what the step asks for, and nothing that chose not to run."""
    grants = _grants(history)
    steps = {(case.job.job_id, step.name): step for case in _cases(history) for step in case.graph}
    for token, executions in _by_token(history).items():
        if len(executions) > 1:
            yield f"the token {token} was executed {len(executions)} times"
        for each in executions:
            grant, step = grants.get(token), steps.get((each.job_id, each.step))
            if grant is None or step is None or (grant.job_id, grant.step) != (each.job_id, each.step):
                yield f"{_name(each)} was executed under {token}, which was never granted for it"
            elif step.capability not in {None, CAPABILITIES.get(grant.node)}:
                yield f"{_name(each)} was executed by {grant.node}, which is not capable of {step.capability}"
            elif step.kind == "chooses_not_to":
                yield f"{_name(each)} was executed, and had chosen not to be"


def _directories_are_their_own(history: History) -> Iterator[str]:
    """An execution whose end its node told of found nothing in its directory but what it made. What outlives its node may."""
    heard = {
        event.get("lease_token")
        for exchange in history.exchanges
        for event, _ in list_told(exchange)
        if event.get("type") == "step_finished" and event.get("status") in _TOLD
    }
    for each in history.executions:
        if each.lease_token in heard and each.ended_s is not None and each.found != [each.execution]:
            yield f"{_name(each)} as {each.execution} found {each.found} in its directory"


def _steps_wait_for_their_needs(history: History) -> Iterator[str]:
    """None began before what it needs had come to the end that is on the books, as far as that was executed."""
    executions = _by_token(history)
    needs = {(case.job.job_id, step.name): step.needs for case in _cases(history) for step in case.graph}
    rows = {(row.job_id, row.step): row for row in history.steps}
    for each in history.executions:
        for need in needs.get((each.job_id, each.step), []):
            row = rows.get((each.job_id, need))
            if row is None or row.status not in {*_TOLD, "skipped"}:
                yield f"{_name(each)} began, and {need} never ended"
            elif row.status in _TOLD:
                ends = [other.ended_s for other in executions[row.lease_token or ""] if other.ended_s is not None]
                if not any(ended_s <= each.began_s for ended_s in ends):
                    yield f"{_name(each)} began at {each.began_s:.2f}, before {need} had ended"


def _steps_begin_under_a_lease(history: History) -> Iterator[str]:
    """None began later than a lease after its claim was answered, or after a heartbeat left that named it and was heard to hold.

    Those that were on their way when their node was paused are excused: granted before that, and begun as it woke up.
    """
    grants, renewals = _grants(history), _renewals(history)
    pauses = list_pauses(history)
    for each in history.executions:
        grant = grants.get(each.lease_token)
        if grant is None:
            continue
        latest_s = each.began_s + CLOCK_SLACK_S
        heard = [sent_s for heard_s, sent_s in renewals[each.lease_token] if heard_s <= latest_s]
        until_s = max(heard, default=grant.answered_at_s) + history.lease_s
        is_excused = any(
            grant.answered_at_s <= paused_s and -CLOCK_SLACK_S <= each.began_s - woke_s <= RESUMED_S
            for paused_s, woke_s in pauses[grant.node]
        )
        if each.began_s > until_s + CLOCK_SLACK_S and not is_excused:
            yield f"{_name(each)} began on {grant.node} {each.began_s - until_s:.2f} s after its lease had ended"


def _words_count_under_the_newest_token(history: History) -> Iterator[str]:
    """No word on a step was applied after a claim had been answered with a newer lease of it.

    A lease that is not on the books is not newer: a database that is killed may forget a claim, which then was never made.
    """
    booked = {lease.lease_token for lease in history.leases} | {row.lease_token for row in history.steps}
    granted: defaultdict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for token, grant in _grants(history).items():
        granted[grant.job_id, grant.step][token] = grant.answered_at_s
    for exchange in history.exchanges:
        for event, outcome in list_told(exchange):
            if outcome != "applied" or event.get("type") not in _STATES:
                continue
            leases = granted[event["job_id"], event["step"]]
            own_at_s = leases.get(event["lease_token"])
            if own_at_s is not None and any(
                own_at_s < at_s < exchange.asked_at_s and token in booked for token, at_s in leases.items()
            ):
                yield f"{event['type']} of {_name(event)} was applied under a token that was superseded"


STEP_RULES: Final[tuple[Callable[[History], Iterator[str]], ...]] = (
    _every_step_ended,
    _steps_end_as_the_graph_says,
    _graphs_end_as_their_steps,
    _results_are_as_computed,
    _every_end_was_executed,
    _a_step_ends_once,
    _steps_execute_what_was_granted,
    _directories_are_their_own,
    _steps_wait_for_their_needs,
    _steps_begin_under_a_lease,
    _words_count_under_the_newest_token,
)


def _cases(history: History) -> list[_Case]:
    runs = {run.run_id: run for run in history.runs}
    rows: defaultdict[str, dict[str, StepRow]] = defaultdict(dict)
    for row in history.steps:
        rows[row.job_id][row.step] = row
    return [
        _Case(job=job, run=runs[job.run_id], graph=history.graphs[runs[job.run_id].workflow], rows=rows[job.job_id])
        for job in history.jobs
        if job.mode == "distributed"
    ]


def _own_ends(step: GraphStep, *, is_cancelled: bool) -> set[str]:
    """How it may end that is not skipped because of others. What fails at first is not tried again once its run is cancelled."""
    if step.kind == "fails_at_first" and is_cancelled:
        return {"succeeded", "failed"}
    return {{"fails": "failed", "chooses_not_to": "skipped"}.get(step.kind, "succeeded")}


def _by_token(history: History) -> defaultdict[str, list[Execution]]:
    found: defaultdict[str, list[Execution]] = defaultdict(list)
    for each in history.executions:
        found[each.lease_token].append(each)
    return found


def _grants(history: History) -> dict[str, _Grant]:
    """By their tokens, as the first answer told them that named them."""
    found: dict[str, _Grant] = {}
    for exchange in sorted(history.exchanges, key=lambda exchange: exchange.answered_at_s or 0.0):
        if "/api/nodes/claim" in exchange.line and exchange.status == OK and exchange.answer:
            for step in exchange.answer["steps"]:
                grant = _Grant(
                    node=exchange.node,
                    job_id=step["job_id"],
                    step=step["step"],
                    answered_at_s=exchange.answered_at_s or 0.0,
                )
                found.setdefault(step["lease_token"], grant)
    return found


def _renewals(history: History) -> defaultdict[str, list[tuple[float, float]]]:
    """By tokens, when heartbeats that named them were answered and had left, where the node heard that it still has them."""
    found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for exchange in history.exchanges:
        if "/api/nodes/heartbeat" in exchange.line and exchange.is_delivered and exchange.status == OK:
            for token in {*exchange.request["held"]} - {*exchange.answer["lost"]}:
                found[token].append((exchange.answered_at_s or 0.0, exchange.asked_at_s))
    return found


def _name(of: StepRow | Execution | dict[str, Any]) -> str:
    job_id, step = (of["job_id"], of["step"]) if isinstance(of, dict) else (of.job_id, of.step)
    return f"step {step} of job {job_id}"
