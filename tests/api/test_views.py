"""The documents that SQL writes whole: the monitor view, the dashboard, explain; and commands and playbooks."""

from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest

from corral.wire.views import Dashboard, Monitor
from tests.api.client import AS_OPERATOR, Node, Operator, artifact_key

OPEN = {"name": "open-app", "uses": "app.start", "with": {"package": "com.android.settings"}, "tags": ["basic"]}


def names_in(document: object) -> object:
    """The names of a document, without the values: what a client may rely on, all of it and no more."""
    if isinstance(document, dict):
        return {name: names_in(value) for name, value in document.items()}
    return [names_in(item) for item in document] if isinstance(document, list) else None


async def test_the_monitor_view_is_as_documented(operator: Operator, node: Node) -> None:
    await node.register("R58M1", "R58M2")
    run = await operator.given_run()
    (job, _) = (await node.pull())["jobs"]
    await node.call_back(
        node.event(job, "job_started"),
        node.event(job, "step_started", step="open", position=1),
        node.event(job, "log", lines=[{"message": "hello", "step": "open", "level": "warning"}]),
        node.event(job, "artifact_created", key=artifact_key(job), kind="screenshot"),
    )

    answer = await operator.get(f"/api/runs/{run['run_id']}", params={"device": job["serial"]})

    assert answer.headers["content-type"] == "application/json"
    view = msgspec.json.decode(answer.content, type=Monitor)
    assert names_in(msgspec.json.decode(msgspec.json.encode(view))) == names_in(answer.json())
    assert [tile.activity for tile in view.heatmap.items] == ["running", "waiting"]
    assert view.selected.current_step["step"] == "open"
    assert [line.message for line in view.selected.logs_tail] == ["hello"]
    assert len(view.last_artifacts) == 1


async def test_a_run_on_an_empty_farm_has_empty_lists_and_zeros(operator: Operator) -> None:
    run = await operator.given_run()

    answer = await operator.get(f"/api/runs/{run['run_id']}", params={"device": "nobody"})

    view = msgspec.json.decode(answer.content, type=Monitor)
    assert (view.heatmap.items, view.logs_tail, view.last_artifacts, view.run.counts.total) == ([], [], [], 0)


async def test_an_unchanged_run_is_not_told_again(operator: Operator, http: httpx.AsyncClient, node: Node) -> None:
    await node.register("R58M1")
    run = await operator.given_run()
    path = f"/api/runs/{run['run_id']}"

    async def ask(etag: str) -> httpx.Response:
        return await http.get(path, headers={**AS_OPERATOR, "if-none-match": etag})

    etag, answer = "", await ask("")
    while answer.headers["etag"] != etag:  # which also changes as time goes by
        etag = answer.headers["etag"]
        answer = await ask(etag)

    assert (answer.status_code, answer.content) == (304, b"")
    await node.pull()
    assert (await ask(etag)).status_code == 200


async def test_the_log_of_a_run_goes_on_where_it_was_left(operator: Operator, node: Node) -> None:
    await node.register("R58M1", "R58M2")
    run = await operator.given_run()
    (one, two) = (await node.pull())["jobs"]
    path = f"/api/runs/{run['run_id']}/logs"

    async def ask(**query: object) -> dict[str, Any]:
        page: dict[str, Any] = (await operator.get(path, params=query)).json()
        return page

    assert await ask() == {"lines": [], "next": 0}
    for job, word in ((one, "first"), (two, "second"), (one, "third")):
        await node.call_back(node.event(job, "log", lines=[{"message": word, "step": "open", "level": "warning"}]))

    page = await ask(limit=2)
    assert [line["message"] for line in page["lines"]] == ["first", "second"]
    page = await ask(after=page["next"])
    assert [(line["message"], line["serial"], line["level"]) for line in page["lines"]] == [
        ("third", one["serial"], "warning")
    ]
    assert await ask(after=page["next"]) == {"lines": [], "next": page["next"]}
    assert [line["message"] for line in (await ask(device=two["serial"]))["lines"]] == ["second"]
    assert [line["message"] for line in (await ask(device=two["index_no"]))["lines"]] == ["second"]
    assert (await operator.get(f"/api/runs/{uuid4()}/logs")).status_code == 404


