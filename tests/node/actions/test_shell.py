"""Commands on the node: real processes."""

from __future__ import annotations

import asyncio
import os
import shlex
import sys
from pathlib import Path

import pytest
import uvloop

from corral.model.errors import ActionFailedError
from corral.node.actions.listener import MOST_LINES
from tests.node.actions.conftest import Workshop


@pytest.fixture
def allowed(workshop: Workshop) -> Workshop:
    workshop.bench.allows_shell = True
    return workshop


async def test_a_node_runs_no_commands_unless_it_was_told_to(workshop: Workshop) -> None:
    with pytest.raises(ActionFailedError, match="--allow-shell"):
        await workshop.perform("shell.run", command="touch made")

    assert not (workshop.bench.scratch / "made").exists()


async def test_a_command_line_runs_in_the_jobs_folder(allowed: Workshop) -> None:
    output = await allowed.perform("shell.run", command="echo one; echo two >&2; printf three > made; pwd -P")

    home = str(allowed.bench.scratch.resolve())
    assert output == {"exit_code": 0, "stdout": f"one\n{home}", "stderr": "two"}
    assert (allowed.bench.scratch / "made").read_text() == "three"
    assert sorted(allowed.bench.lines) == sorted([("info", "one"), ("info", "two"), ("info", home)])


async def test_a_program_gets_its_arguments_without_a_shell(allowed: Workshop) -> None:
    output = await allowed.perform("shell.run", command=["printf", "%s|", "a b", "$HOME", ";"])

    assert output["stdout"] == "a b|$HOME|;|"


async def test_a_command_reads_what_it_is_given(allowed: Workshop) -> None:
    text = "line\n" * 19_000

    output = await allowed.perform("shell.run", command="cat", stdin=text)

    assert text.startswith(output["stdout"][:60_000])
    assert (await allowed.perform("shell.run", command="true", stdin=text))["exit_code"] == 0


async def test_lines_of_output_become_the_steps_output(allowed: Workshop) -> None:
    script = """
        echo 'OUTPUT: {"version": "1.2", "n": 1}'
        echo 'OUTPUT: {"n": 2, "exit_code": 99}'
        echo 'OUTPUT: not json'
        echo 'OUTPUT: [1]'
        echo 'noise OUTPUT: {"x": 1}'
    """

    output = await allowed.perform("shell.run", command=script)

    assert {name: output[name] for name in ("version", "n", "exit_code")} == {"version": "1.2", "n": 2, "exit_code": 0}
    assert "x" not in output
    assert [level for level, _ in allowed.bench.lines].count("warning") == 2


async def test_an_unexpected_exit_code_is_a_failure(allowed: Workshop) -> None:
    with pytest.raises(ActionFailedError, match="ended with 3 instead of 0: last words"):
        await allowed.perform("shell.run", command="echo last words >&2; exit 3")

    assert (await allowed.perform("shell.run", command="exit 3", exit_code=3))["exit_code"] == 3
    assert (await allowed.perform("shell.run", command="exit 3", exit_code=None))["exit_code"] == 3


async def test_a_program_that_is_not_there_is_a_failure(allowed: Workshop) -> None:
    with pytest.raises(ActionFailedError, match="could not be started"):
        await allowed.perform("shell.run", command=["/no/such/program"])


async def test_the_agents_secrets_are_not_inherited(allowed: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NODE_AGENT_SHARED_SECRET", "CORRAL_NODE_TOKEN", "DATABASE_URL", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "hush")

    output = await allowed.perform("shell.run", command="env", environment={"MINE": "yes"})

    assert "hush" not in output["stdout"]
    variables = dict(line.split("=", 1) for line in output["stdout"].splitlines())
    assert variables["MINE"] == "yes"
    assert variables["PATH"] == os.environ["PATH"]
    assert (variables["CORRAL_RUN_ID"], variables["CORRAL_STEP_ID"]) == ("run-1", "look")


async def test_a_flood_is_kept_and_logged_in_bounds(allowed: Workshop) -> None:
    program = f"import sys; sys.stdout.write('{'x' * 99}\\n' * 3000); sys.stdout.write('y' * 200_000)"

    output = await allowed.perform("shell.run", command=[sys.executable, "-c", program])

    assert len(output["stdout"]) == 65536
    assert len(allowed.bench.lines) == MOST_LINES + 1
    assert allowed.bench.lines[-1][0] == "warning"


async def started(pipe: Path) -> int:
    """The number that somebody writes into the pipe, once it is written."""
    return int((await asyncio.to_thread(pipe.read_text)).strip())


async def ended(pid: int) -> None:
    """Return once the process has ended, whoever's child it was."""
    loop = asyncio.get_running_loop()
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    gone = asyncio.Event()
    loop.add_reader(descriptor, gone.set)
    await gone.wait()
    loop.remove_reader(descriptor)
    os.close(descriptor)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes by pidfd")
async def test_a_cancelled_command_is_ended_with_all_its_descendants(allowed: Workshop, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = f"sh -c 'trap \"\" TERM; sleep 3600' & echo $! > {shlex.quote(str(pipe))}; wait"
    running = asyncio.create_task(allowed.perform("shell.run", command=command))
    child = await started(pipe)

    running.cancel()

    with pytest.raises(asyncio.CancelledError):
        await running
    await ended(child)


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes by pidfd")
async def test_what_a_command_leaves_running_is_ended_with_it(allowed: Workshop) -> None:
    output = await allowed.perform("shell.run", command="sleep 3600 & echo $!")

    await ended(int(output["stdout"]))


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waits for processes by pidfd")
def test_the_agents_own_loop_makes_no_difference(allowed: Workshop, tmp_path: Path) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        output = runner.run(allowed.perform("shell.run", command="cat; exit 3", stdin="said", exit_code=3))
        runner.run(test_a_cancelled_command_is_ended_with_all_its_descendants(allowed, tmp_path))
        runner.run(test_what_a_command_leaves_running_is_ended_with_it(allowed))

    assert (output["exit_code"], output["stdout"]) == (3, "said")
