"""`corral run --junit` and `corral run tests`, as processes against a real server."""

from pathlib import Path
from typing import Any

from tests.api.client import Node
from tests.api.suites import finish, result, tell
from tests.cli.conftest import Cli
from tests.junit_schema import check_junit


async def execute_tests(node: Node, *, failing: str | None = None) -> list[dict[str, Any]]:
    """Every phone tells of three tests; one of them fails on one phone, and another is flaky there."""
    jobs: list[dict[str, Any]] = (await node.pull(wait_s=30))["jobs"]
    for job in jobs:
        await node.call_back(node.event(job, "job_started"))
        is_bad = job["serial"] == failing
        await tell(
            node,
            job,
            result("test_opens"),
            result("test_pays", "failed" if is_bad else "passed", message="expected 3,\nwas 4", trace="at Pay.java:7"),
            result("test_waits", "failed" if is_bad else "passed"),
            *([{**result("test_waits"), "try": 2}] if is_bad else []),
        )
        bad = {"outcome": "failed", "failure_reason": "tests_failed", "error_message": "1 of 3 tests failed"}
        await finish(node, job, **(bad if is_bad else {}))
    return jobs


async def test_a_run_that_is_waited_for_leaves_a_junit_file_and_its_exit_status(
    cli: Cli, node: Node, recipe: Path, tmp_path: Path
) -> None:
    running = await cli.start("run", recipe, "--on", "all", "--junit", "good.xml")
    await execute_tests(node)
    out, err = await running.communicate()

    assert running.returncode == 0, err.decode()
    assert "✓ succeeded" in out.decode()
    root = check_junit((tmp_path / "good.xml").read_bytes())
    assert [(suite.get("tests"), suite.get("failures")) for suite in root] == [("3", "0")] * 3


async def test_failed_tests_are_written_told_and_end_with_1(cli: Cli, node: Node, recipe: Path, tmp_path: Path) -> None:
    running = await cli.start("run", recipe, "--on", "all", "--junit", "bad.xml", "--json")
    await execute_tests(node, failing="R58M2")
    await running.communicate()

    assert running.returncode == 1
    root = check_junit((tmp_path / "bad.xml").read_bytes())
    assert [case.get("name") for case in root.iter("testcase") if case.find("failure") is not None] == ["test_pays"]

    lines = (await cli("run", "tests")).splitlines()
    assert lines[0].split() == ["verdict", "test", "step", "took", "devices", "message"]
    assert lines[-1] == "3 tests: ✓ 2 passed, ✗ 1 failed, ~ 1 flaky"
    (failed,) = [line for line in (await cli("run", "tests", "last", "--failed")).splitlines() if "Test#" in line]
    assert "com.example.SomeTest#test_pays" in failed
    assert "✓ 1,3" in failed
    assert "✗ 2" in failed
    assert failed.rstrip().endswith("expected 3, was 4")
    told = await cli.json("run", "tests", "--differs")
    assert [case["name"] for case in told["cases"]] == ["test_pays"]
    assert (told["summary"]["total"], len(told["devices"]), told["next"]) == (3, 3, None)
    assert [case["name"] for case in (await cli.json("run", "tests", "--flaky"))["cases"]] == ["test_waits"]
    assert [case["name"] for case in (await cli.json("run", "tests", "--query", "OPENS"))["cases"]] == ["test_opens"]


async def test_a_wait_that_is_too_short_writes_what_is_there(
    cli: Cli, node: Node, recipe: Path, tmp_path: Path
) -> None:
    told = await cli.run("run", recipe, "--on", "all", "--junit", "none.xml", "--timeout", "0.1")

    assert told.status == 4
    assert len(check_junit((tmp_path / "none.xml").read_bytes())) == 0
    assert "no tests" in await cli("run", "tests")


async def test_a_file_that_cannot_be_written_is_refused_before_anything_runs(
    cli: Cli, node: Node, recipe: Path
) -> None:
    for place, words in {"none/out.xml": "there is no directory none", ".": ". is a directory"}.items():
        told = await cli.run("run", recipe, "--junit", place)
        assert (told.status, words in told.err) == (2, True), told
    assert "no runs" in await cli("runs")
