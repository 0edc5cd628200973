"""What runs leave behind, what they are given, and what is said of phones, with everything real but the phones."""

import asyncio
import hashlib
import logging
from pathlib import Path
from typing import Any

import pytest

from corral.simulator.scenario.model import Battery, Phones
from corral.simulator.screen.read import read_screen
from tests.node.conftest import MakeRig

LOOK = {"id": "look", "uses": "device.screenshot"}


async def test_every_screenshot_is_stored_under_its_key(make_rig: MakeRig) -> None:
    async with make_rig(5) as rig, rig.node() as node:
        run = await rig.given_run([LOOK])
        await rig.until_ended(run)

        def are_all_there(page: dict[str, Any]) -> bool:
            return len(page["artifacts"]) == 5

        page = await rig.until(f"/api/artifacts?run_id={run}", are_all_there)

        for artifact in page["artifacts"]:
            content = (await rig.http.get(f"/api/artifacts/{artifact['artifact_id']}/content")).content
            assert content.startswith(b"\x89PNG"), node.text
            assert hashlib.sha256(content).hexdigest() == artifact["sha256"]
        serials = {artifact["key"].split("/")[2] for artifact in page["artifacts"]}
        assert serials == {phone.serial for phone in rig.fleet.phones}


async def test_a_bucket_gets_screenshots_from_the_node_itself(
    make_rig: MakeRig, bucket: str, s3_endpoint: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="werkzeug")
    env = {"CORRAL_STORAGE_URL": f"s3://{bucket}/farm?endpoint={s3_endpoint}&region=us-east-1"}
    async with make_rig(3, env=env) as rig, rig.node() as node:
        run = await rig.given_run([LOOK])
        await rig.until_ended(run)

        page = await rig.until(f"/api/artifacts?run_id={run}", lambda page: len(page["artifacts"]) == 3)

        for artifact in page["artifacts"]:
            content = (await rig.http.get(f"/api/artifacts/{artifact['artifact_id']}/content")).content
            assert artifact["key"].split("/")[2] in read_screen(content)[0], node.text
        presigned = [line for line in caplog.messages if "PUT " in line and "X-Amz-Signature=" in line]
        assert len(presigned) == 3


async def test_a_file_is_on_the_server_when_its_upload_step_has_succeeded(make_rig: MakeRig) -> None:
    steps = [
        {"id": "make", "uses": "device.shell", "with": {"command": "echo hello > /sdcard/hello.txt"}},
        {"id": "get", "uses": "file.pull", "with": {"path": "/sdcard/hello.txt", "upload": False}},
        {"id": "keep", "uses": "artifact.upload", "with": {"path": "{{ steps.get.output.path }}"}},
    ]
    async with make_rig(1) as rig, rig.node() as node:
        run = await rig.given_run(steps)

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        page = await rig.until(f"/api/artifacts?run_id={run}", lambda page: bool(page["artifacts"]))
        artifact_id = page["artifacts"][0]["artifact_id"]
        assert (await rig.http.get(f"/api/artifacts/{artifact_id}/content")).content == b"hello\n"


async def test_an_input_file_reaches_every_phone_and_is_fetched_once(make_rig: MakeRig) -> None:
    async with make_rig(4) as rig, rig.node() as node:
        headers = {"content-type": "application/octet-stream"}
        (await rig.http.put("/api/files/notes.bin", content=b"n" * 100_000, headers=headers)).raise_for_status()
        push = {"id": "push", "uses": "file.push", "with": {"file": "notes.bin", "path": "/sdcard/notes.bin"}}
        size = {
            "id": "size",
            "uses": "assert.shell",
            "with": {"command": "wc -c < /sdcard/notes.bin", "contains": "100000"},
        }

        run = await rig.given_run([push, size])
        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", node.text
        cached = await asyncio.to_thread(lambda: list(Path(rig.state / "files").iterdir()))
        assert len(cached) == 1


async def test_a_phone_that_is_almost_empty_gets_no_work_until_it_is_charged(make_rig: MakeRig) -> None:
    async with make_rig(2) as rig:
        fault, _ = rig.fleet.inject(Battery(level=5, phones=Phones(indexes="1")))
        async with rig.node("--health-interval-s", "1"):
            devices = await rig.until(
                "/api/devices", lambda page: any(each["health"] == "quarantined" for each in page["devices"])
            )
            (empty,) = [each for each in devices["devices"] if each["health"] == "quarantined"]
            assert empty["serial"] == rig.fleet.phones[0].serial
            assert empty["health_reason"] == "battery at 5 %, below 15 %"

            run = await rig.given_run([LOOK], policy={"offline": "wait"})
            view = await rig.until_counted(run, done=1)
            assert view["run"]["counts"]["waiting"] == 1

            rig.fleet.clear(fault)
            view = await rig.until_ended(run)
            assert view["run"]["counts"]["done"] == 2


async def test_a_scan_finds_phones_that_nobody_named(make_rig: MakeRig) -> None:
    async with make_rig(3) as rig:
        addresses, rig.fleet_addresses = rig.fleet.addresses, []
        async with rig.node(online=0) as node:
            await node.read_until("registered")
            answer = await rig.http.post("/api/nodes/scan", json={"node_ids": ["desk"], "addresses": addresses})
            answer.raise_for_status()
            scan_id = answer.json()["scans"][0]["scan_id"]

            scan = await rig.until(f"/api/scans/{scan_id}", lambda scan: scan["status"] not in ("queued", "running"))

            assert scan["status"] == "succeeded", node.text
            await rig.until_online(3)
