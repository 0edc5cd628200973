"""Decides whether a farm kept its promises. Pure: it reads a history and nothing else, and shares no code with the engine.

Each rule is a function from the history to the violations that it finds, in words.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from corral.simulator.record import Entry
from tests.chaos.evidence import CLOCK_SLACK_S, OK, RESUMED_S, list_pauses, list_told
from tests.chaos.history import History, JobRow, LeaseRow
from tests.chaos.plan import WAKE
from tests.chaos.step_rules import STEP_RULES

ENDED: Final = frozenset({"succeeded", "failed", "cancelled", "skipped_offline"})
TERMINAL_RUNS: Final = frozenset({"succeeded", "completed_with_errors", "failed", "cancelled", "skipped"})
_RENEWING: Final = ("/api/nodes/register", "/api/nodes/heartbeat", "/api/nodes/pull")
_ACTIVITIES: Final = {
    "succeeded": "done",
    "failed": "error",
    "cancelled": "cancelled",
    "skipped_offline": "offline",
}
_STATES: Final = frozenset({"job_started", "step_started", "step_finished", "job_finished"})


def check(history: History) -> list[str]:
    """Every violation of every rule; nothing if the farm kept its promises."""
    return [f"{rule.__name__.strip('_')}: {words}" for rule in RULES for words in rule(history)]


def _every_run_ended(history: History) -> Iterator[str]:
    for run in history.runs:
        if run.status not in TERMINAL_RUNS or not run.is_finished:
            yield f"run {run.run_id} is {run.status}"
    for job in history.jobs:
        if job.status not in ENDED:
            yield f"job {job.job_id} is {job.status}"


def _no_job_was_lost(history: History) -> Iterator[str]:
    runs = {run.run_id: run for run in history.runs}
    jobs = Counter(job.run_id for job in history.jobs)
    for asked in history.asked:
        if asked.run_id not in runs:
            yield f"run {asked.run_id} was acknowledged and is gone"
        elif jobs[asked.run_id] != asked.jobs and not runs[asked.run_id].is_cancelled:
            yield f"run {asked.run_id} has {jobs[asked.run_id]} jobs and should have {asked.jobs}"
    for device, count in Counter((job.run_id, job.device_id) for job in history.jobs if job.device_id).items():
        if count > 1:
            yield f"run {device[0]} has {count} jobs for device {device[1]}"


def _counts_are_right(history: History) -> Iterator[str]:
    found: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for job in history.jobs:
        found[job.run_id][_ACTIVITIES.get(job.status, "other")] += 1
        found[job.run_id]["total"] += 1
    for run in history.runs:
        told = {name: count for name, count in run.counts.items() if count}
        if told != dict(found[run.run_id]):
            yield f"run {run.run_id} tells {told} and has {dict(found[run.run_id])}"
        if run.total_jobs != found[run.run_id]["total"]:
            yield f"run {run.run_id} says {run.total_jobs} jobs and has {found[run.run_id]['total']}"
        kinds = {job.status for job in history.jobs if job.run_id == run.run_id}
        if run.status == "succeeded" and not kinds <= {"succeeded", "skipped_offline"}:
            yield f"run {run.run_id} succeeded with jobs that are {sorted(kinds)}"


def _no_event_was_applied_twice(history: History) -> Iterator[str]:
    applied: Counter[tuple[str, str]] = Counter()
    for exchange in history.exchanges:
        for event, outcome in list_told(exchange):
            if outcome == "applied":
                applied[exchange.node, event["event_id"]] += 1
    for (node, event_id), count in applied.items():
        if count > 1:
            yield f"event {event_id} of {node} was applied {count} times"
    kept = {(event.node_id, event.event_id) for event in history.events if event.outcome == "applied"}
    for node, event_id in applied.keys() - kept:
        yield f"event {event_id} of {node} was acknowledged as applied and is not on the books"


def _states_change_under_the_newest_token(history: History) -> Iterator[str]:
    """No word on a job's state was applied after a pull had been answered with a newer lease of that job.

    Which lease is newer is told by when it was first seen: a job of a pool may be on another phone by then, with other fences.
    """
    granted: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for exchange in sorted(history.exchanges, key=lambda exchange: exchange.answered_at_s or 0.0):
        if "/api/nodes/pull" in exchange.line and exchange.status == OK and exchange.answer:
            for job in exchange.answer["jobs"]:
                granted[job["job_id"]].setdefault(job["lease_token"], exchange.answered_at_s or 0.0)
    for exchange in history.exchanges:
        for event, outcome in list_told(exchange):
            if outcome != "applied" or event.get("type") not in _STATES:
                continue
            leases = granted[event["job_id"]]
            own_at_s = leases.get(event["lease_token"])
            if own_at_s is not None and any(own_at_s < at_s < exchange.asked_at_s for at_s in leases.values()):
                yield f"{event['type']} of job {event['job_id']} was applied under a token that was superseded"


def _a_job_ends_once(history: History) -> Iterator[str]:
    for job_id, told in _endings(history).items():
        if len(told) > 1:
            yield f"job {job_id} ended {len(told)} times: {told}"
    for job in history.jobs:
        if job.failure_reason == "node_lost" and job.attempt < job.max_attempts:
            yield f"job {job.job_id} was given up after {job.attempt} of {job.max_attempts} attempts"


def _every_result_is_the_phones(history: History) -> Iterator[str]:
    """A job that succeeded was told by its holder, executed by its phone under a lease, and has its own result."""
    endings, written = _endings(history), _written(history)
    for job in history.jobs:
        if job.status != "succeeded" or job.mode != "device":
            continue
        serial = history.serials.get(job.device_id or "", "")
        if endings[job.job_id] != ["succeeded"]:
            yield f"job {job.job_id} succeeded, but its holders told {endings[job.job_id]}"
        if not any(job_id == job.job_id and phone == serial for job_id, _, phone in written):
            yield f"job {job.job_id} succeeded, but {serial} never executed it"
        if job.output != {"job_id": job.job_id, "serial": serial}:
            yield f"job {job.job_id} on {serial} has the result {job.output}"


def _phones_execute_what_was_granted(history: History) -> Iterator[str]:
    fences = {(lease.job_id, lease.fence, history.serials.get(lease.device_id or "")) for lease in history.leases}
    for job_id, fence, phone in _written(history):
        if (job_id, fence, phone) not in fences:
            yield f"{phone} executed job {job_id} under fence {fence}, which was never granted"


def _cancelled_only_by_wish(history: History) -> Iterator[str]:
    wished = {run.run_id for run in history.runs if run.is_cancelled}
    for job in history.jobs:
        if job.status == "cancelled" and job.run_id not in wished:
            yield f"job {job.job_id} was cancelled, and nobody had asked for it"


def _fences_never_go_back(history: History) -> Iterator[str]:
    """No command of a job after a newer lease of the same phone had come, and none beside another job's.

    The one that was on its way when its node was paused may come after a newer lease, but beside another's it may not.
    One that the phone does not end, and whose node is paused, nobody can end: what begins before that node wakes up is excused.
    """
    excused = _on_their_way(history)
    holders, pauses = _holders(history), list_pauses(history)

    def is_out_of_reach(entry: Entry, at_s: float) -> bool:
        node = holders.get((entry.job or "", entry.fence or 0, entry.phone), "")
        is_stuck = entry.ended_s is None or entry.ended_s - entry.started_s > history.lease_s
        return is_stuck and any(entry.started_s <= paused_s <= at_s <= woke_s for paused_s, woke_s in pauses[node])

    for phone, entries in _by_phone(history).items():
        newest = -1
        running: list[Entry] = []
        for entry in entries:
            assert entry.fence is not None
            if entry.fence < newest and entry.number not in excused:
                yield f"{phone}: “{entry.line}” under fence {entry.fence}, after {newest} had come"
            newest = max(newest, entry.fence)
            running = [other for other in running if other.ended_s is None or other.ended_s > entry.started_s]
            for other in running:
                if other.fence != entry.fence and not is_out_of_reach(other, entry.started_s):
                    yield (
                        f"{phone}: “{entry.line}” of fence {entry.fence} began"
                        f" while “{other.line}” of {other.fence} was running"
                    )
            running.append(entry)


def _nothing_without_a_lease(history: History) -> Iterator[str]:
    """No command by a node whose last renewal that it heard of is older than a lease.

    The one that was on its way when the process was paused may still get through as it wakes up: one for each phone.
    """
    holders = _holders(history)
    renewals: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for exchange in history.exchanges:
        if exchange.is_delivered and exchange.status == OK and any(path in exchange.line for path in _RENEWING):
            renewals[exchange.node].append((exchange.answered_at_s or 0.0, exchange.asked_at_s))
    excused = _on_their_way(history)
    for entry in history.commands:
        node = holders.get((entry.job or "", entry.fence or 0, entry.phone))
        if node is None or not _counts(entry):
            continue
        heard = [asked for answered, asked in renewals[node] if answered <= entry.started_s + CLOCK_SLACK_S]
        until = max(heard, default=0.0) + history.lease_s
        if entry.started_s <= until + CLOCK_SLACK_S or entry.number in excused:
            continue
        late = entry.started_s - until
        yield f"{entry.phone}: “{entry.line}” by {node}, {late:.2f} s after its lease had ended"


def _first_in_first_out(history: History) -> Iterator[str]:
    """Jobs of one device start in the order of their positions, and none after a later one."""
    jobs = {job.job_id: job for job in history.jobs}
    excused = _on_their_way(history)
    for phone, entries in _by_phone(history).items():
        seen: list[JobRow] = []
        newest = -1
        for entry in entries:
            assert entry.fence is not None
            if entry.fence < newest and entry.number in excused:
                continue  # no start: what was left of one
            newest = max(newest, entry.fence)
            job = jobs.get(entry.job or "")
            if job is None or job.is_pooled or (seen and seen[-1].job_id == job.job_id):
                continue
            seen.append(job)
        for before, after in pairwise(seen):
            if after.position < before.position:
                yield f"{phone}: job {after.job_id} ({after.position}) after {before.job_id} ({before.position})"


def _tokens_are_one_holders(history: History) -> Iterator[str]:
    seen: dict[tuple[str | None, int], LeaseRow] = {}
    for lease in history.leases:
        if lease.device_id is None:
            continue
        other = seen.setdefault((lease.device_id, lease.fence), lease)
        if other is not lease:
            yield f"device {lease.device_id} has two leases with fence {lease.fence}"


def _everything_was_told(history: History) -> Iterator[str]:
    for place, count in history.untold.items():
        yield f"{count} events are left in {place}"


def _books_agree(history: History) -> Iterator[str]:
    yield from history.contradictions


def _artifacts_are_there(history: History) -> Iterator[str]:
    for artifact_id in history.missing_objects:
        yield f"artifact {artifact_id} is on the books and not in the store"


RULES: Final[tuple[Callable[[History], Iterator[str]], ...]] = (
    _every_run_ended,
    _no_job_was_lost,
    _counts_are_right,
    _no_event_was_applied_twice,
    _states_change_under_the_newest_token,
    _a_job_ends_once,
    _every_result_is_the_phones,
    _phones_execute_what_was_granted,
    _cancelled_only_by_wish,
    _fences_never_go_back,
    _nothing_without_a_lease,
    _first_in_first_out,
    _tokens_are_one_holders,
    _everything_was_told,
    _books_agree,
    _artifacts_are_there,
    *STEP_RULES,
)


def _by_phone(history: History) -> dict[str, list[Entry]]:
    """The commands that were a job's and did something, in the order in which they began."""
    found: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(history.commands, key=lambda entry: entry.number):
        if entry.fence is not None and _counts(entry):
            found[entry.phone].append(entry)
    return found


