"""Any test runner as a step: a program on the node that reaches this one phone by an adb server of its own."""

from __future__ import annotations

import asyncio
import os
import shutil
from pathlib import Path
from typing import Final

from corral.model.errors import ActionFailedError
from corral.node.actions.program import Outcome, run_program
from corral.node.actions.protocol import Action, Bench
from corral.node.actions.scratch import fit_name, own_file, path_for_recipes
from corral.node.actions.unpack import put_in, unpack
from corral.node.suites.gathering import find_files, judge, read_results, remove_files
from corral.node.suites.results import Ledger
from corral.workflow.catalog.testing import CommandArgs, CommandOutput

_MOST_STORED: Final = 1 << 30


async def command(bench: Bench, args: CommandArgs) -> CommandOutput:
    """Run it, and make of what it left results, artifacts and a verdict.

    Raises FailedTestsError if a test failed, ActionFailedError for any other trouble with the work (also where it is not
    allowed), and the phone's own error where the phone was lost on the way.
    """
    if not bench.allows_shell:
        raise ActionFailedError("this node runs no commands: it was not started with --allow-shell")
    for name in args.inputs:
        await _provide(bench, name)
    if args.junit is not None:
        await asyncio.to_thread(remove_files, bench.scratch, args.junit)
    async with bench.own_adb() as adb:
        variables = {
            "PATH": os.pathsep.join((str(adb.program.parent), os.environ.get("PATH", os.defpath))),
            **args.env,
            "ANDROID_SERIAL": adb.serial,
            "ANDROID_ADB_SERVER_PORT": str(adb.port),
        }
        ended = await run_program(bench, _located(args.command, variables["PATH"]), variables=variables)
    stored = await _store(bench, args.files)
    ledger = Ledger(own_file(bench, "tests"))
    await _judge(bench, args, ended, ledger)
    return CommandOutput(**ledger.count(), exit_code=ended.exit_code, files=stored)


async def _provide(bench: Bench, name: str) -> None:
    """An input file in the job's directory, under its own name; a zip's files instead of the zip."""
    source = await bench.fetch(name)
    own = fit_name(Path(name).name)
    if own.lower().endswith(".zip"):
        await asyncio.to_thread(unpack, source, bench.scratch, name=own)
    else:
        await asyncio.to_thread(put_in, source, bench.scratch, name=own)


def _located(words: list[str], path: str) -> list[str]:
    """A program that is named without a folder is looked for where the command itself would look."""
    program, *arguments = words
    return [shutil.which(program, path=path) or program, *arguments]


async def _judge(bench: Bench, args: CommandArgs, ended: Outcome, ledger: Ledger) -> None:
    """Raises what the results and the exit code amount to."""
    is_well = ended.exit_code in args.exit_codes
    files = await asyncio.to_thread(find_files, bench.scratch, args.junit) if args.junit else []
    results = await read_results(files, ledger)
    await judge(bench, results, is_well=is_well, ledger=ledger)
    if not is_well:
        raise ActionFailedError(f"the command ended with {ended.exit_code}: {ended.last_words}")
    if args.junit is not None and not results:
        told = f"{len(files)} files {args.junit} tell of no test" if files else f"there is no file {args.junit}"
        raise ActionFailedError(f"{told}: {ended.last_words}")


async def _store(bench: Bench, patterns: list[str]) -> list[str]:
    """What is to be kept, as artifacts; their paths in the job's directory."""
    found = [path for each in patterns for path in await asyncio.to_thread(find_files, bench.scratch, each)]
    stored, left = [], _MOST_STORED
    for path in dict.fromkeys(found):
        left -= path.stat().st_size
        if left < 0:
            bench.log("warning", f"{path.name} is not kept: the files of this step are larger than 1 GB")
            break
        await bench.store(path, kind="file", name=path.name)
        stored.append(path_for_recipes(bench, path))
    return stored


ACTIONS: dict[str, Action] = {"test.command": command}
