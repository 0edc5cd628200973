"""Requests that are wrong, and what every answer carries."""

import httpx
import pytest

from tests.api.client import AS_NODE, AS_OPERATOR, SMOKE, Node, Operator

MALFORMED = [
    *(b"{", b"", b"[]", b"null", b'"x"', b'{"node_id": 5}', b"[" * 50_000),
    *(b"\xff\xfe", b'"\xff"', b'{"\xff": 1}', b'{"node_id": "\xed\xa0\x80"}'),
]


@pytest.mark.parametrize("body", MALFORMED)
async def test_a_malformed_body_is_refused(http: httpx.AsyncClient, body: bytes) -> None:
    headers = {**AS_NODE, "content-type": "application/json"}
    answer = await http.post("/api/nodes/register", headers=headers, content=body)

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_request"


@pytest.mark.parametrize(
    ("what", "body", "path"),
    [
        ("register", {"node_id": "node-1", "max_concurency": 3}, "max_concurency"),
        ("register", {}, "node_id"),
        ("register", {"node_id": "no spaces"}, "node_id"),
        ("heartbeat", {"node_id": "n", "epoch": 1, "devices": [{"serial": "a", "baterry": 1}]}, "devices[0].baterry"),
        ("pull", {"node_id": "n", "epoch": 1, "request_id": "x"}, "request_id"),
        ("pull", {"node_id": "n", "epoch": 1, "request_id": "x", "wait_s": 31}, "request_id"),
        ("callback", {"node_id": "n", "events": []}, "events"),
    ],
)
async def test_the_offending_value_is_named(
    http: httpx.AsyncClient, what: str, body: dict[str, object], path: str
) -> None:
    answer = await http.post(f"/api/nodes/{what}", headers=AS_NODE, json=body)

    assert answer.status_code == 400
    assert answer.json()["error"]["path"] == path


async def test_a_body_that_is_too_large_is_refused(http: httpx.AsyncClient) -> None:
    answer = await http.post("/api/workflows", headers=AS_OPERATOR, content=b"x" * 100_000)

    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "body_too_large")


async def test_a_body_without_a_length_is_limited_too(http: httpx.AsyncClient) -> None:
    async def chunks() -> object:
        for _ in range(100):
            yield b"x" * 1000

    answer = await http.post("/api/workflows", headers=AS_OPERATOR, content=chunks())  # type: ignore[arg-type]

    assert answer.status_code == 413


async def test_a_request_id_comes_back(http: httpx.AsyncClient) -> None:
    answer = await http.get("/nowhere", headers={"x-request-id": "abc-123"})

    assert answer.headers["x-request-id"] == "abc-123"


@pytest.mark.parametrize("given", ["", "a" * 200, "new line", "<script>"])
async def test_an_unfit_request_id_is_replaced(http: httpx.AsyncClient, given: str) -> None:
    answer = await http.get("/health", headers={"x-request-id": given})

    assert len(answer.headers["x-request-id"]) == 32


@pytest.mark.parametrize("path", ["/health", "/nowhere", "/api/runs"])
async def test_every_answer_carries_safe_headers(http: httpx.AsyncClient, path: str) -> None:
    headers = (await http.get(path)).headers

    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "default-src 'self'" in headers["content-security-policy"]
    assert headers["cache-control"] == "no-store"


async def test_what_is_not_there_and_what_is_not_done_are_said_in_json(operator: Operator) -> None:
    missing, wrong = await operator.get("/nowhere"), await operator.patch("/api/runs", {})

    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize("path", ["/api/runs/not-a-uuid", "/api/devices/%2e%2e%2fetc", "/api/workflows/a/b"])
async def test_an_id_of_the_wrong_shape_is_not_found(operator: Operator, path: str) -> None:
    assert (await operator.get(path)).status_code in {400, 404}


@pytest.mark.parametrize(
    ("recipe", "path"),
    [
        ({**SMOKE, "stepz": []}, "stepz"),
        ({**SMOKE, "steps": [{"id": "a", "uses": "app.dance"}]}, "steps[0].uses"),
        ({**SMOKE, "steps": [{"id": "a", "uses": "flow.sleep", "needs": ["a"]}]}, "steps[0].needs"),
    ],
)
async def test_a_recipe_is_refused_with_the_path_of_what_is_wrong(
    operator: Operator, recipe: dict[str, object], path: str
) -> None:
    answer = await operator.post("/api/workflows", recipe)

    assert answer.status_code == 400
    error = answer.json()["error"]
    assert error["code"] == "recipe_invalid"
    assert any(problem["path"].startswith(path) for problem in error["problems"]), error