def _holders(history: History) -> dict[tuple[str, int, str | None], str]:
    """Which node a job was given to, by its fence and the phone."""
    return {
        (lease.job_id, lease.fence, history.serials.get(lease.device_id or "")): lease.node_id
        for lease in history.leases
    }


def _on_their_way(history: History) -> set[int]:
    """The commands that may have been on their way when their node was paused: each phone's first as it woke up."""
    holders = _holders(history)
    wakings = [(deed.part, deed.ended_s) for deed in history.deeds if deed.kind == WAKE]
    first: dict[tuple[str, float, str], int] = {}
    for entries in _by_phone(history).values():
        for entry in entries:
            node = holders.get((entry.job or "", entry.fence or 0, entry.phone))
            woke = [at for part, at in wakings if part == node and -CLOCK_SLACK_S <= entry.started_s - at <= RESUMED_S]
            if node is not None and woke:
                first.setdefault((node, max(woke), entry.phone), entry.number)
    return set(first.values())


def _counts(entry: Entry) -> bool:
    return entry.is_claimed or not entry.is_read_only


def _endings(history: History) -> defaultdict[str, list[str]]:
    """What holders told of the ends of jobs, and was applied; a job that was given back has not ended."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for event in history.events:
        if event.type == "job_finished" and event.outcome == "applied" and event.job_id and event.payload:
            outcome = event.payload.get("outcome", "")
            if outcome != "interrupted":
                found[event.job_id].append(outcome)
    return found


def _written(history: History) -> set[tuple[str, int, str]]:
    """The jobs that phones did the first step of, each with its fence and the phone."""
    return {
        (entry.job or "", entry.fence or 0, entry.phone)
        for entry in history.commands
        if entry.outcome == "exited" and entry.status == 0 and "> /sdcard/who.txt" in entry.line
    }
