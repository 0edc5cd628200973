"""A suite that phones share: a server, a node, the real adb, and simulated phones that answer `am instrument`."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import msgspec
import pytest

from corral.node.suites.junit import read_junit
from corral.simulator.scenario.model import Disconnect, Phones, Scenario, ScriptedTests, Setup, Suite
from tests.junit_schema import check_junit
from tests.node.conftest import MakeDesk, MakeRig
from tests.node.rig import Rig

PACKAGE = "dev.x.test"
NAMED = "am instrument -w -r -e class "


def scenario(*tests: ScriptedTests) -> Scenario:
    return Scenario(suites=(Suite(package=PACKAGE, tests=tests),))


def going(outcome: str, *names: str, duration_s: float = 0.05) -> ScriptedTests:
    return ScriptedTests(class_="dev.x.OddTest", names=names, outcome=outcome, duration_s=duration_s)  # type: ignore[arg-type]


TWO_HUNDRED = scenario(
    ScriptedTests(class_="dev.x.LoginTest", count=95, duration_s=0.12),
    ScriptedTests(class_="dev.x.ListTest", count=100, duration_s=0.12),
    going("fail", "alwaysFails"),
    going("error", "alwaysErrs"),
    going("flaky", "failsOnce"),
    going("skip", "isIgnored"),
    going("crash", "crashes"),
)


def suite_step(**with_: Any) -> dict[str, Any]:  # noqa: ANN401 - of the recipe
    return {"id": "suite", "uses": "test.instrument", "with": {"package": PACKAGE, "shard": "tests", **with_}}


async def list_cases(rig: Rig, run: str) -> dict[str, Any]:
    answer = await rig.http.get(f"/api/runs/{run}/tests", params={"limit": 500})
    answer.raise_for_status()
    page: dict[str, Any] = answer.json()
    return page


async def until_running(rig: Rig, serial: str) -> None:
    """Return once that phone executes tests that it was given."""
    while not any(  # noqa: ASYNC110 - the simulator has no event for it
        entry.phone == serial and entry.line.startswith(NAMED) for entry in rig.fleet.record.running()
    ):
        await asyncio.sleep(0.01)


async def read_file(rig: Rig, run: str, folder: Path) -> tuple[str, Counter[tuple[str, str, str]]]:
    answer = await rig.http.get(f"/api/runs/{run}/junit")
    answer.raise_for_status()
    check_junit(answer.content)
    path = folder / "junit.xml"
    path.write_bytes(answer.content)
    return answer.text, Counter((each.class_name, each.name, each.status.value) for each in read_junit(path))


@pytest.mark.timeout(300)  # twenty phones, a server and a node beside whatever else this computer does
async def test_two_hundred_tests_finish_on_twenty_phones_though_one_of_them_dies(
    make_rig: MakeRig, tmp_path: Path
) -> None:
    async with make_rig(20, scenario=TWO_HUNDRED) as rig, rig.node() as node:
        dying = rig.fleet.phones[4].serial
        run = await rig.given_run([suite_step(test_retries=1)], policy={"grace_wait_s": 1})
        await until_running(rig, dying)
        rig.fleet.inject(Disconnect(phones=Phones(serials=(dying,))))

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "completed_with_errors", node.text
        page = await list_cases(rig, run)
        assert page["summary"] == {
            "total": 200,
            "passed": 196,
            "failed": 2,
            "errored": 1,
            "skipped": 1,
            "flaky": 1,
            "pending": 0,
            "running": 0,
        }
        verdicts = {case["name"]: case["verdict"] for case in page["cases"] if case["class_name"] == "dev.x.OddTest"}
        assert verdicts == {
            "alwaysFails": "failed",
            "alwaysErrs": "errored",
            "failsOnce": "passed",
            "isIgnored": "skipped",
            "crashes": "failed",
        }

        # What the phone that died was given and did not tell of was finished by others.
        taken = await rig.query(
            "select count(*) as lost, count(*) filter (where r.serial = d.serial) as told from corral.test_units u "
            "join corral.test_results t using (run_id, step, case_id) "
            "join corral.devices r on r.device_id = t.device_id "
            f"join corral.devices d on d.serial = '{dying}' where u.losses > 0"
        )
        assert taken[0]["lost"] > 0
        assert taken[0]["told"] == 0

        # A failed test is tried again as often as was said, and its job is not repeated: that is for trouble of the farm.
        tries = Counter(case["name"] for case in page["cases"] for result in case["results"] if result["try"])
        assert (tries["alwaysFails"], tries["alwaysErrs"], tries["crashes"], tries["failsOnce"]) == (2, 2, 2, 2)
        jobs = await rig.query("select failure_reason, attempt from corral.jobs")
        reasons = Counter(job["failure_reason"] for job in jobs)
        assert 1 <= reasons["tests_failed"] <= 3
        assert reasons.keys() == {None, "tests_failed", "device_offline"}
        assert {job["attempt"] for job in jobs} == {1}

        text, told = await read_file(rig, run, tmp_path)
        kept = await rig.query("select class_name, name, verdict from corral.test_units")
        assert told == Counter((unit["class_name"], unit["name"], unit["verdict"]) for unit in kept)
        assert len(told) == 200
        assert "flaky: it passed after it had failed" in text
        assert await node.stop() == 0


async def test_a_test_that_takes_phones_down_is_given_up_and_the_others_finish(
    make_rig: MakeRig, tmp_path: Path
) -> None:
    deadly = scenario(going("reboot", "deadly"), ScriptedTests(class_="dev.x.LoginTest", count=20, duration_s=0.02))
    deadly = msgspec.structs.replace(deadly, setup=Setup(boot_s=600))
    async with make_rig(4, scenario=deadly) as rig, rig.node() as node:
        run = await rig.given_run([suite_step(infra_retries=1)], policy={"grace_wait_s": 0})

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "completed_with_errors", node.text
        page = await list_cases(rig, run)
        assert (page["summary"]["passed"], page["summary"]["errored"]) == (20, 1)
        [errored] = [case for case in page["cases"] if case["verdict"] == "errored"]
        assert (errored["name"], errored["results"]) == ("deadly", [])
        assert "no phone survived" in errored["message"]
        reasons = Counter(job["failure_reason"] for job in await rig.query("select failure_reason from corral.jobs"))
        assert reasons == {None: 2, "device_offline": 2}
        _, told = await read_file(rig, run, tmp_path)
        assert told["dev.x.OddTest", "deadly", "errored"] == 1


async def test_flaky_tests_are_named_and_durations_weigh_the_next_run(make_rig: MakeRig) -> None:
    uneven = scenario(
        ScriptedTests(class_="dev.x.ShortTest", count=6, duration_s=0.01),
        going("pass", "long", duration_s=1.0),
        going("flaky", "failsOnce"),
    )
    async with make_rig(2, scenario=uneven) as rig, rig.node() as node:
        step = suite_step(test_retries=1, chunk="duration")
        first = await rig.given_run([step])
        assert (await rig.until_ended(first))["run"]["status"] == "succeeded", node.text

        [flaky] = [case for case in (await list_cases(rig, first))["cases"] if case["is_flaky"]]
        assert flaky["name"] == "failsOnce"
        assert [result["status"] for result in flaky["results"]] == ["failed", "passed"]

        second = await rig.given_run([step])
        assert (await rig.until_ended(second))["run"]["tests"]["flaky"] == 0

        expected = await rig.query(f"select name, expected_s from corral.test_units where run_id = '{second}'")
        assert max(expected, key=lambda unit: unit["expected_s"])["name"] == "long"


async def test_phones_that_execute_everything_may_differ(make_rig: MakeRig) -> None:
    differing = scenario(
        going("pass", "a"),
        ScriptedTests(class_="dev.x.OddTest", names=("b",), outcome="fail", phones=Phones(indexes="2")),
    )
    async with make_rig(2, scenario=differing) as rig, rig.node() as node:
        run = await rig.given_run([suite_step(shard="none")])

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "completed_with_errors", node.text
        cases = {case["name"]: case for case in (await list_cases(rig, run))["cases"]}
        assert (cases["a"]["verdict"], cases["a"]["differs"]) == ("passed", False)
        assert (cases["b"]["verdict"], cases["b"]["differs"]) == ("failed", True)
        assert len(cases["a"]["results"]) == len(cases["b"]["results"]) == 2


async def test_a_step_for_maestro_says_that_no_node_has_it(make_desk: MakeDesk) -> None:
    flows = {"id": "flows", "uses": "test.maestro", "with": {"flows": "{{ params.flows }}"}, "requires": ["phone"]}
    async with make_desk() as desk, desk.worker("plain"):
        params = {"flows": {"type": "string", "default": "smoke.yaml"}}
        run = await desk.given_distributed(flows, recipe={"params": params})

        told = await desk.until(f"/api/runs/{run}/explain", lambda told: bool(told["jobs"]))

        assert told["jobs"][0]["reason"] == "no_capable_node"
        assert told["jobs"][0]["message"].startswith("no live node is capable of phone, test.maestro;")
        (await desk.http.post(f"/api/runs/{run}/cancel", json={})).raise_for_status()
