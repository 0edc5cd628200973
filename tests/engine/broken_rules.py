"""Rules of the shipped SQL, each with what it would be without: (function, what it says, what it would say)."""

from typing import Final

BROKEN_RULES: Final[dict[str, tuple[str, str, str]]] = {
    "a state changes only under the current token": (
        "fn_judge_events",
        "when j.lease_token is distinct from e.lease_token or j.lease_owner is distinct from e.node_id",
        "when j.lease_owner is distinct from e.node_id",
    ),
    "a token is its node's alone": (
        "fn_judge_events",
        "when j.lease_token is distinct from e.lease_token or j.lease_owner is distinct from e.node_id",
        "when j.lease_token is distinct from e.lease_token",
    ),
    "a lower sequence is stale": (
        "fn_judge_events",
        "when e.seq <= j.state_seq and e.type <> 'test_results' then 'something later was applied'",
        "",
    ),
    "an event is applied once": (
        "fn_judge_events",
        "on conflict (node_id, event_id) do nothing",
        "on conflict (node_id, event_id) do update set outcome = excluded.outcome",
    ),
    "a node holds no more than its slots": (
        "fn_pull_job",
        "least(p_want, v_node.max_concurrency + v_node.lookahead - v_held)",
        "p_want",
    ),
    "a repeated request gets the same grant": (
        "fn_pull_job",
        "filter (where l.request_id = p_request_id)",
        "filter (where false)",
    ),
    "a requeued job keeps its token": (
        "fn_conclude_jobs",
        "deadline_at = null,",
        "deadline_at = null, lease_token = case when w.status <> 'queued' then j.lease_token end,",
    ),
    "jobs of a device are first in, first out": (
        "fn_settle_lanes",
        "order by j.priority desc, j.position",
        "order by j.position desc",
    ),
    "a grant is lost after two beats": ("fn_review_leases", "l.unnamed_beats >= 2", "l.unnamed_beats >= 1"),
    "only proof of death requeues at once": (
        "fn_register_node",
        "if v_former.state_id = p_state_id then",
        "if true then",
    ),
    "a leased device stays on its node": (
        "fn_report_devices",
        "d.node_id <> p_node_id and l.lease_token is not null as is_contested",
        "false as is_contested",
    ),
}

RARELY_MET: Final[dict[str, tuple[str, str, str]]] = {
    "terminal states are final": (
        "fn_judge_events",
        "when j.finished_at is not null then 'the job has ended'",
        "",
    ),
    "a session ends with its run": ("fn_advance_runs", "perform fn_close_device_sessions(v_ended);", ""),
}
"""Those that take the machine a minute to notice: tried when it is asked for more. Each has a test of its own besides."""
