"""`corral run`: start a run, and see to it."""

import os
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from cyclopts import App, Parameter

from corral.cli.exit_status import SUCCEEDED, status_of_run
from corral.cli.explain import print_explanations
from corral.cli.junit import check_place, write_junit
from corral.cli.options import DEFAULT, Options
from corral.cli.output import look, make_console, print_json, print_page
from corral.cli.pairs import read_params, read_policy, read_secrets, read_timeouts
from corral.cli.refs import find_run
from corral.cli.run_tests import list_tests
from corral.cli.show import print_run
from corral.cli.watch import watch as watch_run
from corral.cli.workflow import push_file
from corral.client import Client, parse_target
from corral.model.errors import InvalidRequestError, WaitTimeoutError
from corral.model.records import Run, Workflow
from corral.model.states import JobStatus
from corral.workflow import ParamSpec

_EXAMPLES: Final = """`corral run start NAME` runs a workflow whose name is that of a command above. Examples:

  corral run smoke --on all --watch
  corral run smoke@3 --on node:rack-1 --on 1-50 --param package=com.example.app
  corral run ./smoke.yaml --on tag:pixel --secret password=env:LAB_PASSWORD --set-timeout open=60
  corral run smoke --on any:5 --concurrency 2 --offline wait
  corral run instrumented-tests --on any:20 --junit results.xml
"""
app = App(name="run", help_epilogue=_EXAMPLES, help_format="plaintext")
app.command(list_tests, name="tests")
Repeated = Annotated[list[str] | None, Parameter(negative_iterable="")]
Flag = Annotated[bool, Parameter(negative="")]


@app.default
@app.command(name="start")
def start(
    workflow: str,
    /,
    *,
    on: Repeated = None,
    param: Repeated = None,
    param_file: Path | None = None,
    secret: Repeated = None,
    set_timeout: Repeated = None,
    policy: Repeated = None,
    concurrency: int | None = None,
    priority: int | None = None,
    offline: Literal["skip", "wait"] | None = None,
    name: str | None = None,
    seed: str | None = None,
    video: str | None = None,
    watch: bool = False,
    timeout: float | None = None,
    junit: Path | None = None,
    options: Options = DEFAULT,
) -> int:
    """Run a workflow on devices.

    Parameters
    ----------
    workflow
        A stored workflow (smoke, smoke@3), or a recipe file, which is pushed first.
    on
        Which devices: all, 7, 1-50, 3,7, node:NAME, tag:NAME, label=NAME, serial:SERIAL, device:ID or any:COUNT.
        Words of one kind add up; different kinds, and tags, narrow.
    param
        A parameter: name=value, read as the recipe's type says.
    param_file
        Parameters in a YAML or JSON file.
    secret
        A secret parameter: name asks for it, name=env:VARIABLE and name=file:PATH read it.
    set_timeout
        A step's timeout in seconds, within its bounds: step=60.
    policy
        A setting of the run's policy: max_attempts=2, wait_timeout_s=600, grace_wait_s=15.
    concurrency
        How many devices may work at once, on all nodes together; 1 is one after the other.
    priority
        Runs of a higher priority go first; 0 by default.
    offline
        Skip devices that are offline, or wait for them.
    name
        What to call the run; the workflow's name by default.
    seed
        What draws of probabilities depend on.
    video
        The YouTube video that the run is about.
    watch
        Show the run until it has ended, and exit with its result.
    timeout
        How many seconds to watch at most; the run then goes on.
    junit
        Watch, and then write the results of the run's tests to this file, as JUnit XML; also where tests failed.
    """
    check_place(junit)
    target = parse_target(*(on or ["all"]))
    secrets = read_secrets(secret or [])
    with options.client() as client:
        chosen = _find_workflow(client, workflow)
        specs = msgspec.convert(chosen.recipe.get("params", {}), dict[str, ParamSpec])
        created = client.runs.create(
            chosen.name,
            version=chosen.version,
            target=target,
            params=read_params(param or [], specs=specs, file=param_file) | secrets,
            overrides=read_timeouts(set_timeout or []),
            policy=read_policy(policy or [], concurrency=concurrency, priority=priority, offline=offline),
            name=name,
            seed=seed,
            youtube_video_id=video,
        )
        return follow(client, created, options, watch=watch, timeout_s=timeout, junit=junit)


