"""Commands on the node itself, where its operator allowed them."""

from __future__ import annotations

from typing import Any

from corral.model.errors import ActionFailedError
from corral.node.actions.program import run_program
from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.shell import RunArgs


async def run(bench: Bench, args: RunArgs) -> dict[str, Any]:
    """Run a command; each line that it prints goes to the log, and `OUTPUT: {…}` lines into the output.

    Raises ActionFailedError, also where it is not allowed. Whatever the command left running is ended with it.
    """
    if not bench.allows_shell:
        raise ActionFailedError("this node runs no commands: it was not started with --allow-shell")
    ended = await run_program(bench, args.command, variables=args.environment, stdin=args.stdin.encode())
    if args.exit_code is not None and ended.exit_code != args.exit_code:
        raise ActionFailedError(
            f"the command ended with {ended.exit_code} instead of {args.exit_code}: {ended.last_words}"
        )
    return {**ended.output, "exit_code": ended.exit_code, "stdout": ended.stdout, "stderr": ended.stderr}


ACTIONS: dict[str, Action] = {"shell.run": run}
