"""What a builder of playbooks asks: contracts of actions, dry runs, and how steps went."""

from typing import Any

import httpx
import pytest

from corral.workflow import installed_actions, parse_recipe
from tests.api.client import AS_OPERATOR, Node, Operator

OPEN = {
    "name": "open-app",
    "uses": "app.start",
    "with": {"package": "{{ params.package }}"},
    "params": {"package": {"type": "string"}},
    "timeout_bounds_s": [5, 120],
}
TOUR: dict[str, Any] = {
    "name": "tour",
    "steps": [{"command": "open-app", "probability": 0.5, "params": {"package": "com.android.settings"}}],
}


async def test_every_action_says_what_it_is_given_and_how_long_it_may_take(operator: Operator) -> None:
    told = (await operator.get("/api/actions")).json()

    actions = {action["name"]: action for action in told["actions"]}
    assert list(actions) == sorted(installed_actions())
    assert told["timeout_bounds_s"] == [1, 3600]
    install, shot, upload = (actions[name] for name in ("app.install", "device.screenshot", "artifact.upload"))
    assert install["args_schema"]["$defs"]["InstallArgs"]["required"] == ["file"]
    assert [each["default_timeout_s"] for each in (install, shot, upload)] == [300, 90, 30]
    assert install["repeatable"]
    assert actions["assert.shell"]["exclusive"] == [["equals", "contains", "matches"]]
    assert actions["http.request"]["modes"] == ["device", "distributed"]


async def test_a_dry_run_compiles_a_playbook_and_writes_nothing(operator: Operator) -> None:
    await operator.post("/api/commands", OPEN)

    told = (await operator.post("/api/playbooks/validate", TOUR)).json()

    assert (told["problems"], told["saved_version"], told["saved_text"]) == ([], None, None)
    (compiled,) = parse_recipe(told["text"]).steps
    assert (compiled.id, compiled.probability, compiled.with_) == ("open_app", 0.5, {"package": "com.android.settings"})
    assert (await operator.get("/api/playbooks")).json()["playbooks"] == []
    assert (await operator.get("/api/workflows/tour")).status_code == 404


async def test_a_dry_run_shows_what_the_new_text_is_to_replace(operator: Operator) -> None:
    await operator.post("/api/commands", OPEN)
    saved = (await operator.post("/api/playbooks", TOUR)).json()

    same = (await operator.post("/api/playbooks/validate", TOUR)).json()
    other = (await operator.post("/api/playbooks/validate", {**TOUR, "title": "A tour"})).json()

    assert (same["saved_version"], same["text"]) == (saved["workflow_version"], same["saved_text"])
    assert other["saved_text"] == same["text"]
    assert "title: A tour" in other["text"]


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"steps": []}, "steps"),
        ({"name": "no spaces"}, "name"),
        ({"name": "nul\0"}, "name"),
        ({"name": 7}, "name"),
        ({"steps": [{"command": "nothing"}]}, "steps[0].command"),
        ({"steps": [{**TOUR["steps"][0], "timeout_s": 200}]}, "steps[0].timeout_s"),
        ({"steps": [{**TOUR["steps"][0], "probability": 2}]}, "steps[0].probability"),
        ({"steps": [{**TOUR["steps"][0], "params": {"package": 7}}]}, "steps[0].params.package"),
    ],
)
async def test_a_dry_run_says_what_is_wrong_and_where(operator: Operator, change: dict[str, Any], path: str) -> None:
    await operator.post("/api/commands", OPEN)

    answer = await operator.post("/api/playbooks/validate", {**TOUR, **change})

    assert answer.status_code == 200
    assert answer.json()["text"] is None
    assert path in [problem["path"] for problem in answer.json()["problems"]]


async def test_a_command_is_looked_at_without_being_stored(operator: Operator) -> None:
    fine = await operator.post("/api/commands/validate", {**OPEN, "tags": ["basic"]})
    wrong = await operator.post(
        "/api/commands/validate", {"name": "put", "uses": "app.install", "with": {"replace": "no"}}
    )

    assert (fine.status_code, fine.json()) == (200, {"problems": []})
    assert {each["path"] for each in wrong.json()["problems"]} == {"with.file", "with.replace"}
    assert (await operator.get("/api/commands")).json()["commands"] == []


async def test_the_steps_of_a_run_are_tallied_and_not_told_again_unchanged(
    operator: Operator, http: httpx.AsyncClient, node: Node
) -> None:
    await node.register("R58M1", "R58M2")
    run = await operator.given_run()
    path = f"/api/runs/{run['run_id']}/steps"
    first = await operator.get(path)
    (job, _) = (await node.pull())["jobs"]
    told = {"step": first.json()["steps"][0]["step"], "position": 1, "decision": "execute"}
    await node.call_back(node.event(job, "job_started"), node.event(job, "step_started", **told))

    later = await http.get(path, headers={**AS_OPERATOR, "if-none-match": first.headers["etag"]})
    unchanged = await http.get(path, headers={**AS_OPERATOR, "if-none-match": later.headers["etag"]})

    (step, *_) = later.json()["steps"]
    assert (step["jobs"], step["chosen"], step["running"]) == (2, 1, 1)
    assert (unchanged.status_code, unchanged.content) == (304, b"")