@app.command
def show(
    run: str = "last",
    /,
    *,
    device: str | None = None,
    watch: Flag = False,
    timeout: float | None = None,
    options: Options = DEFAULT,
) -> int:
    """Show a run: its devices, what failed, the last lines of its log.

    Parameters
    ----------
    run
        The run's id, the beginning of it, or last.
    device
        One device of the run, by number or serial: its steps.
    watch
        Show it until it has ended, and exit with its result.
    timeout
        How many seconds to watch at most; the run then goes on.
    """
    with options.client() as client:
        run_id = find_run(client, run)
        if watch and not options.json:
            return status_of_run(watch_run(client, run_id, timeout_s=timeout).run.status)
        if watch:
            client.runs.wait(run_id, timeout_s=timeout)
        view = client.runs.get(run_id, device=device)
        print_json(view) if options.json else print_run(view, make_console(), device=device)
        return status_of_run(view.run.status) if watch else SUCCEEDED


@app.command
def cancel(run: str, /, *, options: Options = DEFAULT) -> None:
    """Cancel what waits, and ask nodes to stop what runs; a result achieved first stands.

    Parameters
    ----------
    run
        The run's id, the beginning of it, or last.
    """
    with options.client() as client:
        _say(client.runs.cancel(find_run(client, run)), "cancelling", options)


@app.command
def retry(
    run: str,
    /,
    *,
    status: Annotated[list[JobStatus] | None, Parameter(negative_iterable="")] = None,
    watch: Flag = False,
    timeout: float | None = None,
    options: Options = DEFAULT,
) -> int:
    """Run again on the devices where a run did not succeed, as a new run.

    Parameters
    ----------
    run
        The run's id, the beginning of it, or last.
    status
        Only devices whose job ended so: failed, cancelled, skipped-offline; all of them by default.
    watch
        Show the new run until it has ended, and exit with its result.
    timeout
        How many seconds to watch at most; the run then goes on.
    """
    with options.client() as client:
        again = client.runs.retry(find_run(client, run), statuses=status)
        return follow(client, again, options, watch=watch, timeout_s=timeout)


@app.command
def replay(run: str, /, *, watch: Flag = False, timeout: float | None = None, options: Options = DEFAULT) -> int:
    """Run the same once more, on the same devices and with the same draws.

    Parameters
    ----------
    run
        The run's id, the beginning of it, or last.
    watch
        Show the new run until it has ended, and exit with its result.
    timeout
        How many seconds to watch at most; the run then goes on.
    """
    with options.client() as client:
        return follow(client, client.runs.replay(find_run(client, run)), options, watch=watch, timeout_s=timeout)


@app.command
def explain(run: str = "last", /, *, options: Options = DEFAULT) -> None:
    """Say why each device of a run that has not started waits, and when it may be expected to.

    Parameters
    ----------
    run
        The run's id, the beginning of it, or last.
    """
    with options.client() as client:
        jobs = list(client.runs.explain(find_run(client, run)))
    print_page("jobs", jobs) if options.json else print_explanations(jobs, make_console())


def follow(
    client: Client, run: Run, options: Options, *, watch: bool, timeout_s: float | None, junit: Path | None = None
) -> int:
    """Say that a run was created; watched, the exit status is its result. Tests are written also if the watch is too short."""
    if not watch and junit is None:
        _say(run, "created", options)
        return SUCCEEDED
    try:
        if options.json:
            view = client.runs.wait(run.run_id, timeout_s=timeout_s)
            print_json(view)
        else:
            view = watch_run(client, run.run_id, timeout_s=timeout_s)
    except WaitTimeoutError:
        write_junit(client, run.run_id, junit)
        raise
    write_junit(client, run.run_id, junit)
    return status_of_run(view.run.status)


def is_file(workflow: str) -> bool:
    """Whether a recipe file is meant: it has a directory or an ending."""
    return os.sep in workflow or "/" in workflow or workflow.endswith((".yaml", ".yml", ".json"))


def _find_workflow(client: Client, text: str) -> Workflow:
    if is_file(text):
        return push_file(client, Path(text))
    name, separator, version = text.partition("@")
    if separator and not (version.isascii() and version.isdecimal()):
        raise InvalidRequestError(f"'{text:.80}': a version is a number, as in {name}@3", path="workflow")
    return client.workflows.get(name, int(version) if separator else None)


def _say(run: Run, what: str, options: Options) -> None:
    if options.json:
        print_json(run)
        return
    console = make_console()
    console.print(look(run.status, what), run.name, str(run.run_id), f"{run.total_jobs} devices")
