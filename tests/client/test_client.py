"""The client against a real server: every noun, its errors, its waits."""

import asyncio
from pathlib import Path
from uuid import uuid4

import pytest

from corral.client import Client
from corral.model.credentials import Role
from corral.model.errors import (
    ConflictError,
    ForbiddenError,
    InvalidRequestError,
    NotFoundError,
    RecipeInvalidError,
    ServerUnavailableError,
    UnauthenticatedError,
    WaitTimeoutError,
)
from corral.model.states import Health, RunStatus
from tests.api.client import SMOKE, Node
from tests.api.process import ServerProcess
from tests.api.suites import result, tell
from tests.cli.conftest import finish
from tests.junit_schema import check_junit


async def test_a_run_is_waited_for_while_it_happens(client: Client, node: Node) -> None:
    client.workflows.push(SMOKE)
    run = client.runs.create("smoke", target=["node:rack-1", "1-2"], params={"package": "com.example"})

    waiting = asyncio.create_task(asyncio.to_thread(client.runs.wait, run.run_id, timeout_s=60))
    await finish(node, R58M2="failed")
    view = await waiting

    assert view.run.status is RunStatus.COMPLETED_WITH_ERRORS
    assert [(tile.serial, tile.activity) for tile in view.heatmap.items] == [("R58M1", "done"), ("R58M2", "error")]
    assert client.runs.get(run.run_id, device=2).selected.index == 2
    assert [line.message for line in client.runs.logs(run.run_id, device="R58M1")] == ["hello from R58M1"]


async def test_a_runs_tests_are_read_page_by_page_with_their_traces_and_as_junit(client: Client, node: Node) -> None:
    client.workflows.push(SMOKE)
    run = client.runs.create("smoke", target="1-2")
    jobs = (await node.pull())["jobs"]
    for job in jobs:
        for chunk in range(6):  # more than one page of the API's
            await tell(node, job, *(result(f"t{chunk}{number:02d}") for number in range(100)))
    await tell(node, jobs[1], result("bad", "failed", message="no", trace="at Bad.java:1"))

    assert len({case.name for case in client.runs.tests(run.run_id)}) == 601
    (bad,) = client.runs.tests(run.run_id, verdicts=["failed", "errored"])
    assert (bad.name, [each.index for each in bad.results]) == ("bad", [2])
    assert client.runs.get_test(run.run_id, bad.class_name, bad.name).results[0].trace == "at Bad.java:1"
    counts = client.runs.count_tests(run.run_id).summary
    assert counts is not None
    assert (counts.total, counts.passed, counts.failed) == (601, 600, 1)
    assert client.runs.get(run.run_id).run.tests == counts
    assert len(list(check_junit(client.runs.junit(run.run_id)).iter("testcase"))) == 1201
    with pytest.raises(NotFoundError):
        client.runs.get_test(run.run_id, "Nothing", "at all")


async def test_a_watch_tells_every_change_up_to_the_end(client: Client, node: Node) -> None:
    client.workflows.push(SMOKE)
    run = client.runs.create("smoke")
    views = client.runs.watch(run.run_id, timeout_s=60, every_s=0.05)

    first = await asyncio.to_thread(next, views)
    await finish(node)
    rest = await asyncio.to_thread(list, views)

    assert (first.run.counts.waiting, rest[-1].run.counts.done) == (3, 3)
    assert len({view.version for view in [first, *rest]}) > 1


async def test_a_wait_ends_in_time_though_the_run_does_not(client: Client, node: Node) -> None:
    client.workflows.push(SMOKE)
    run = client.runs.create("smoke")

    with pytest.raises(WaitTimeoutError, match="it goes on"):
        client.runs.wait(run.run_id, timeout_s=0.1)
    assert client.runs.cancel(run.run_id).status is RunStatus.CANCELLED


def test_what_the_server_refuses_is_an_error_of_its_kind(client: Client, node: Node) -> None:
    with pytest.raises(RecipeInvalidError) as invalid:
        client.workflows.push("name: bad\nsteps: [{id: a, uses: app.strat}, {id: a, uses: device.screenshot}]")
    assert [problem.path for problem in invalid.value.problems] == ["steps[0].uses", "steps[1].id"]
    with pytest.raises(NotFoundError, match="no workflow nothing"):
        client.workflows.get("nothing")
    client.workflows.push(SMOKE)
    run = client.runs.create("smoke")
    with pytest.raises(ConflictError):
        client.runs.retry(run.run_id)
    with pytest.raises(InvalidRequestError) as caught:
        client.runs.create("smoke", policy={"speed": 9})
    assert caught.value.path == "policy.speed"
    with pytest.raises(RecipeInvalidError) as params:
        client.runs.create("smoke", params={"colour": "red"})
    assert (params.value.code, params.value.path) == ("params_invalid", "params.colour")
    with pytest.raises(NotFoundError):
        client.runs.get(uuid4())