async def test_explain_says_why_a_job_waits(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    first, run = await operator.given_run(), await operator.given_run()

    explained = (await operator.get(f"/api/runs/{run['run_id']}/explain")).json()

    (job,) = explained["jobs"]
    assert (job["serial"], job["reason"], job["ahead_run_id"]) == ("R58M1", "behind_others", first["run_id"])
    assert explained["next"] is None


@pytest.mark.parametrize("path", ["", "/explain", "/cancel", "/review", "/retry"])
async def test_a_run_that_does_not_exist_is_not_found(operator: Operator, path: str) -> None:
    ask = operator.get if path in {"", "/explain"} else operator.post

    assert (await ask(f"/api/runs/{uuid4()}{path}")).status_code == 404


async def test_the_dashboard_is_as_documented(operator: Operator, node: Node) -> None:
    empty = await operator.get("/api/dashboard")
    assert msgspec.json.decode(empty.content, type=Dashboard).kpis.runs == 0

    await node.register("R58M1")
    run = await operator.given_run()
    (job,) = (await node.pull())["jobs"]
    await node.call_back(node.event(job, "job_started"), node.event(job, "job_finished", outcome="failed"))
    answer = await operator.get("/api/dashboard?window=7d")
    dashboard = msgspec.json.decode(answer.content, type=Dashboard)
    assert names_in(msgspec.json.decode(msgspec.json.encode(dashboard))) == names_in(answer.json())

    assert (dashboard.window_s, dashboard.kpis.runs_failed) == (7 * 86400, 1)
    assert [item.kind for item in dashboard.to_do] == ["runs_failed"]
    (await operator.post(f"/api/runs/{run['run_id']}/review")).raise_for_status()
    assert (await operator.get("/api/dashboard")).json()["to_do"] == []


@pytest.mark.parametrize("window", ["0h", "1y", "", "-1h", "9999d", "1h;"])
async def test_a_window_that_makes_no_sense_is_refused(operator: Operator, window: str) -> None:
    answer = await operator.get("/api/dashboard", params={"window": window})

    assert (answer.status_code, answer.json()["error"]["path"]) == (400, "window")


async def test_commands_are_stored_found_changed_and_deleted(operator: Operator, http: httpx.AsyncClient) -> None:
    made: dict[str, Any] = (await operator.post("/api/commands", OPEN)).json()
    path = f"/api/commands/{made['command_id']}"

    assert (made["tags"], made["revision"]) == (["basic"], 1)
    assert (await operator.post("/api/commands", OPEN)).status_code == 409
    found = (await operator.get("/api/commands", params={"tag": "basic"})).json()
    assert ([command["name"] for command in found["commands"]], found["next"]) == (["open-app"], None)
    changed = await http.put(path, headers=AS_OPERATOR, json={**OPEN, "timeout_s": 30})
    assert (changed.json()["timeout_s"], changed.json()["revision"]) == (30, 2)
    assert (await http.delete(path, headers=AS_OPERATOR)).status_code == 204
    assert (await operator.get(path)).status_code == 404


@pytest.mark.parametrize(
    ("change", "code", "path"),
    [
        ({"uses": "app.dance"}, "command_invalid", "uses"),
        ({"color": "red"}, "command_invalid", "color"),
        ({"tags": "basic"}, "invalid_request", "tags"),
    ],
)
async def test_a_command_that_is_wrong_is_refused(
    operator: Operator, change: dict[str, object], code: str, path: str
) -> None:
    answer = await operator.post("/api/commands", {**OPEN, **change})

    assert answer.status_code == 400
    assert (answer.json()["error"]["code"], answer.json()["error"]["path"]) == (code, path)


async def test_saving_a_playbook_compiles_a_workflow_version(operator: Operator, http: httpx.AsyncClient) -> None:
    command = (await operator.post("/api/commands", OPEN)).json()
    tour = {"name": "tour", "steps": [{"command": "open-app", "probability": 0.5}]}

    saved = (await operator.post("/api/playbooks", tour)).json()
    path = f"/api/playbooks/{saved['playbook_id']}"

    assert (await operator.get("/api/workflows/tour")).json()["version"] == saved["workflow_version"] == 1
    again = await http.put(path, headers=AS_OPERATOR, json={**tour, "timeout_s": 60})
    assert again.json()["workflow_version"] == 2
    renamed = await http.put(path, headers=AS_OPERATOR, json={**tour, "name": "other"})
    assert (renamed.status_code, renamed.json()["error"]["path"]) == (400, "name")
    assert [each["name"] for each in (await operator.get("/api/playbooks")).json()["playbooks"]] == ["tour"]
    held = await http.delete(f"/api/commands/{command['command_id']}", headers=AS_OPERATOR)
    assert held.status_code == 409
    assert (await http.delete(path, headers=AS_OPERATOR)).status_code == 204
    assert (await operator.get(path)).status_code == 404


async def test_a_playbook_of_unknown_commands_is_refused(operator: Operator) -> None:
    answer = await operator.post("/api/playbooks", {"name": "tour", "steps": [{"command": "nothing"}]})

    assert (answer.status_code, answer.json()["error"]["path"]) == (400, "steps[0].command")
