"""Maestro flows as a step. Maestro speaks to the node's own adb server: it knows no other (mobile-dev-inc/Maestro#3461)."""

from __future__ import annotations

import asyncio
import os
import shutil
import zipfile
from pathlib import Path
from typing import Final

from corral.model.errors import ActionFailedError, FailedTestsError
from corral.node.actions.program import run_program
from corral.node.actions.protocol import Action, Bench
from corral.node.actions.scratch import fit_name, new_file, own_file
from corral.node.actions.unpack import put_in, unpack
from corral.node.suites.gathering import judge, read_results
from corral.node.suites.results import Ledger
from corral.workflow.catalog.testing import MaestroArgs, SuiteOutput

_PREFIX: Final = "MAESTRO_"
_QUIET: Final = {"MAESTRO_CLI_NO_ANALYTICS": "1", "MAESTRO_CLI_ANALYSIS_NOTIFICATION_DISABLED": "true"}


def find_maestro() -> Path | None:
    """The program: of PATH, or where its installer puts it."""
    usual = Path.home() / ".maestro" / "bin" / "maestro"
    found = shutil.which("maestro") or (str(usual) if os.access(usual, os.X_OK) else None)
    return None if found is None else Path(found)


async def maestro(bench: Bench, args: MaestroArgs) -> SuiteOutput:
    """Execute the flows, each of them a test. Raises as test.command does."""
    program = find_maestro()
    if program is None:
        raise ActionFailedError("this node has no maestro: it is neither in PATH nor in ~/.maestro/bin")
    if odd := sorted(name for name in args.env if not name.startswith(_PREFIX)):
        # By the environment rather than by -e: what is an argument, every user of the computer can read.
        raise ActionFailedError(
            f"env: Maestro hands variables to flows if they begin with {_PREFIX}: {odd[0]} does not"
        )
    flows = await _provide(bench, args)
    report = new_file(bench, "maestro.xml")
    adb_port = bench.adb_port
    command = [str(program), "--device", bench.phone.handle, "test", "--format", "junit", "--output", str(report)]
    for flag, tags in (("--include-tags", args.include_tags), ("--exclude-tags", args.exclude_tags)):
        command += [flag, ",".join(tags)] if tags else []
    variables = {**_QUIET, **args.env, "ANDROID_SERIAL": bench.phone.handle, "ANDROID_ADB_SERVER_PORT": str(adb_port)}
    ended = await run_program(bench, [*command, str(flows)], variables=variables, folder=flows.parent)
    ledger = Ledger(own_file(bench, "tests"))
    files = [report] if await asyncio.to_thread(report.is_file) else []
    results = await read_results(files, ledger)
    try:
        await judge(bench, results, is_well=ended.exit_code == 0 and bool(results), ledger=ledger)
    except FailedTestsError:
        await bench.store(report, kind="file", name=report.name)
        raise
    if ended.exit_code != 0 or not results:
        told = f"told of {len(results)} flows" if files else "left no report"
        raise ActionFailedError(f"maestro {told}, and ended with {ended.exit_code}: {ended.last_words}")
    return SuiteOutput(**ledger.count())


async def _provide(bench: Bench, args: MaestroArgs) -> Path:
    """The flow or the folder that Maestro is to execute."""
    source = await bench.fetch(args.flows)
    folder = bench.scratch.resolve() / fit_name(bench.step_id) / "flows"
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    await asyncio.to_thread(folder.mkdir, parents=True)
    if not await asyncio.to_thread(zipfile.is_zipfile, source):
        return await asyncio.to_thread(put_in, source, folder, name=fit_name(f"{Path(args.flows).stem}.yaml"))
    await asyncio.to_thread(unpack, source, folder, name=args.flows)
    chosen = (folder / (args.path or ".")).resolve()
    if not chosen.is_relative_to(folder) or not chosen.exists():
        raise ActionFailedError(f"{args.flows} holds no {args.path}")
    return chosen


ACTIONS: dict[str, Action] = {"test.maestro": maestro}
