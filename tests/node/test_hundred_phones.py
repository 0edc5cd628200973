"""A hundred phones, every action of the catalog, and every part a process of its own: what a farm is there for."""

import asyncio
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from corral.simulator.apk import make_apk
from corral.simulator.control import Control
from corral.simulator.screen.read import read_screen
from corral.workflow.catalog import CATALOG
from tests.api.process import running
from tests.node.rig import Desk
from tests.node.told import check_told
from tests.simulator.process import Simulator, simulating

PHONES = 100
VIDEO = "dQw4w9WgXcQ"
APP = "com.example.tried"
DEMO = "dev.corral.demo"
PASSWORD = "it's $ecret 42"
ELSEWHERE = {"vendor.call"}  # see test_end_to_end.py
ELSEWHERE |= {"test.instrument", "test.command", "test.maestro"}  # see test_shared_tests.py
ELSEWHERE |= {"device.hold"}  # it ends by a word; see test_sessions.py


def step(uses: str, /, **with_: Any) -> dict[str, Any]:  # noqa: ANN401 - as recipes have it
    return {"uses": uses, "with": with_}


def shows(text: str) -> dict[str, Any]:
    return step("ui.wait_text", text=text, poll_s=0.2)


def every_action(server_url: str) -> list[dict[str, Any]]:
    fields = [{"field": "username", "value": "kim"}, {"field": "password", "value": "{{ params.password }}"}]
    steps = [
        step("device.bootstrap"),
        step("device.health"),
        step("device.shell", command="echo {{ params.password | length }} > /sdcard/said.txt"),
        step("assert.shell", command="cat /sdcard/said.txt", equals=str(len(PASSWORD))),
        step("app.install", file="app.apk"),
        step("app.start", package=APP),
        shows(APP),
        step("app.stop", package=APP),
        step("app.clear", package=APP),
        step("app.uninstall", package=APP),
        step("app.login", package=DEMO, fields=fields, submit="Sign in", expect_text="Welcome, kim"),
        step("ui.tap_text", text="List", match="exact"),
        step("input.swipe", from_x=50, from_y=80, to_x=50, to_y=20, unit="percent", duration_ms=50),
        step("input.tap", x=50, y=60, unit="percent"),
        shows("Chosen: Item"),
        step("input.key", key="HOME"),
        step("url.open", url="https://example.com/"),
        step("ui.tap_text", text="https://example.com/", match="exact"),
        step("input.text", text="for {{ device.serial }}", submit=True),
        step("device.screenshot", name="typed", upload=False),
        step("artifact.upload", path="{{ steps.typed.output.path }}", kind="screenshot"),
        step("file.push", file="film.bin", path="/sdcard/film.bin"),
        step("file.pull", path="/sdcard/film.bin", upload=False),
        step("http.request", url=f"{server_url}/health"),
        step("shell.run", command=["echo", "{{ params.password | upper }}"]),
        step("device.reboot"),
        step("device.screenshot"),
        step("flow.sleep", duration_s=0),
        step("report", message="signed in with {{ params.password }}", data={"with": "{{ params.password }}"}),
    ]
    names = {19: "typed"}
    return [{"id": names.get(place, f"step_{place}"), **each} for place, each in enumerate(steps)]


