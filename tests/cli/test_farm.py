"""Devices, nodes, scans, people: every command of theirs, as a process against a real server."""

import asyncio
from pathlib import Path
from uuid import uuid4

from corral.client import Client
from tests.api.client import Node
from tests.cli.conftest import Cli, finish
from tests.cli.pictures import store_picture


async def test_devices_are_listed_quarantined_released_labelled_tagged_and_numbered(cli: Cli, node: Node) -> None:
    table = (await cli("devices")).splitlines()
    assert table[0].split()[:3] == ["device", "serial", "label"]
    assert [line.split()[1] for line in table[1:]] == ["R58M1", "R58M2", "R58M3"]

    assert "! quarantined: swollen battery" in await cli("device", "quarantine", "2", "--reason", "swollen battery")
    quarantined = (await cli.json("devices", "--health", "quarantined"))["devices"]
    assert [device["serial"] for device in quarantined] == ["R58M2"]
    heatmap = await cli("devices", "--heatmap")
    assert heatmap == "rack-1  ✓ online  □ idle 2  ! quarantined 1  \n1 □!□\n"
    assert (await cli.json("devices", "--heatmap"))[0]["counts"]["quarantined"] == 1
    assert "✓ ok" in await cli("device", "release", "R58M2")

    device_id = quarantined[0]["device_id"]
    assert (await cli.json("device", "label", device_id, "left shelf"))["label"] == "left shelf"
    await cli("device", "tag", "R58M2", "pixel", "old")
    assert (await cli.json("device", "tag", "2", "+new", "~old"))["tags"] == ["pixel", "new"]
    assert [device["index_no"] for device in (await cli.json("devices", "--tag", "new"))["devices"]] == [2]
    assert (await cli.json("device", "number", "R58M2", "3"))["index_no"] == 3
    assert "left shelf" in await cli("device", "show", "3")
    told = await cli.run("device", "release", "R58M9")
    assert (told.status, told.err) == (2, "corral: no device has the number, serial or id R58M9\n")


async def test_a_scan_is_waited_for(cli: Cli, node: Node) -> None:
    (asked,) = (await cli.json("scan", "192.168.0.5:5555", "--node", "rack-1"))["scans"]
    assert (asked["status"], asked["addresses"]) == ("queued", ["192.168.0.5:5555"])
    waiting = await cli.start("scan", "--wait")
    told = asyncio.create_task(waiting.communicate())
    while not told.done():
        for scan in (await node.beat()).json()["scans"]:
            event = {"event_id": str(uuid4()), "type": "scan_finished", "outcome": "succeeded", "found": 3}
            await node.call_back({**event, "scan_id": scan["scan_id"]})
        await asyncio.wait({told}, timeout=0.1)

    assert waiting.returncode == 0, told.result()
    assert told.result()[0].decode().splitlines()[1].split()[:2] == ["rack-1", "✓"]
    assert (await cli.run("scan", "--wait", "--timeout", "0.1")).status == 4


async def test_nodes_are_listed_drained_enrolled_and_their_tokens_revoked(cli: Cli, node: Node) -> None:
    assert (await cli("nodes")).splitlines()[1].split()[:6] == ["rack-1", "rack-1", "✓", "online", "3", "3"]
    assert "↓ draining rack-1" in await cli("node", "drain", "rack-1")
    assert (await cli.json("nodes"))["nodes"][0]["draining"]
    assert (await cli.json("node", "undrain", "rack-1"))["draining"] is False

    token = (await cli("node", "enroll", "rack-2")).strip()
    assert token.startswith("crln_")
    (listed,) = (await cli.json("node", "tokens", "rack-2"))["tokens"]
    assert token not in str(listed)
    await cli("node", "revoke", "rack-2", listed["token_id"])
    assert "revoked" in await cli("node", "tokens", "rack-2")
    assert (await cli.run("node", "drain", "nobody")).status == 2


