"""Named operators, and the record of what they did."""

import io
import json
from typing import Any

import httpx
import pytest

from tests.api.client import SMOKE, Node, Operator


async def named(operator: Operator, http: httpx.AsyncClient, name: str, role: str) -> Operator:
    answer = await operator.post("/api/operators", {"name": name, "role": role})
    assert answer.status_code == 201, answer.text
    return Operator(http, headers={"authorization": f"Bearer {answer.json()['token']}"})


async def test_operators_are_listed_without_their_tokens(http: httpx.AsyncClient, operator: Operator) -> None:
    made = (await operator.post("/api/operators", {"name": "ann", "role": "viewer"})).json()
    await named(operator, http, "bob", "admin")

    listed = await operator.get("/api/operators", params={"limit": 1})
    rest = (await operator.get("/api/operators", params={"after": listed.json()["next"]})).json()

    assert made["token"].startswith("crlo_")
    assert made["token"] not in listed.text
    assert [each["name"] for each in listed.json()["operators"] + rest["operators"]] == ["ann", "bob"]
    assert made["operator"]["created_by"] == "operator"


@pytest.mark.parametrize(
    ("body", "status", "path"),
    [
        ({"name": "local", "role": "viewer"}, 400, "name"),
        ({"name": "a b", "role": "viewer"}, 400, "name"),
        ({"name": "eve", "role": "king"}, 400, "role"),
        ({"name": "ann", "role": "viewer"}, 409, "name"),
    ],
)
async def test_an_operator_that_makes_no_sense_is_refused(
    http: httpx.AsyncClient, operator: Operator, body: dict[str, str], status: int, path: str
) -> None:
    await named(operator, http, "ann", "viewer")

    answer = await operator.post("/api/operators", body)

    assert (answer.status_code, answer.json()["error"]["path"]) == (status, path)


async def test_a_revoked_operator_is_out_at_once_and_a_rotated_token_is_the_only_one(
    http: httpx.AsyncClient, operator: Operator
) -> None:
    ann, bob = await named(operator, http, "ann", "viewer"), await named(operator, http, "bob", "viewer")
    assert (await ann.get("/api/runs")).status_code == (await bob.get("/api/runs")).status_code == 200

    assert (await operator.delete("/api/operators/ann")).status_code == 204
    rotated = (await operator.post("/api/operators/bob/token")).json()["token"]

    assert (await ann.get("/api/runs")).status_code == 401
    assert (await bob.get("/api/runs")).status_code == 401
    assert (await http.get("/api/runs", headers={"x-api-key": rotated})).status_code == 200
    assert (await operator.delete("/api/operators/nobody")).status_code == 404
    assert (await operator.post("/api/operators/ann/token")).status_code == 404


async def do_everything(ann: Operator, node: Node) -> dict[str, Any]:
    """Every change that an operator can ask for; returns the run."""
    command = {"name": "look", "uses": "device.screenshot"}
    made = (await ann.post("/api/commands", command)).json()
    await ann.put(f"/api/commands/{made['command_id']}", {**command, "title": "Look"})
    playbook = (await ann.post("/api/playbooks", {"name": "round", "steps": [{"command": "look"}]})).json()
    await ann.delete(f"/api/playbooks/{playbook['playbook_id']}")
    await ann.delete(f"/api/commands/{made['command_id']}")
    device = (await ann.get("/api/devices")).json()["devices"][0]
    await ann.patch(f"/api/devices/{device['device_id']}", {"label": "top left"})
    await ann.post("/api/nodes/scan", {})
    run = await ann.given_run(params={"password": "hunter22"})
    await ann.post(f"/api/runs/{run['run_id']}/cancel")
    await ann.post(f"/api/runs/{run['run_id']}/review")
    await ann.post(f"/api/runs/{run['run_id']}/retry")
    await ann.post("/api/nodes/node-1/drain", {"draining": True})
    await ann.post("/api/nodes/node-1/drain", {"draining": False})
    enrolled = (await ann.post("/api/nodes/node-1/enroll")).json()["details"]
    await ann.delete(f"/api/nodes/node-1/tokens/{enrolled['token_id']}")
    await ann.post("/api/operators", {"name": "bob", "role": "viewer"})
    await ann.post("/api/operators/bob/token")
    await ann.delete("/api/operators/bob")
    return run


async def test_every_change_is_recorded_with_who_asked_for_it(
    http: httpx.AsyncClient, operator: Operator, node: Node
) -> None:
    await node.register("R58M1")
    ann = await named(operator, http, "ann", "admin")

    run = await do_everything(ann, node)

    audit = await operator.get("/api/audit", params={"actor": "ann", "limit": 1000})
    assert sorted(entry["action"] for entry in audit.json()["entries"]) == sorted(
        [
            "command.create",
            "command.update",
            "workflow.create",
            "playbook.save",
            "playbook.delete",
            "command.delete",
            "device.update",
            "node.scan",
            "workflow.create",
            "run.create",
            "run.cancel",
            "run.review",
            "run.create",
            "node.drain",
            "node.undrain",
            "node.enroll",
            "node.revoke",
            "operator.create",
            "operator.rotate",
            "operator.revoke",
        ]
    )
    assert "hunter22" not in audit.text
    assert "crl" not in audit.text
    assert run["created_by"] == "ann"
    on_run = (await operator.get("/api/audit", params={"subject": run["run_id"]})).json()["entries"]
    assert [entry["action"] for entry in on_run] == ["run.review", "run.cancel", "run.create"]


async def test_the_audit_is_paged_newest_first(operator: Operator) -> None:
    for number in range(3):
        await operator.post("/api/workflows", {**SMOKE, "name": f"w{number}"})

    first = (await operator.get("/api/audit", params={"limit": 2})).json()
    second = (await operator.get("/api/audit", params={"limit": 2, "before": first["next"]})).json()

    assert [entry["detail"]["name"] for entry in first["entries"] + second["entries"]] == ["w2", "w1", "w0"]
    assert second["next"] is None


async def test_log_lines_carry_who_calls_and_never_what_they_showed(
    http: httpx.AsyncClient, operator: Operator, lines: io.StringIO
) -> None:
    ann = await named(operator, http, "ann", "viewer")
    await ann.get("/api/runs?x=crlo_0123456789")

    served = [json.loads(line) for line in lines.getvalue().splitlines() if '"/api/runs' in line]

    assert {line["actor"] for line in served if line["event"] == "served"} == {"ann"}
    assert "crlo_" not in lines.getvalue()