@pytest.mark.timeout(300)  # under a minute where there is nothing else to do
async def test_every_action_on_a_hundred_phones(farm_dsn: str, adb_port: int, tmp_path: Path) -> None:
    (tmp_path / "quick.yaml").write_text("name: quick\ndescription: Phones that start fast.\nsetup: {boot_s: 0.5}\n")
    async with (
        simulating(tmp_path, "--devices", str(PHONES), "--scenario", str(tmp_path / "quick.yaml")) as simulator,
        running("--database-url", farm_dsn) as server,
    ):
        desk = Desk(server, simulator.addresses, dsn=farm_dsn, adb_port=adb_port, state=tmp_path / "state", env={})
        async with desk.http, desk.node("--allow-shell") as node:
            steps = every_action(server.url)
            run = await given_run(desk, steps)
            view = await desk.until_ended(run)
            outcomes = Counter(item["last_error_message"] for item in view["heatmap"]["items"])
            assert view["run"]["status"] == "succeeded", (outcomes, node.text)
            assert view["run"]["counts"]["done"] == PHONES
            serials = await serials_of(simulator)
            assert {item["serial"] for item in view["heatmap"]["items"]} == serials
            await check_steps(desk, run, steps)
            await check_pictures(desk, run, serials)
            await check_secrecy(desk, run)
            assert await node.stop() == 0, node.text
        await check_told(desk, jobs=PHONES)
        assert PASSWORD not in node.text
        assert PASSWORD.upper() not in node.text
        server.process.terminate()
        assert PASSWORD not in await server.read_rest()
        status, said = await simulator.stop()
        assert status == 0, said
    assert {each["uses"] for each in steps} | ELSEWHERE == {spec.name for spec in CATALOG}


async def given_run(desk: Desk, steps: list[dict[str, Any]]) -> str:
    for name, content in (("app.apk", make_apk(APP)), ("film.bin", b"film" * 10_000)):
        headers = {"content-type": "application/octet-stream"}
        (await desk.http.put(f"/api/files/{name}", content=content, headers=headers)).raise_for_status()
    recipe = {"params": {"password": {"type": "string", "secret": True}}}
    return await desk.given_run(steps, recipe=recipe, params={"password": PASSWORD}, youtube_video_id=VIDEO)


async def serials_of(simulator: Simulator) -> set[str]:
    async with await Control.connect(simulator.control_port) as control:
        assert await control.violations() == []
        return {phone.serial for phone in await control.phones()}


async def check_steps(desk: Desk, run: str, steps: list[dict[str, Any]]) -> None:
    """Every step of every phone is on record, by what it was and how it ended."""
    rows = await desk.query(
        "select serial, array_agg(array[step, action, status] order by position) as steps, min(started_at) as started_at,"
        f" bool_and(finished_at is not null) as are_over from corral.run_steps where run_id = '{run}' group by serial"
    )
    assert len(rows) == PHONES
    for row in rows:
        assert row["steps"] == [[each["id"], each["uses"], "succeeded"] for each in steps], row["serial"]
        assert row["are_over"]


async def check_pictures(desk: Desk, run: str, serials: set[str]) -> None:
    """Each phone's two pictures are stored under its key, and show that phone."""
    path = f"/api/artifacts?run_id={run}&kind=screenshot&limit=500"
    page = await desk.until(path, lambda page: len(page["artifacts"]) == 2 * PHONES)
    shown: Counter[str] = Counter()
    for artifact in page["artifacts"]:
        key = re.fullmatch(rf"{VIDEO}/desk/([^/]+)/{run}/\d{{8}}T\d{{9}}Z-[0-9a-f]{{8}}\.png", artifact["key"])
        assert key is not None, artifact["key"]
        content = (await desk.http.get(f"/api/artifacts/{artifact['artifact_id']}/content")).content
        lines = await asyncio.to_thread(read_screen, content)
        assert key[1] in lines[0]
        shown[key[1]] += 1
    assert shown == dict.fromkeys(serials, 2)


async def check_secrecy(desk: Desk, run: str) -> None:
    """The password is where the node gets it from, and nowhere else: no view, no log line, no event, no artifact."""
    listing = "select relname from pg_class where relnamespace = 'corral'::regnamespace and relkind in ('r', 'p')"
    tables = [row["relname"] for row in await desk.query(listing)]
    holds = "select from corral.{} t where strpos(lower(to_jsonb(t)::text), '$ecret') > 0 limit 1"
    found = [table for table in tables if await desk.query(holds.format(table))]
    assert found == ["run_secrets"]
    for path in (f"/api/runs/{run}?device=1", f"/api/runs/{run}/logs?limit=1000", f"/api/artifacts?run_id={run}"):
        answer = await desk.http.get(path)
        answer.raise_for_status()
        assert "$ecret" not in answer.text.lower()