async def test_a_workflow_is_stored_from_yaml_and_versioned(http: httpx.AsyncClient, operator: Operator) -> None:
    headers = {**AS_OPERATOR, "content-type": "application/yaml"}
    text = "name: look\nsteps:\n  - {id: look, uses: device.screenshot}\n"

    first = (await http.post("/api/workflows", headers=headers, content=text)).json()
    again = (await http.post("/api/workflows", headers=headers, content=text)).json()
    second = (await http.post("/api/workflows", headers=headers, content=text + "timeout_s: 60\n")).json()

    assert (first["version"], again["version"], second["version"]) == (1, 1, 2)
    assert (await operator.get("/api/workflows/look")).json()["version"] == 2
    assert (await operator.get("/api/workflows/look/1")).json() == first
    assert (await operator.get("/api/workflows/look/3")).status_code == 404
    assert [each["name"] for each in (await operator.get("/api/workflows")).json()["workflows"]] == ["look"]


@pytest.mark.parametrize(
    ("request_", "path"),
    [
        ({"params": {"pakcage": "x"}}, "params.pakcage"),
        ({"params": {"package": 5}}, "params.package"),
        ({"overrides": {"open": {"timeout_s": 500}}}, "overrides.open.timeout_s"),
        ({"overrides": {"close": {}}}, "overrides.close"),
        ({"policy": {"concurrency": 0}}, "policy.concurrency"),
        ({"policy": {"colour": "red"}}, "policy.colour"),
        ({"target": {"serials": ["nobody"]}}, "target.serials[0]"),
        ({"target": {}}, "target"),
        ({"taget": {}}, "taget"),
        ({"version": 0}, "version"),
    ],
)
async def test_a_run_is_refused_with_the_path_of_what_is_wrong(
    operator: Operator, request_: dict[str, object], path: str
) -> None:
    await operator.given_workflow()

    answer = await operator.post("/api/runs", {"workflow": "smoke", **request_})

    assert answer.status_code == 400
    assert answer.json()["error"]["path"] == path


async def test_a_run_of_an_unknown_workflow_is_not_found(operator: Operator) -> None:
    answer = await operator.post("/api/runs", {"workflow": "nothing"})

    assert (answer.status_code, answer.json()["error"]["path"]) == (404, "workflow")


