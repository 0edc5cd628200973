"""Schedules, as operators ask for, see, change and run them."""

from typing import Any

import pytest

from corral.upkeep.fire_schedules import fire_schedules
from tests.api.client import SMOKE, Node, Operator
from tests.engine.farm import SECOND, Farm

NIGHTLY: dict[str, Any] = {
    "name": "nightly",
    "cron": "0 3 * * *",
    "time_zone": "Asia/Seoul",
    "run": {"workflow": "smoke", "params": {"package": "com.example", "password": "hunter22"}},
}


@pytest.fixture
async def schedule(operator: Operator) -> dict[str, Any]:
    await operator.given_workflow()
    answer = await operator.post("/api/schedules", NIGHTLY)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def test_a_schedule_shows_what_it_runs_and_its_next_five_times(
    operator: Operator, schedule: dict[str, Any]
) -> None:
    assert len(schedule["next_times"]) == 5
    assert all(time.endswith("T18:00:00Z") for time in schedule["next_times"])
    assert schedule["run"]["params"] == {"package": "com.example"}
    assert (schedule["overlap"], schedule["catch_up"], schedule["is_paused"]) == ("skip", "last", False)
    assert schedule["created_by"] == "operator"
    assert (await operator.get(f"/api/schedules/{schedule['schedule_id']}")).json() == schedule
    assert (await operator.get("/api/schedules")).json() == {"schedules": [schedule], "next": None}


async def test_secret_params_are_kept_named_and_never_shown(
    operator: Operator, node: Node, schedule: dict[str, Any]
) -> None:
    path = f"/api/schedules/{schedule['schedule_id']}"
    renamed = await operator.patch(path, {"run": {"workflow": "smoke", "params": {"package": "com.other"}}})
    await node.register("R1")
    run = await operator.post(f"{path}/run")
    (spec,) = (await node.pull())["runs"]

    assert schedule["secret_params"] == renamed.json()["secret_params"] == ["password"]
    assert spec["secret_params"] == {"password": "hunter22"}
    assert spec["params"] == {"package": "com.other"}
    audit = await operator.get("/api/audit", params={"limit": 1000})
    for answer in (renamed, run, await operator.get("/api/schedules"), await operator.get(path), audit):
        assert answer.is_success
        assert "hunter22" not in answer.text

    await operator.patch(path, {"run": {"workflow": "smoke", "params": {"password": None}}})
    assert (await operator.get(path)).json()["secret_params"] == []


@pytest.mark.parametrize(
    ("change", "status", "path"),
    [
        ({"cron": "61 * * * *"}, 400, "cron"),
        ({"time_zone": "Mars/Olympus"}, 400, "time_zone"),
        ({"overlap": "sometimes"}, 400, "overlap"),
        ({"catch_up_limit": 0}, 400, "catch_up_limit"),
        ({"name": ""}, 400, "name"),
        ({"name": "nightly"}, 409, "name"),
        ({"often": True}, 400, "often"),
        ({"run": {"workflow": "nothing"}}, 404, "workflow"),
        ({"run": {"workflow": "smoke", "replay_of": "x"}}, 400, "run.replay_of"),
        ({"run": {"workflow": "smoke", "version": 99}}, 404, "workflow"),
        ({"run": {"workflow": "smoke", "params": {"pakage": "x"}}}, 400, "run.params.pakage"),
        ({"run": {"workflow": "smoke", "params": {"password": "x"}}}, 400, "run.params.password"),
        (
            {"run": {"workflow": "smoke", "overrides": {"open": {"timeout_s": 999}}}},
            400,
            "run.overrides.open.timeout_s",
        ),
        ({"run": {"workflow": "smoke", "target": {"everything": True}}}, 400, "target.everything"),
        ({"run": {"workflow": "smoke", "policy": {"concurrency": 0}}}, 400, "policy.concurrency"),
    ],
)
@pytest.mark.usefixtures("schedule")
async def test_what_makes_no_sense_is_refused_with_its_path(
    operator: Operator, change: dict[str, Any], status: int, path: str
) -> None:
    answer = await operator.post("/api/schedules", {**NIGHTLY, "name": "another", **change})

    assert (answer.status_code, answer.json()["error"]["path"]) == (status, path)


async def test_a_change_is_checked_like_a_new_schedule_and_what_is_left_out_stays(
    operator: Operator, schedule: dict[str, Any]
) -> None:
    path = f"/api/schedules/{schedule['schedule_id']}"

    refused = await operator.patch(path, {"cron": "99 * * * *"})
    changed = (await operator.patch(path, {"cron": "30 4 * * 1", "overlap": "cancel_previous"})).json()

    assert refused.json()["error"]["path"] == "cron"
    assert (changed["cron"], changed["time_zone"], changed["overlap"]) == (
        "30 4 * * 1",
        "Asia/Seoul",
        "cancel_previous",
    )
    assert all("T19:30:00Z" in time for time in changed["next_times"])
    assert changed["run"] == schedule["run"]


