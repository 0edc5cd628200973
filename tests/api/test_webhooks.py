"""Webhooks, as admins set them up, and what others see of them: nothing."""

from typing import Any

import pytest

from tests.api.client import Node, Operator

LAB: dict[str, Any] = {
    "name": "lab",
    "url": "https://hooks.example/secret-path",
    "events": ["run.failed", "node.offline"],
}


async def given_webhook(operator: Operator, **fields: object) -> dict[str, Any]:
    answer = await operator.post("/api/webhooks", {**LAB, **fields})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_a_secret_is_told_once_when_it_is_made_or_rotated(operator: Operator) -> None:
    made = await given_webhook(operator)
    path = f"/api/webhooks/{made['webhook']['webhook_id']}"
    rotated = (await operator.post(f"{path}/secret")).json()
    await operator.post(f"{path}/ping")

    assert made["secret"].startswith("whsec_")
    assert rotated["secret"] not in {None, made["secret"]}
    for place in (path, "/api/webhooks", f"{path}/deliveries", "/api/audit"):
        text = (await operator.get(place)).text
        assert "whsec_" not in text
        assert made["secret"].removeprefix("whsec_") not in text
    assert "secret-path" not in (await operator.get("/api/audit")).text


async def test_slacks_url_is_a_secret_and_is_not_signed_with_another(operator: Operator) -> None:
    made = await given_webhook(operator, kind="slack")
    path = f"/api/webhooks/{made['webhook']['webhook_id']}"

    assert made["secret"] is None
    for text in ((await operator.get(path)).text, (await operator.get("/api/webhooks")).text, str(made)):
        assert "secret-path" not in text
        assert "https://hooks.example/…" in text
    assert (await operator.post(f"{path}/secret")).status_code == 409


@pytest.mark.parametrize(
    ("change", "status", "path"),
    [
        ({"url": "ftp://example.com"}, 400, "url"),
        ({"url": "https://ann:hunter22@example.com"}, 400, "url"),
        ({"url": "http://127.0.0.1:1/"}, 400, "url"),
        ({"url": "http://169.254.169.254/"}, 400, "url"),
        ({"url": "http://localhost/"}, 400, "url"),
        ({"events": []}, 400, "events"),
        ({"events": ["ping"]}, 400, "events[0]"),
        ({"kind": "teams"}, 400, "kind"),
        ({"name": "lab"}, 409, "name"),
        ({"secret": "mine"}, 400, "secret"),
    ],
)
async def test_what_makes_no_sense_is_refused_with_its_path(
    operator: Operator, change: dict[str, Any], status: int, path: str
) -> None:
    await given_webhook(operator)

    answer = await operator.post("/api/webhooks", {**LAB, "name": "another", **change})

    assert (answer.status_code, answer.json()["error"]["path"]) == (status, path)
    assert "hunter22" not in answer.text


async def test_a_webhook_is_changed_field_by_field(operator: Operator) -> None:
    made = (await given_webhook(operator))["webhook"]
    path = f"/api/webhooks/{made['webhook_id']}"

    renamed = (await operator.patch(path, {"name": "pager", "is_enabled": False})).json()
    refused = await operator.patch(path, {"url": "http://10.0.0.1/"})

    assert (renamed["name"], renamed["is_enabled"], renamed["url"]) == ("pager", False, LAB["url"])
    assert renamed["events"] == LAB["events"]
    assert refused.status_code == 400
    assert (await operator.delete(path)).status_code == 204
    assert (await operator.get(path)).status_code == 404
    assert (await operator.get(f"{path}/deliveries")).status_code == 404


async def test_a_delivery_is_listed_with_its_body_and_can_be_made_again(operator: Operator, node: Node) -> None:
    made = (await given_webhook(operator))["webhook"]
    await node.register("R1")
    run = await operator.given_run(params={"password": "hunter22"})
    (job,) = (await node.pull())["jobs"]
    await node.call_back(node.event(job, "job_started"), node.event(job, "job_finished", outcome="failed"))
    path = f"/api/webhooks/{made['webhook_id']}/deliveries"

    listed = (await operator.get(path)).json()["deliveries"]
    detail = await operator.get(f"{path}/{listed[0]['delivery_id']}")
    again = await operator.post(f"{path}/{listed[0]['delivery_id']}/redeliver")

    assert [(each["type"], each["subject"], each["status"]) for each in listed] == [
        ("run.failed", run["run_id"], "waiting")
    ]
    assert f'"run_id":"{run["run_id"]}"' in detail.json()["body"]
    assert "hunter22" not in detail.text
    assert (again.status_code, again.json()["notification_id"]) == (200, listed[0]["notification_id"])


async def test_deliveries_are_paged_newest_first_and_others_cannot_be_reached_through_a_webhook(
    operator: Operator,
) -> None:
    first = (await given_webhook(operator))["webhook"]["webhook_id"]
    other = (await given_webhook(operator, name="other"))["webhook"]["webhook_id"]
    pings = [(await operator.post(f"/api/webhooks/{first}/ping")).json()["delivery_id"] for _ in range(3)]

    page = (await operator.get(f"/api/webhooks/{first}/deliveries", params={"limit": 2})).json()
    rest = (await operator.get(f"/api/webhooks/{first}/deliveries", params={"before": page["next"]})).json()

    assert [each["delivery_id"] for each in page["deliveries"] + rest["deliveries"]] == pings[::-1]
    assert (await operator.get(f"/api/webhooks/{other}/deliveries/{pings[0]}")).status_code == 404
    assert (await operator.post(f"/api/webhooks/{other}/deliveries/{pings[0]}/redeliver")).status_code == 404
