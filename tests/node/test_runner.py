"""How one job is executed, told of, and stopped."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from corral.drivers.protocol import ShellResult
from corral.model.errors import ActionFailedError, CommandFailedError, DeviceOfflineError
from corral.model.states import Connection
from corral.node.actions.protocol import Bench
from corral.node.held import StopCause
from corral.node.job_log import MOST_LINES
from tests.node.workbench import Workbench, sighting, workbench

NOW = {"initial_s": 0}


async def fine(_bench: Bench, _args: object) -> dict[str, Any]:
    return {"word": "fine"}


async def broken(_bench: Bench, _args: object) -> None:
    raise ActionFailedError("it is broken")


async def test_a_job_is_told_from_its_start_to_its_end(tmp_path: Path) -> None:
    async with workbench(tmp_path, do_fine=fine) as bench:
        end = await bench.run({"id": "a", "uses": "do.fine"}, {"id": "b", "uses": "do.fine", "title": "Again"})

        assert end.outcome == "succeeded"
        told = await bench.told()
        assert [each["type"] for each in told] == [
            "job_started",
            "step_started",
            "step_finished",
            "step_started",
            "step_finished",
            "job_finished",
        ]
        assert [each["seq"] for each in told] == [1, 2, 3, 4, 5, 6]
        assert (told[3]["position"], told[3]["total"], told[3]["title"]) == (2, 2, "Again")
        assert told[2]["output"] == {"word": "fine"}
        assert [(step["step"], step["status"]) for step in told[-1]["steps"]] == [
            ("a", "succeeded"),
            ("b", "succeeded"),
        ]


async def test_the_first_command_on_the_phone_says_whose_it_is_and_follows_the_start_on_disk(tmp_path: Path) -> None:
    async with workbench(tmp_path, do_fine=fine) as bench:
        job = bench.job({"id": "a", "uses": "do.fine"})
        seen: list[list[dict[str, Any]]] = []

        async def look(_command: str) -> ShellResult:
            seen.append(await bench.told())
            return ShellResult(0, b"", b"")

        bench.phone.does = look
        await bench.runner.run(job)

        assert bench.phone.lines == [f": corral-job={job.grant.job_id} fence=1"]
        assert [each["type"] for each in seen[0]] == ["job_started"]


async def test_a_step_that_fails_stops_the_job_but_not_its_clean_up(tmp_path: Path) -> None:
    async with workbench(tmp_path, do_fine=fine, do_break=broken) as bench:
        end = await bench.run(
            {"id": "a", "uses": "do.break"},
            {"id": "b", "uses": "do.fine"},
            {"id": "tidy", "uses": "do.fine", "continue_on_failure": True},
        )

        assert (end.outcome, end.failure_reason, end.error_message) == ("failed", "action_failed", "it is broken")
        assert await bench.ends() == [("a", "failed"), ("b", "skipped"), ("tidy", "succeeded")]


async def test_a_step_that_may_fail_fails_nothing_else(tmp_path: Path) -> None:
    async with workbench(tmp_path, do_fine=fine, do_break=broken) as bench:
        end = await bench.run({"id": "a", "uses": "do.break", "on_failure": "continue"}, {"id": "b", "uses": "do.fine"})

        assert end.outcome == "succeeded"
        assert await bench.ends() == [("a", "failed"), ("b", "succeeded")]


async def test_a_step_is_retried_as_often_as_its_recipe_says(tmp_path: Path) -> None:
    left = [2]

    async def third_time(_bench: Bench, _args: object) -> None:
        left[0] -= 1
        if left[0] >= 0:
            raise ActionFailedError("not yet")

    async with workbench(tmp_path, do_luck=third_time) as bench:
        end = await bench.run({"id": "a", "uses": "do.luck", "retries": 2, "backoff": NOW})

        assert end.outcome == "succeeded"
        assert [each["attempt"] for each in await bench.told("step_started")] == [1, 2, 3]
        assert (await bench.told("step_finished"))[0]["attempt"] == 3


async def test_a_step_that_takes_too_long_is_cut_off(tmp_path: Path) -> None:
    let_go = asyncio.Event()

    async def for_ever(_bench: Bench, _args: object) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            let_go.set()

    async with workbench(tmp_path, do_wait=for_ever) as bench:
        end = await bench.run({"id": "a", "uses": "do.wait", "timeout_s": 1})

        assert let_go.is_set()
        assert (end.outcome, end.failure_reason) == ("failed", "step_timeout")


async def test_a_job_that_takes_too_long_is_cut_off(tmp_path: Path) -> None:
    async def for_ever(_bench: Bench, _args: object) -> None:
        await asyncio.Event().wait()

    async with workbench(tmp_path, do_wait=for_ever) as bench:
        end = await bench.run({"id": "a", "uses": "do.wait"}, {"id": "b", "uses": "do.wait"}, timeout_s=0.05)

        assert (end.outcome, end.failure_reason) == ("failed", "job_timeout")
        (finished,) = await bench.told("job_finished")
        assert [(step["step"], step["status"]) for step in finished["steps"]] == [("a", "failed")]


@pytest.mark.parametrize(
    ("cause", "outcome"),
    [
        (StopCause.CANCELLED, "cancelled"),
        (StopCause.FENCED, "interrupted"),
        (StopCause.LOST, "interrupted"),
        (StopCause.STOPPING, "interrupted"),
    ],
)
async def test_a_job_that_is_stopped_says_why_and_never_that_it_failed(
    tmp_path: Path, cause: StopCause, outcome: str
) -> None:
    started, let_go = asyncio.Event(), asyncio.Event()

    async def for_ever(_bench: Bench, _args: object) -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            let_go.set()

    async with workbench(tmp_path, do_wait=for_ever) as bench:
        job = bench.job({"id": "a", "uses": "do.wait"})
        running = asyncio.create_task(bench.runner.run(job))
        await started.wait()

        job.stop(cause)

        assert (await running).outcome == outcome
        assert let_go.is_set()
        (finished,) = await bench.told("job_finished")
        assert (finished["outcome"], finished["steps"][0]["status"]) == (outcome, "cancelled")
        assert "failure_reason" not in finished


async def test_no_command_is_given_once_the_lease_has_ended(tmp_path: Path) -> None:
    async def two_commands(bench: Bench, _args: object) -> None:
        await bench.phone.shell("first")
        benches[0].is_live = False
        await bench.phone.shell("second")

    benches: list[Workbench] = []
    async with workbench(tmp_path, do_two=two_commands) as bench:
        benches.append(bench)
        end = await bench.run({"id": "a", "uses": "do.two", "on_failure": "continue"})

        assert end.outcome == "interrupted"
        assert bench.phone.lines[1:] == ["first"]


async def test_a_defect_of_an_action_is_the_jobs_failure_and_tells_nothing_it_should_not(tmp_path: Path) -> None:
    async def defect(_bench: Bench, _args: object) -> None:
        raise RuntimeError("the password is hunter22")

    async with workbench(tmp_path, do_break=defect) as bench:
        end = await bench.run({"id": "a", "uses": "do.break"})

        assert (end.outcome, end.failure_reason) == ("failed", "internal_error")
        assert "hunter22" not in await bench.text()


async def test_secrets_are_masked_in_whatever_is_told(tmp_path: Path) -> None:
    async def leak(bench: Bench, args: Any) -> dict[str, str]:  # noqa: ANN401 - as the action's own
        bench.log("info", f"typing {args.command}")
        return {"stdout": args.command}

    secret = {"password": {"type": "string", "secret": True}}
    async with workbench(tmp_path, device_shell=leak, do_break=broken) as bench:
        end = await bench.run(
            {"id": "a", "uses": "device.shell", "with": {"command": "type {{ params.password }}"}},
            recipe={"params": secret},
            secret_params={"password": "correct horse"},
        )

        assert end.outcome == "succeeded"
        text = await bench.text()
        assert "correct" not in text
        assert text.count("•••") >= 3


async def test_a_template_that_cannot_be_rendered_is_that_steps_failure(tmp_path: Path) -> None:
    async with workbench(tmp_path, do_fine=fine) as bench:
        end = await bench.run(
            {"id": "a", "uses": "do.fine", "when": "false"},
            {"id": "b", "uses": "device.shell", "with": {"command": "{{ steps.a.output.word }}"}},
        )

        assert (end.outcome, end.failure_reason) == ("failed", "template_error")
        assert await bench.ends() == [("a", "skipped"), ("b", "failed")]


async def test_a_step_that_is_not_drawn_is_skipped_and_the_draw_is_kept(tmp_path: Path) -> None:
    async with workbench(tmp_path, do_fine=fine) as bench:
        end = await bench.run({"id": "a", "uses": "do.fine", "probability": 0}, {"id": "b", "uses": "do.fine"})

        assert end.outcome == "succeeded"
        skipped = (await bench.told("step_finished"))[0]
        assert (skipped["status"], skipped["skip_cause"], skipped["decision"]) == ("skipped", "draw", "skip")
        assert 0 <= skipped["draw"] < 1


class Flaky:
    """An action whose phone goes away the first time."""

    def __init__(self, error: Exception) -> None:
        self._error: Exception | None = error
        self.times = 0

    async def __call__(self, _bench: Bench, _args: object) -> None:
        self.times += 1
        error, self._error = self._error, None
        if error is not None:
            raise error


@pytest.mark.parametrize(
    ("error", "step", "outcome", "times"),
    [
        (DeviceOfflineError("gone", is_started=True), {}, "failed", 1),
        (DeviceOfflineError("gone", is_started=True), {"repeatable": True}, "succeeded", 2),
        (DeviceOfflineError("gone", is_started=False), {}, "succeeded", 2),
        (DeviceOfflineError("gone", is_started=True), {"retries": 1, "backoff": NOW}, "succeeded", 2),
        (CommandFailedError("no"), {"repeatable": True}, "failed", 1),
    ],
)
async def test_a_phone_that_comes_back_gets_its_step_again_only_where_that_is_safe(
    tmp_path: Path, error: Exception, step: dict[str, Any], outcome: str, times: int
) -> None:
    flaky = Flaky(error)
    async with workbench(tmp_path, do_it=flaky.__call__) as bench:
        end = await bench.run({"id": "a", "uses": "do.it", **step}, policy={"grace_wait_s": 5})

        assert (end.outcome, flaky.times) == (outcome, times)


async def test_a_phone_that_stays_away_ends_the_job_whatever_the_recipe_says(tmp_path: Path) -> None:
    async def unplug(_bench: Bench, _args: object) -> None:
        benches[0].devices.see("fake", [sighting("R58M1", Connection.OFFLINE)])
        raise DeviceOfflineError("gone")

    benches: list[Workbench] = []
    async with workbench(tmp_path, do_unplug=unplug, do_fine=fine) as bench:
        benches.append(bench)
        end = await bench.run(
            {"id": "a", "uses": "do.unplug", "continue_on_failure": True, "retries": 5},
            {"id": "b", "uses": "do.fine", "continue_on_failure": True},
        )

        assert (end.outcome, end.failure_reason) == ("failed", "device_offline")
        assert await bench.ends() == [("a", "failed"), ("b", "skipped")]


async def test_a_phone_that_cannot_be_reached_at_all_fails_its_job_by_the_right_reason(tmp_path: Path) -> None:
    async with workbench(tmp_path, do_fine=fine) as bench:
        bench.devices.see("fake", [sighting("R58M1", Connection.UNAUTHORIZED)])

        end = await bench.run({"id": "a", "uses": "do.fine"})

        assert (end.outcome, end.failure_reason) == ("failed", "device_unauthorized")
        assert bench.phone.lines == []


async def test_two_jobs_of_one_phone_never_meet(tmp_path: Path) -> None:
    inside: list[int] = []

    async def work(_bench: Bench, _args: object) -> None:
        inside.append(1)
        await asyncio.sleep(0)
        assert inside == [1]
        inside.clear()

    async with workbench(tmp_path, do_work=work) as bench:
        ends = await asyncio.gather(*(bench.run({"id": "a", "uses": "do.work"}) for _ in range(5)))

        assert {end.outcome for end in ends} == {"succeeded"}


async def test_nothing_of_a_job_stays_on_the_node(tmp_path: Path) -> None:
    async def write(bench: Bench, _args: object) -> None:
        (bench.scratch / "left.txt").write_text("x")

    async with workbench(tmp_path, do_write=write) as bench:
        await bench.run({"id": "a", "uses": "do.write"})

        assert list(bench.scratch.iterdir()) == []


async def test_a_long_log_goes_as_a_few_events_and_whole_as_a_file(tmp_path: Path) -> None:
    async def chatter(bench: Bench, _args: object) -> None:
        for number in range(MOST_LINES * 2):
            bench.log("info", f"line {number}")

    async with workbench(tmp_path, do_chat=chatter) as bench:
        await bench.run({"id": "a", "uses": "do.chat"})

        logs = await bench.told("log")
        assert len(logs) <= 3
        assert sum(len(each["lines"]) for each in logs) == MOST_LINES + 1
        (artifact,) = await bench.told("artifact_created")
        (file,) = await bench.spool.act(lambda store: store.next_files(most=9))
        assert artifact["kind"] == "log"
        assert len(bench.spool.path_of(file).read_text().splitlines()) == MOST_LINES * 2


async def test_what_report_keeps_is_the_jobs_output(tmp_path: Path) -> None:
    async with workbench(tmp_path) as bench:
        await bench.run({"id": "a", "uses": "report", "with": {"message": "hello", "data": {"count": 3}}})

        (finished,) = await bench.told("job_finished")
        assert finished["output"] == {"count": 3}


async def test_text_that_no_database_can_keep_is_made_fit(tmp_path: Path) -> None:
    async def odd(_bench: Bench, _args: object) -> dict[str, str]:
        return {"stdout": "a\x00b\udcffc"}

    async with workbench(tmp_path, do_odd=odd) as bench:
        await bench.run({"id": "a", "uses": "do.odd"})

        assert (await bench.told("step_finished"))[0]["output"] == {"stdout": "a�b?c"}


async def test_an_action_that_this_node_does_not_have_fails_the_job_cleanly(tmp_path: Path) -> None:
    async with workbench(tmp_path, do_fine=fine) as bench:
        job = bench.job({"id": "a", "uses": "do.fine"})
        job.spec.recipe["steps"][0]["uses"] = "do.miracle"

        end = await bench.runner.run(job)

        assert (end.outcome, end.error_message) == ("failed", "this node cannot execute do.miracle")
        assert [each["type"] for each in await bench.told()] == ["job_finished"]