def test_who_is_not_let_in_is_told_so(server: ServerProcess, client: Client) -> None:
    with Client(server.url) as stranger, pytest.raises(UnauthenticatedError):
        stranger.devices.find(1)
    viewer = client.operators.create("ada", role=Role.VIEWER)
    with Client(server.url, token=viewer.token) as ada:
        assert (ada.whoami().actor, ada.health().status) == ("ada", "ok")
        with pytest.raises(ForbiddenError):
            ada.runs.cancel(uuid4())
    client.operators.revoke("ada")
    assert [operator.revoked_at is None for operator in client.operators.list()] == [False]


def test_devices_are_found_by_number_serial_and_id(client: Client, node: Node) -> None:
    device = client.devices.find(2)

    assert client.devices.find(device.serial) == client.devices.find(str(device.device_id)) == device
    assert client.devices.quarantine(device.device_id, reason="swollen").health is Health.QUARANTINED
    assert [each.serial for each in client.devices.list(health=Health.QUARANTINED)] == ["R58M2"]
    assert client.devices.release(device.device_id).health is Health.OK
    changes = client.devices.get_health(device.device_id, window="1h").changes
    assert [(each.health, each.reason) for each in changes] == [(Health.OK, None), (Health.QUARANTINED, "swollen")]
    client.workflows.push(SMOKE)
    runs = [client.runs.create("smoke", target=["2"]).run_id for _ in range(3)]
    assert [job.run_id for job in client.devices.list_jobs(device.device_id, most=2)] == [runs[2], runs[1]]
    with pytest.raises(NotFoundError):
        client.devices.find("R58M9")


def test_lists_go_on_over_pages_and_end_where_asked(client: Client, node: Node) -> None:
    client.workflows.push(SMOKE)
    made = [client.runs.create("smoke", target="1").run_id for _ in range(4)]

    assert [run.run_id for run in client.runs.list(most=3)] == made[:0:-1]
    assert [run.run_id for run in client.runs.list()] == made[::-1]
    assert list(client.runs.list(most=0)) == []
    assert [device.index_no for device in client.devices.list(after=1, most=1)] == [2]


def test_commands_playbooks_nodes_and_the_audit(client: Client, node: Node) -> None:
    command = client.commands.create({"name": "look", "uses": "device.screenshot", "tags": ["eyes"]})
    assert client.commands.update(command.command_id, {"name": "look", "uses": "device.reboot"}).uses == "device.reboot"
    assert [each.path for each in client.playbooks.validate({"name": "tour", "steps": []}).problems] == ["steps"]
    playbook = client.playbooks.save({"name": "tour", "steps": [{"command": "look"}]})
    assert [each.action for each in client.runs.steps(client.runs.create("tour").run_id)] == ["device.reboot"]
    assert client.playbooks.find("tour") == client.playbooks.get(playbook.playbook_id)
    with pytest.raises(ConflictError):
        client.commands.delete(command.command_id)
    client.playbooks.delete(playbook.playbook_id)
    client.commands.delete(command.command_id)
    assert [*client.commands.list(), *client.playbooks.list()] == []

    assert client.nodes.drain("rack-1").draining
    assert not client.nodes.undrain("rack-1").draining
    assert client.nodes.status().nodes[0].node_id == "rack-1"
    enrolled = client.nodes.enroll("rack-2")
    client.nodes.revoke_token("rack-2", enrolled.details.token_id)
    assert client.nodes.list_tokens("rack-2")[0].revoked_at is not None
    assert client.dashboard.get("1h").kpis.devices_online == 3
    assert "node" in next(client.audit.list(most=1)).action


def test_a_file_is_uploaded_in_pieces_and_only_once(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "app.apk"
    path.write_bytes(b"0123456789" * 1000)
    told: list[tuple[int, int]] = []

    file = client.files.upload(path, progress=lambda sent, size: told.append((sent, size)), chunk_bytes=4096)

    assert [sent for sent, _ in told] == [0, 4096, 8192, 10000]
    assert (
        client.files.upload(path, name="again.apk", progress=lambda sent, size: told.append((sent, size))).sha256
        == file.sha256
    )
    assert told[-1] == (10000, 10000)
    assert len(told) == 5
    assert {each.name for each in client.files.list()} == {"app.apk", "again.apk"}
    client.files.delete(file.sha256)
    with pytest.raises(NotFoundError):
        client.files.get("app.apk")


def test_an_upload_goes_on_where_the_server_says_that_it_stands(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "app.apk"
    path.write_bytes(bytes(range(256)) * 100)
    append = client.files._append
    offsets: list[int] = []

    def break_once(where: str, chunk: bytes, *, offset: int) -> int:
        """The second piece arrives, but the answer does not."""
        offsets.append(offset)
        reached = append(where, chunk, offset=offset)
        if len(offsets) == 2:
            raise ServerUnavailableError("the connection broke")
        return reached

    monkeypatch.setattr(client.files, "_append", break_once)

    assert client.files.upload(path, chunk_bytes=10_000).size_bytes == 25_600
    assert offsets == [0, 10_000, 20_000]
