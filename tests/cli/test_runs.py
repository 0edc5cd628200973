"""`corral run` and what follows a run, as a process against a real server."""

from pathlib import Path

from tests.api.client import Node
from tests.cli.conftest import Cli, finish


async def test_a_recipe_file_is_pushed_run_and_watched_to_its_end(cli: Cli, node: Node, recipe: Path) -> None:
    watching = await cli.start("run", recipe, "--on", "all", "--param", "package=com.example", "--watch")
    await finish(node, wait_s=30)
    out, err = await watching.communicate()

    assert watching.returncode == 0, err.decode()
    last = out.decode().splitlines()[-1]
    assert last.startswith("✓ succeeded  smoke  ")
    assert "3 done of 3" in last


async def test_a_failed_device_is_told_and_makes_the_exit_status_1(cli: Cli, node: Node, recipe: Path) -> None:
    await cli("workflow", "push", recipe)
    run = await cli.json("run", "smoke@1", "--on", "1-2", "--name", "nightly", "--priority", "5", "--concurrency", "2")
    assert (run["name"], run["policy"]) == ("nightly", {"concurrency": 2, "priority": 5})
    await finish(node, R58M2="failed")

    told = await cli.run("run", "show", "last", "--watch")

    assert told.status == 1
    assert "✗ device 2 R58M2 on rack-1 error at open: the button is gone" in told.out
    assert told.out.splitlines()[-1].startswith("✗ completed with errors  nightly  ")
    assert (await cli.run("run", "show", run["run_id"][:13], "--watch", "--json")).json["run"]["counts"]["error"] == 1
    assert "hello from R58M2" in await cli("run", "show", run["run_id"], "--device", "2")
    assert "R58M2" in await cli("run", "show")


async def test_a_watch_that_takes_too_long_ends_with_4_and_so_does_a_cancelled_run(
    cli: Cli, node: Node, recipe: Path
) -> None:
    told = await cli.run("run", recipe, "--on", "node:rack-1", "--watch", "--timeout", "0.1")
    assert told.status == 4
    assert "it goes on" in told.err

    assert "cancelling" in await cli("run", "cancel", "last")

    told = await cli.run("run", "show", "last", "--watch")
    assert told.status == 4
    assert "- cancelled  smoke" in told.out


async def test_a_run_is_explained_retried_and_replayed(cli: Cli, node: Node, recipe: Path) -> None:
    first = await cli.json("run", recipe, "--on", "all", "--set-timeout", "open=60", "--seed", "dice")
    assert first["overrides"] == {"open": {"timeout_s": 60}}
    assert "1-3" in await cli("run", "explain", first["run_id"])
    assert {job["reason"] for job in (await cli.json("run", "explain"))["jobs"]} == {"ready"}
    await finish(node, R58M1="failed", R58M3="failed")

    again = await cli.json("run", "retry", first["run_id"])
    assert (again["retry_of"], again["total_jobs"]) == (first["run_id"], 2)
    await finish(node)
    assert (await cli.run("run", "retry", first["run_id"], "--status", "cancelled", "--watch")).status in {1, 2}

    replay = await cli.json("run", "replay", first["run_id"])
    assert (replay["replay_of"], replay["seed"]) == (first["run_id"], "dice")
    await finish(node)
    assert "nothing waits" in await cli("run", "explain", replay["run_id"])

    listed = (await cli.json("runs", "--status", "completed-with-errors"))["runs"]
    assert [run["run_id"] for run in listed] == [first["run_id"]]
    assert first["run_id"][:13] in await cli("runs", "--limit", "10")
    assert "no runs" in await cli("runs", "--going")


async def test_a_run_is_for_the_devices_with_a_label(cli: Cli, node: Node, recipe: Path) -> None:
    await cli("device", "label", "2", "front desk")

    run = await cli.json("run", recipe, "--on", "label=front desk")

    assert (run["target"], run["total_jobs"]) == ({"labels": ["front desk"]}, 1)
    assert [job["serial"] for job in await finish(node)] == ["R58M2"]


async def test_a_workflow_of_a_commands_name_can_be_started(cli: Cli, node: Node, tmp_path: Path) -> None:
    (tmp_path / "show.yaml").write_text("name: show\nsteps: [{id: look, uses: device.screenshot}]\n", encoding="utf-8")
    await cli("workflow", "push", "show.yaml")

    assert (await cli.json("run", "start", "show", "--on", "1"))["name"] == "show"


async def test_a_secret_parameter_reaches_the_node_and_no_view(cli: Cli, node: Node, recipe: Path) -> None:
    out = await cli("run", recipe, "--secret", "password=env:LAB_PASSWORD", "--json", env={"LAB_PASSWORD": "hunter22"})

    assert "hunter22" not in out + await cli("run", "show", "--json") + await cli("audit", "--json")
    assert (await node.pull())["runs"][0]["secret_params"] == {"password": "hunter22"}


async def test_what_is_refused_says_why_and_ends_with_2(cli: Cli, node: Node, recipe: Path, tmp_path: Path) -> None:
    await cli("workflow", "push", recipe)
    (tmp_path / "bad.yaml").write_text("name: bad\nsteps:\n  - {id: open, uses: app.strat}\n", encoding="utf-8")

    for arguments, words in {
        ("run", "smoke", "--on", "nobody"): "'nobody' is not a target",
        ("run", "smoke", "--on", "serial:NOBODY"): "names something unknown",
        ("run", "smoke", "--on", "label=nobody's"): 'target.labels names something unknown: "nobody\'s"',
        ("run", "smoke", "--param", "colour=red"): "params.colour: unknown parameter",
        ("run", "smoke", "--set-timeout", "open=9999"): "overrides.open.timeout_s",
        ("run", "smoke", "--set-timeout", "shut=9"): "shut",
        ("run", "smoke", "--policy", "speed=9"): "policy has no setting speed",
        ("run", "smoke@x"): "a version is a number",
        ("run", "smoke@9"): "no version 9 of workflow smoke",
        ("run", "nothing"): "no workflow nothing",
        ("run", "bad.yaml"): "bad.yaml:3: steps[0].uses: unknown action 'app.strat'",
        ("run", "none.yaml"): "cannot read none.yaml",
        ("run", "smoke", "--secret", "password=hunter22"): "write password=env:VARIABLE",
        ("run", "smoke", "--bogus"): "Unknown option: --bogus",
        ("run", "show", "ffff"): "no run begins with ffff",
        ("run", "show", "!"): "'!' is not a run",
        ("run", "show", "last"): "there is no run yet",
        ("bogus",): 'Unknown command "bogus"',
    }.items():
        told = await cli.run(*arguments)
        assert (told.status, told.out) == (2, ""), f"{arguments}: {told}"
        assert told.err.startswith("corral: "), told
        assert words in told.err, told


async def test_the_log_of_a_run_is_printed_and_followed_to_its_end(cli: Cli, node: Node, recipe: Path) -> None:
    run = await cli.json("run", recipe, "--on", "all")
    following = await cli.start("logs", run["run_id"], "--follow")
    await finish(node)
    out, err = await following.communicate()

    assert following.returncode == 0, err.decode()
    assert sorted(line.rpartition(" ")[2] for line in out.decode().splitlines()) == ["R58M1", "R58M2", "R58M3"]
    assert (await cli("logs", "last", "-d", "2")).endswith("open: hello from R58M2\n")
    assert [line["serial"] for line in [(await cli.run("logs", "--device", "R58M1", "--json")).json]] == ["R58M1"]