async def test_runs_are_listed_a_page_at_a_time(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    made = [(await operator.given_run())["run_id"] for _ in range(3)]

    first = (await operator.get("/api/runs", params={"limit": 2})).json()
    second = (await operator.get("/api/runs", params={"limit": 2, "before": first["next"]})).json()

    assert [run["run_id"] for run in first["runs"] + second["runs"]] == made[::-1]
    assert second["next"] is None


async def test_runs_are_found_by_their_state(operator: Operator, node: Node) -> None:
    await node.register("R58M1")
    going, cancelled = (await operator.given_run())["run_id"], (await operator.given_run())["run_id"]
    await operator.post(f"/api/runs/{cancelled}/cancel")

    async def found(query: str) -> list[str]:
        return [run["run_id"] for run in (await operator.get(f"/api/runs?{query}")).json()["runs"]]

    assert await found("status=cancelled") == [cancelled]
    assert await found("status=queued&status=cancelled") == [cancelled, going]
    assert await found("reviewed=true") == []
    await operator.post(f"/api/runs/{cancelled}/review")
    assert await found("reviewed=true") == [cancelled]
    assert (await operator.get("/api/runs?status=odd")).json()["error"]["path"] == "status"


async def test_a_failed_run_is_retried_as_a_new_one(operator: Operator, node: Node) -> None:
    await node.register("R58M1", "R58M2")
    run = await operator.given_run()
    good, bad = (await node.pull())["jobs"]
    assert (await operator.post(f"/api/runs/{run['run_id']}/retry")).status_code == 409
    await node.call_back(node.event(good, "job_finished", outcome="succeeded"))
    await node.call_back(node.event(bad, "job_finished", outcome="failed", failure_reason="action_failed"))

    retry = (await operator.post(f"/api/runs/{run['run_id']}/retry")).json()

    assert (retry["retry_of"], retry["total_jobs"]) == (run["run_id"], 1)
    assert [job["serial"] for job in (await node.pull())["jobs"]] == [bad["serial"]]


async def test_a_device_is_labelled_renumbered_and_quarantined(operator: Operator, node: Node) -> None:
    await node.register("R58M1", "R58M2")
    first, second = (await operator.get("/api/devices")).json()["devices"]
    path = f"/api/devices/{first['device_id']}"

    changed = (await operator.patch(path, {"label": "top left", "tags": ["lab"], "index_no": 2})).json()
    assert (changed["label"], changed["tags"], changed["index_no"]) == ("top left", ["lab"], 2)
    assert (await operator.get(f"/api/devices/{second['device_id']}")).json()["index_no"] == 1
    assert (await operator.patch(path, {"health": "quarantined"})).json()["error"]["path"] == "health_reason"
    assert (await operator.patch(path, {"health": "quarantined", "health_reason": "hot"})).json()["health"] == (
        "quarantined"
    )
    assert (await operator.get("/api/devices?tag=lab&health=quarantined")).json()["devices"][0]["label"] == "top left"
    assert (await operator.get("/api/devices?tag=attic")).json() == {"devices": [], "next": None}
    page = (await operator.get("/api/devices", params={"limit": 1, "node_id": "node-1"})).json()
    assert ([device["index_no"] for device in page["devices"]], page["next"]) == ([1], 1)


async def test_the_farm_status_is_by_the_devices_numbers(operator: Operator, node: Node) -> None:
    assert (await operator.get("/api/nodes/status")).json() == {"nodes": [], "devices": []}
    await node.register("R58M1", "R58M2")
    await node.beat(devices=[{"serial": "R58M2", "connection": "offline"}])

    status = (await operator.get("/api/nodes/status")).json()

    assert [(device["index"], device["status"]) for device in status["devices"]] == [(1, "online"), (2, "offline")]
    assert [each["online"] for each in status["nodes"]] == [True]


async def test_the_measures_know_routes_and_outcomes_but_no_ids(operator: Operator, node: Node) -> None:
    await node.register()
    await node.call_back({"event_id": "x"})

    text = (await operator.get("/metrics")).text

    assert 'corral_http_requests_total{method="POST",route="/api/nodes/register",status="200"} 1.0' in text
    assert 'corral_node_events_total{outcome="invalid"} 1.0' in text
    assert "node-1" not in text


async def test_the_server_is_ready_when_the_database_is_migrated(http: httpx.AsyncClient) -> None:
    assert (await http.get("/ready")).json()["status"] == "ok"


async def test_a_replay_has_the_seed_the_devices_and_the_secrets_of_the_old_run(operator: Operator, node: Node) -> None:
    await node.register("R58M1", "R58M2")
    old = await operator.given_run(target={"serials": ["R58M2"]}, params={"password": "hunter22"})
    assert (await operator.post(f"/api/runs/{old['run_id']}/replay")).status_code == 409  # it is still going
    pulled = await node.pull()
    await node.call_back(node.event(pulled["jobs"][0], "job_finished", outcome="succeeded"))

    answer = await operator.post(f"/api/runs/{old['run_id']}/replay")

    replay = answer.json()
    assert (answer.status_code, replay["replay_of"], replay["seed"]) == (201, old["run_id"], old["seed"])
    assert "hunter22" not in answer.text
    again = await node.pull()
    assert [job["serial"] for job in again["jobs"]] == ["R58M2"]
    assert again["runs"][0]["secret_params"] == pulled["runs"][0]["secret_params"] == {"password": "hunter22"}


async def test_a_plan_tells_the_timeout_of_each_step_and_within_which_bounds_a_run_may_change_it(
    operator: Operator,
) -> None:
    await operator.given_workflow()

    plan = (await operator.get("/api/workflows/smoke/1/plan")).json()

    assert plan["timeout_s"] == 120
    assert [(step["id"], step["timeout_s"], step["timeout_bounds_s"]) for step in plan["steps"]] == [
        ("open", 90, [5, 120]),
        ("look", 90, [1, 3600]),
    ]