async def test_operators_have_tokens_roles_and_an_audit(cli: Cli, node: Node) -> None:
    token = (await cli("operators", "add", "ada", "--role", "viewer")).strip()
    viewer = {"CORRAL_TOKEN": token}

    assert "R58M1" in await cli("devices", env=viewer)
    told = await cli.run("device", "release", "1", env=viewer)
    assert told.status == 3
    assert told.err.startswith("corral: ")
    assert "viewer" in await cli("operators", "list")
    rotated = (await cli("operators", "rotate", "ada")).strip()
    assert (await cli.run("devices", env=viewer)).status == 3
    assert (await cli.run("devices", env={"CORRAL_TOKEN": rotated})).status == 0
    await cli("operators", "remove", "ada")
    told = await cli.run("devices", env={"CORRAL_TOKEN": rotated})
    assert (told.status, "set CORRAL_TOKEN" in told.err) == (3, True)

    entries = (await cli.json("audit", "--actor", "operator", "--limit", "2"))["entries"]
    assert [entry["subject"] for entry in entries] == ["ada", "ada"]
    assert "ada" in await cli("audit", "--subject", "ada")


async def test_workflows_are_validated_pushed_listed_and_shown(cli: Cli, recipe: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: bad\nsteps:\n  - {id: open, uses: app.strat}\n", encoding="utf-8")
    told = await cli.run("workflow", "validate", recipe, "bad.yaml", env={"CORRAL_URL": "http://127.0.0.1:1"})
    assert told.status == 2
    assert "▸    3 │   - {id: open, uses: app.strat}" in told.out
    assert f"✓ {recipe}" in told.out
    problems = (await cli.run("workflow", "validate", "bad.yaml", "--json")).json["files"][0]["problems"]
    assert [problem["path"] for problem in problems] == ["steps[0].uses"]

    assert "✓ smoke@1" in await cli("workflow", "push", recipe)
    assert (await cli.json("workflow", "push", recipe))["workflows"][0]["version"] == 1
    assert (await cli("workflow", "list")).splitlines()[1].split()[:4] == ["smoke", "1", "device", "2"]
    (tmp_path / "again.yaml").write_text(await cli("workflow", "show", "smoke@1"), encoding="utf-8")
    assert "✓ smoke@1" in await cli("workflow", "push", "again.yaml")
    assert (await cli.json("workflow", "show", "smoke"))["recipe"]["name"] == "smoke"


async def test_playbooks_are_listed_shown_and_run(cli: Cli, node: Node) -> None:
    with Client(cli.env["CORRAL_URL"], token=cli.env["CORRAL_TOKEN"]) as client:
        client.commands.create({"name": "look", "uses": "device.screenshot"})
        client.playbooks.save({"name": "tour", "steps": [{"command": "look", "probability": 0.5}]})

    assert "tour@1" in await cli("playbook", "list")
    assert "50%" in await cli("playbook", "show", "tour")
    assert (await cli.json("playbook", "show", "tour"))["workflow_version"] == 1
    assert (await cli.json("playbook", "run", "tour", "--on", "1", "--seed", "dice"))["seed"] == "dice"
    assert (await cli.run("playbook", "show", "none")).status == 2


async def test_files_are_pushed_once_and_listed(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "app.apk").write_bytes(b"an app, of sorts")

    assert "✓ app.apk 16 B" in await cli("files", "push", "app.apk")
    (again,) = (await cli.json("files", "push", "app.apk", "--name", "other.apk"))["files"]
    assert again["name"] == "other.apk"
    assert (await cli("files", "list")).count("apk") == 2
    assert len((await cli.json("files", "list", "--name", "app.apk"))["files"]) == 1
    assert (await cli.run("files", "push", "none.apk")).status == 2


async def test_artifacts_are_listed_and_fetched(cli: Cli, node: Node, recipe: Path) -> None:
    await cli("run", recipe, "--on", "all")
    jobs = (await node.pull())["jobs"]
    pictures = {job["serial"]: await store_picture(node, job) for job in jobs}
    await finish(node)

    assert len((await cli.json("artifacts", "list"))["artifacts"]) == 3
    assert "screenshot" in await cli("artifacts", "list", "last", "--device", "2", "--kind", "screenshot")
    paths = (await cli("artifacts", "get", "last", "-o", "out")).split()
    assert {Path(cli.directory, path).read_bytes() for path in paths} == set(pictures.values())
    assert await cli("artifacts", "get", "last", "-o", "out", "--device", "R58M2") == f"{sorted(paths)[1]}\n"
    assert (await cli.run("artifacts", "get", "last", "--kind", "log")).status == 2
