"""A device's history and health, as operators ask for them."""

from typing import Any
from uuid import uuid4

import pytest

from tests.api.client import Node, Operator


async def given_device(operator: Operator, node: Node) -> str:
    await node.register("R58M1")
    device_id: str = (await operator.get("/api/devices")).json()["devices"][0]["device_id"]
    return device_id


async def test_the_history_of_a_device_goes_on_page_by_page(operator: Operator, node: Node) -> None:
    device_id = await given_device(operator, node)
    runs = [(await operator.given_run(name=f"run {number}"))["run_id"] for number in range(3)]
    path = f"/api/devices/{device_id}/jobs"

    first = (await operator.get(path, params={"limit": 2})).json()
    second = (await operator.get(path, params={"limit": 2, "before": first["next"]})).json()

    told: list[dict[str, Any]] = [*first["jobs"], *second["jobs"]]
    assert [job["run_id"] for job in told] == runs[::-1]
    assert (told[0]["run_name"], told[0]["status"], second["next"]) == ("run 2", "queued", None)
    assert (await operator.get(path, params={"status": ["failed", "cancelled"]})).json() == {"jobs": [], "next": None}


async def test_the_health_of_a_device_has_its_samples_and_its_changes(operator: Operator, node: Node) -> None:
    device_id = await given_device(operator, node)
    await node.beat(devices=[{"serial": "R58M1", "battery": 71, "temperature": 30.5}])
    await operator.patch(f"/api/devices/{device_id}", {"health": "quarantined", "health_reason": "cracked"})

    health = (await operator.get(f"/api/devices/{device_id}/health", params={"window": "7d"})).json()

    assert [(each["battery"], each["temperature"]) for each in health["samples"]] == [(71, 30.5)]
    (change,) = health["changes"]
    assert (change["health"], change["reason"], change["changed_by"]) == ("quarantined", "cracked", "operator")


@pytest.mark.parametrize("what", ["jobs", "health"])
async def test_a_device_that_there_is_not_has_no_history(operator: Operator, what: str) -> None:
    answer = await operator.get(f"/api/devices/{uuid4()}/{what}")

    assert (answer.status_code, answer.json()["error"]["path"]) == (404, "device_id")


async def test_a_window_that_is_too_long_is_refused(operator: Operator, node: Node) -> None:
    device_id = await given_device(operator, node)

    answer = await operator.get(f"/api/devices/{device_id}/health", params={"window": "32d"})

    assert (answer.status_code, answer.json()["error"]["path"]) == (400, "window")
