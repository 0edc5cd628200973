"""Distributed runs, from the request to the last result: real servers, and `corral node` as workers without phones."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import Any

from tests.node.conftest import MakeDesk, MakeRig
from tests.node.worker_desk import shell


async def test_outputs_feed_later_steps_and_the_last_ones_are_the_jobs(make_desk: MakeDesk) -> None:
    async with make_desk() as desk, desk.worker():
        run = await desk.given_distributed(
            shell("build", "echo 'OUTPUT: {\"version\": \"1.2\"}'"),
            shell("left", "echo 'OUTPUT: {\"said\": \"{{ steps.build.output.version }}\"}'"),
            shell("right", "true", needs=["build"], when="steps.build.output.version == '2.0'"),
            {"id": "tell", "uses": "report", "needs": ["left", "right"],
             "with": {"message": "done", "data": {"said": "{{ steps.left.output.said }}", "right": "{{ steps.right.status }}"}}},
        )  # fmt: skip

        view = await desk.until_ended(run)

        assert view["run"]["status"] == "succeeded", view
        assert await desk.statuses(run) == {
            "build": "succeeded",
            "left": "succeeded",
            "right": "skipped",
            "tell": "succeeded",
        }
        assert await desk.output(run) == {"tell": {"said": "1.2", "right": "skipped"}}


async def test_a_failing_step_is_retried_and_then_skips_what_needs_it(make_desk: MakeDesk) -> None:
    async with make_desk() as desk, desk.worker():
        soon = {"initial_s": 0.1, "factor": 1, "jitter": 0.5}
        run = await desk.given_distributed(
            shell("flaky", "test {{ run.attempt }} -gt 2", retries=2, backoff=soon),
            shell("bad", "echo no >&2; exit 3", needs=[], retries=1, backoff=soon),
            shell("after_bad", "true"),
            shell("cleanup", "true", continue_on_failure=True),
        )

        view = await desk.until_ended(run)

        assert view["run"]["status"] == "failed"
        steps = {step["step"]: step for step in (await desk.graph(run))["steps"]}
        assert {name: (step["status"], step["attempt"]) for name, step in steps.items()} == {
            "flaky": ("succeeded", 3),
            "bad": ("failed", 2),
            "after_bad": ("skipped", 0),
            "cleanup": ("succeeded", 1),
        }
        assert steps["after_bad"]["skip_cause"] == "upstream"
        assert "ended with 3 instead of 0: no" in view["run"]["last_error_message"]


async def test_a_step_repeats_for_each_item_side_by_side_or_one_after_the_other(make_desk: MakeDesk) -> None:
    async with make_desk() as desk, desk.worker("one"), desk.worker("two"):
        run = await desk.given_distributed(
            shell("list", "echo 'OUTPUT: {\"names\": [\"a\", \"b\", \"c\"], \"none\": []}'"),
            shell("each", "echo 'OUTPUT: {\"got\": \"{{ item }}\"}'", for_each="{{ steps.list.output.names }}"),
            shell("row", "test {{ item }} != 2", needs=["list"], for_each=[1, 2, 3], sequential=True),
            shell("none", "true", needs=["list"], for_each="{{ steps.list.output.none }}"),
            {"id": "tell", "uses": "report", "needs": ["each", "none"],
             "with": {"message": "done", "data": {"first": "{{ steps.each.output['items'][0].output.got }}",
                               "count": "{{ steps.each.output.count + steps.none.output.count }}"}}},
        )  # fmt: skip
        view = await desk.until_ended(run)

        assert view["run"]["status"] == "failed"
        assert await desk.statuses(run) == {
            "list": "succeeded",
            "each": "succeeded",
            "each[0]": "succeeded",
            "each[1]": "succeeded",
            "each[2]": "succeeded",
            "row": "skipped",
            "row[0]": "succeeded",
            "row[1]": "failed",
            "row[2]": "skipped",
            "none": "succeeded",
            "tell": "succeeded",
        }
        detail = (await desk.http.get(f"/api/runs/{run}/graph/tell")).json()
        assert detail["output"] == {"first": "a", "count": 3}


async def test_cancelling_a_run_ends_the_command_and_whatever_it_started(make_desk: MakeDesk, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with make_desk() as desk, desk.worker():
        run = await desk.given_distributed(
            shell("wait", f"sleep 3000 & echo $! $$ > {pids}.new; mv {pids}.new {pids}; wait", timeout_s=3000),
            shell("after", "true"),
        )
        await desk.until_step(run, "wait", "running")
        while not pids.exists():  # noqa: ASYNC110 - another process's file
            await asyncio.sleep(0.02)

        (await desk.http.post(f"/api/runs/{run}/cancel", json={})).raise_for_status()
        view = await desk.until_ended(run)

        assert view["run"]["status"] == "cancelled"
        assert await desk.statuses(run) == {"wait": "cancelled", "after": "cancelled"}
        for pid in map(int, pids.read_text().split()):
            await until_dead(pid)


async def until_dead(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, FileNotFoundError):
        while not (Path("/proc") / str(pid) / "stat").read_text().rpartition(") ")[2].startswith("Z"):
            os.kill(pid, 0)
            await asyncio.sleep(0.02)


async def test_a_command_is_killed_when_its_time_is_up(make_desk: MakeDesk, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with make_desk() as desk, desk.worker():
        run = await desk.given_distributed(shell("slow", f"echo $$ > {pids}; echo started; sleep 3000", timeout_s=1))

        view = await desk.until_ended(run)

        (step,) = (await desk.graph(run))["steps"]
        assert (step["status"], step["failure_reason"]) == ("failed", "step_timeout")
        await until_dead(int(pids.read_text()))
        lines = (await desk.http.get(f"/api/runs/{run}/logs")).json()["lines"]
        assert "started" in [line["message"] for line in lines if line["step"] == "slow"]
        assert view["run"]["status"] == "failed"


async def test_commands_run_only_where_that_was_allowed(make_desk: MakeDesk) -> None:
    async with make_desk() as desk:
        shy = await desk.start_node("--drivers", "none", node_id="shy", state=desk.state.with_name("shy"))
        try:
            await shy.read_until("registered")
            run = await desk.given_distributed(
                {"id": "ask", "uses": "http.request", "with": {"url": f"{desk.server.url}/health"}},
                shell("run", "true"),
            )
            await desk.until_step(run, "ask", "succeeded")

            def is_explained(told: dict[str, Any]) -> bool:
                return [(job["step"], job["reason"]) for job in told["jobs"]] == [("run", "no_capable_node")]

            told = await desk.until(f"/api/runs/{run}/explain", is_explained)
            assert "no live node is capable of shell.run" in told["jobs"][0]["message"]
            async with desk.worker("bold"):
                assert (await desk.until_ended(run))["run"]["status"] == "succeeded"
        finally:
            await shy.kill()


async def test_a_step_goes_to_a_worker_with_the_capabilities_that_it_requires(make_desk: MakeDesk) -> None:
    async with make_desk() as desk, desk.worker("plain"), desk.worker("strong", "--capability", "gpu,linux"):
        run = await desk.given_distributed(
            *(shell(f"s{n}", "true", needs=[], requires=["gpu"] if n % 2 else []) for n in range(20))
        )

        await desk.until_ended(run)

        steps = (await desk.graph(run))["steps"]
        assert {step["node_id"] for step in steps if step["requires"] == ["gpu", "shell.run"]} == {"strong"}
        assert {step["status"] for step in steps} == {"succeeded"}


async def test_a_local_run_is_one_workers_from_beginning_to_end(make_desk: MakeDesk) -> None:
    async with make_desk() as desk, desk.worker("one"), desk.worker("two"):
        run = await desk.given_distributed(
            shell("write", "echo secret-{{ params.word }} > note; echo 'OUTPUT: {\"n\": 1}'"),
            shell("read", "cat note; echo 'OUTPUT: {\"n\": {{ steps.write.output.n + 1 }}}'"),
            shell("bad", "exit 1", needs=[], on_failure="continue"),
            shell("skipped", "true", needs=["write"], when="steps.write.output.n > 5"),
            mode="local",
            recipe={"params": {"word": {"type": "string", "secret": True}}},
            params={"word": "xyzzy-42"},
        )

        view = await desk.until_ended(run)

        assert view["run"]["status"] == "succeeded", view
        graph = await desk.graph(run)
        assert graph["mode"] == "local"
        assert {step["step"]: (step["status"], step["needs"]) for step in graph["steps"]} == {
            "write": ("succeeded", []),
            "read": ("succeeded", ["write"]),
            "bad": ("failed", []),
            "skipped": ("skipped", ["write"]),
        }
        output = graph["job"]["output"]
        assert output["read"]["n"] == 2
        lines = (await desk.http.get(f"/api/runs/{run}/logs")).json()["lines"]
        assert next(line["message"] for line in lines if line["step"] == "read") == "secret-•••"


async def test_a_killed_workers_local_job_begins_anew_elsewhere(make_desk: MakeDesk, tmp_path: Path) -> None:
    mark, left = tmp_path / "mark", tmp_path / "left"
    async with make_desk() as desk:
        await desk.query("update corral.settings set lease_time = '3 s'")
        first = await desk.start_node(
            "--drivers", "none", "--allow-shell", node_id="a", state=desk.state.with_name("a")
        )
        await first.read_until("registered")
        run = await desk.given_distributed(
            shell("one", f"echo one >> {mark}"),
            shell(
                "two",
                f"test {{{{ run.attempt }}}} -gt 1 || {{ echo $$ > {left}.new; mv {left}.new {left}; sleep 3000; }};"
                f" echo two >> {mark}",
                timeout_s=3000,
            ),
            mode="local",
        )
        await desk.until_step(run, "two", "running")
        while not left.exists():  # noqa: ASYNC110 - another process's file
            await asyncio.sleep(0.02)

        async with desk.worker("b"):
            await first.kill()
            # The command outlives its killed worker, unless that was slow and lost it before.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(left.read_text()), signal.SIGKILL)
            view = await desk.until_ended(run)

        assert view["run"]["status"] == "succeeded"
        assert mark.read_text().split() == ["one", "one", "two"]


async def test_a_worker_that_slept_through_its_lease_begins_nothing_that_it_was_given_meanwhile(
    make_desk: MakeDesk, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    async with make_desk() as desk:
        await desk.query("update corral.settings set lease_time = '3 s'")
        async with desk.worker("sleepy") as sleepy:
            await desk.until_ended(await desk.given_distributed(shell("before", "true")))  # its next claim is open then
            sleepy.process.send_signal(signal.SIGSTOP)
            try:
                run = await desk.given_distributed(shell("once", f"echo done >> {mark}", repeatable=False))
                await desk.until_step(run, "once", "running")
                async with desk.worker("awake"):
                    view = await desk.until_ended(run)
            finally:
                sleepy.process.send_signal(signal.SIGCONT)
            late = "select 1 from corral.node_events where node_id = 'sleepy' and type = 'step_finished' offset 1"
            while not await desk.query(late):  # noqa: ASYNC110 - another process's
                await asyncio.sleep(0.05)

    assert view["run"]["status"] == "succeeded"
    assert mark.read_text().split() == ["done"]


async def test_steps_that_were_claimed_together_have_directories_of_their_own(make_desk: MakeDesk) -> None:
    """Each command finds its directory empty, and finds what it wrote there again while the others come and go."""
    alone = 'test -z "$(ls)"; touch mine; sleep 0.{}; test -e mine'
    async with make_desk() as desk, desk.worker():
        run = await desk.given_distributed(
            *(shell(f"s{n}", f"set -e; {alone.format(n)}", needs=[]) for n in range(1, 9))
        )

        view = await desk.until_ended(run)

        assert view["run"]["status"] == "succeeded", await desk.graph(run)


async def test_a_run_stays_within_its_concurrency(make_desk: MakeDesk, tmp_path: Path) -> None:
    """Each command notes how many of them run while it does."""
    count = f"mkdir {tmp_path}/$$; ls {tmp_path} | wc -l; sleep 0.05; rmdir {tmp_path}/$$"
    async with make_desk() as desk, desk.worker("one"), desk.worker("two"):
        before = len(list(tmp_path.iterdir()))
        run = await desk.given_distributed(
            *(shell(f"s{n}", count, needs=[]) for n in range(12)), policy={"concurrency": 2}
        )

        view = await desk.until_ended(run)

        assert view["run"]["status"] == "succeeded"
        lines = (await desk.http.get(f"/api/runs/{run}/logs")).json()["lines"]
        assert max(int(line["message"]) for line in lines) - before <= 2


async def test_a_run_that_takes_too_long_fails_and_its_commands_end(make_desk: MakeDesk, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    async with make_desk() as desk, desk.worker():
        await desk.query("update corral.upkeep set verdicts_from = corral.fn_now() - interval '1 day'")
        run = await desk.given_distributed(
            shell("slow", f"echo $$ > {pids}; sleep 3000", timeout_s=2), shell("after", "true"),
            recipe={"timeout_s": 2, "defaults": {"timeout_s": 2}},
        )  # fmt: skip
        await desk.query("update corral.job_steps set timeout = '1 hour'")

        view = await desk.until_ended(run)

        assert view["run"]["status"] == "failed"
        await until_dead(int(pids.read_text()))


async def test_a_worker_asked_to_stop_finishes_its_steps(make_desk: MakeDesk, tmp_path: Path) -> None:
    begun, go = tmp_path / "begun", tmp_path / "go"
    async with make_desk() as desk, desk.worker() as worker:
        run = await desk.given_distributed(shell("work", f"touch {begun}; until test -e {go}; do sleep 0.05; done"))
        while not begun.exists():  # noqa: ASYNC110 - a step is given back if it has not begun, and this one is to have
            await asyncio.sleep(0.02)
        worker.process.send_signal(signal.SIGTERM)
        await worker.read_until("draining")
        go.touch()

        assert await worker.end() == 0, worker.text

        assert (await desk.until_ended(run))["run"]["status"] == "succeeded"


async def test_a_step_that_asks_for_a_phone_by_its_tag_gets_that_one(make_rig: MakeRig) -> None:
    async with make_rig(3) as rig, rig.node():
        devices = (await rig.http.get("/api/devices")).json()["devices"]
        chosen = devices[1]
        (await rig.http.patch(f"/api/devices/{chosen['device_id']}", json={"tags": ["pixel"]})).raise_for_status()
        recipe = {
            "name": "mixed",
            "mode": "distributed",
            "steps": [
                {"id": "any", "uses": "device.screenshot", "requires": ["phone"]},
                {"id": "one", "uses": "device.shell", "needs": [], "requires": ["phone:pixel"],
                 "with": {"command": "getprop ro.serialno"}},
                {"id": "tell", "uses": "report", "needs": ["any", "one"],
                 "with": {"message": "done", "data": {"serial": "{{ steps.one.output.stdout|trim }}"}}},
            ],
        }  # fmt: skip
        (await rig.http.post("/api/workflows", json=recipe)).raise_for_status()
        run = (await rig.http.post("/api/runs", json={"workflow": "mixed"})).json()["run_id"]

        view = await rig.until_ended(run)

        assert view["run"]["status"] == "succeeded", view
        graph = (await rig.http.get(f"/api/runs/{run}/graph")).json()
        assert graph["job"]["output"] == {"tell": {"serial": chosen["serial"]}}
        assert [each["kind"] for each in view["last_artifacts"]] == ["screenshot"]