async def test_a_paused_schedule_has_no_times_and_forgets_what_went_by(
    operator: Operator, schedule: dict[str, Any], farm: Farm
) -> None:
    path = f"/api/schedules/{schedule['schedule_id']}"
    paused = (await operator.patch(path, {"is_paused": True})).json()
    await farm.clock.advance(SECOND * 86400 * 3)
    await fire_schedules(farm.engine)
    resumed = (await operator.patch(path, {"is_paused": False})).json()
    await fire_schedules(farm.engine)

    assert paused["next_times"] == []
    assert len(resumed["next_times"]) == 5
    assert (await operator.get(f"{path}/firings")).json()["firings"] == []


async def test_firings_are_listed_newest_first_with_their_runs(
    operator: Operator, schedule: dict[str, Any], farm: Farm
) -> None:
    path = f"/api/schedules/{schedule['schedule_id']}"
    for _ in range(2):
        await farm.clock.advance(SECOND * 86400)
        await fire_schedules(farm.engine)
    run = (await operator.post(f"{path}/run")).json()

    first = (await operator.get(f"{path}/firings", params={"limit": 2})).json()
    rest = (await operator.get(f"{path}/firings", params={"limit": 2, "before": first["next"]})).json()
    shown = (await operator.get(path)).json()
    monitored = (await operator.get(f"/api/runs/{run['run_id']}")).json()["run"]

    listed = first["firings"] + rest["firings"]
    assert [each["is_by_hand"] for each in listed] == [True, False, False]
    assert listed[0]["run_id"] == run["run_id"]
    assert (rest["next"], shown["last_firings"]) == (None, listed)
    assert (monitored["source_type"], monitored["source_id"]) == ("schedule", schedule["schedule_id"])


async def test_running_now_needs_no_overlap_policy_and_works_while_paused(
    operator: Operator, node: Node, schedule: dict[str, Any]
) -> None:
    await node.register("R1")
    path = f"/api/schedules/{schedule['schedule_id']}"
    await operator.patch(path, {"is_paused": True})

    runs = [(await operator.post(f"{path}/run")).json() for _ in range(2)]

    assert [(run["status"], run["created_by"]) for run in runs] == [("queued", "operator")] * 2


async def test_a_deleted_schedule_is_gone_and_its_runs_stay(operator: Operator, schedule: dict[str, Any]) -> None:
    path = f"/api/schedules/{schedule['schedule_id']}"
    run = (await operator.post(f"{path}/run")).json()

    assert (await operator.delete(path)).status_code == 204

    for answer in (await operator.get(path), await operator.get(f"{path}/firings"), await operator.delete(path)):
        assert answer.status_code == 404
    assert (await operator.post(f"{path}/run")).status_code == 404
    assert (await operator.patch(path, {})).status_code == 404
    assert (await operator.get(f"/api/runs/{run['run_id']}")).status_code == 200


async def test_a_preview_tells_the_next_times_and_what_is_wrong(operator: Operator) -> None:
    query = {"cron": "30 9 * * MON-FRI", "time_zone": "Europe/Berlin", "count": 3}
    preview = (await operator.get("/api/schedules/preview", params=query)).json()
    wrong = await operator.get("/api/schedules/preview", params={"cron": "nonsense"})

    assert len(preview["times"]) == 3
    assert preview["now"] < preview["times"][0]
    assert (wrong.status_code, wrong.json()["error"]["path"]) == (400, "cron")


async def test_every_change_is_recorded_with_who_asked_for_it(operator: Operator, schedule: dict[str, Any]) -> None:
    path = f"/api/schedules/{schedule['schedule_id']}"
    await operator.patch(path, {"cron": "1 1 * * *"})
    await operator.patch(path, {"is_paused": True})
    await operator.patch(path, {"is_paused": False})
    await operator.delete(path)

    entries = (await operator.get("/api/audit", params={"subject": schedule["schedule_id"]})).json()["entries"]

    assert [entry["action"] for entry in entries[::-1]] == [
        "schedule.create",
        "schedule.update",
        "schedule.pause",
        "schedule.resume",
        "schedule.delete",
    ]
    assert {entry["actor"] for entry in entries} == {"operator"}


async def test_a_pinned_version_stays_and_another_follows_the_newest(operator: Operator, node: Node) -> None:
    await node.register("R1")
    await operator.given_workflow()
    pinned = {**NIGHTLY, "name": "pinned", "run": {"workflow": "smoke", "version": 1}}
    ids = [(await operator.post("/api/schedules", body)).json()["schedule_id"] for body in (pinned, NIGHTLY)]
    await operator.post("/api/workflows", {**SMOKE, "timeout_s": 99})

    runs = [(await operator.post(f"/api/schedules/{each}/run")).json() for each in ids]
    versions = [(await operator.monitor(run))["run"]["workflow"]["version"] for run in runs]

    assert versions == [1, 2]
