"""Checks that fail the step."""

from __future__ import annotations

import re

from corral.model.errors import ActionFailedError, AssertionFailedError
from corral.node.actions.commands import shortened, text_of
from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.assert_ import AssertShellArgs, AssertShellOutput


async def assert_shell(bench: Bench, args: AssertShellArgs) -> AssertShellOutput:
    """Raises AssertionFailedError if the output is not as told, ActionFailedError for an expression that is none."""
    pattern = _compiled(args.matches) if args.matches is not None else None
    result = await bench.phone.shell(args.command)
    stdout = result.text
    said = f"it printed: {shortened(stdout or text_of(result.stderr)) or 'nothing'}"
    if args.exit_code is not None and result.exit_code != args.exit_code:
        raise AssertionFailedError(f"the command ended with {result.exit_code} instead of {args.exit_code}; {said}")
    if args.equals is not None and stdout.strip() != args.equals.strip():
        raise AssertionFailedError(f"the output is not '{shortened(args.equals)}'; {said}")
    if args.contains is not None and args.contains not in stdout:
        raise AssertionFailedError(f"the output does not contain '{shortened(args.contains)}'; {said}")
    if pattern is not None and pattern.search(stdout) is None:
        raise AssertionFailedError(f"the output does not match '{shortened(pattern.pattern)}'; {said}")
    return AssertShellOutput(exit_code=result.exit_code, stdout=text_of(result.stdout))


def _compiled(expression: str) -> re.Pattern[str]:
    try:
        return re.compile(expression)
    except re.error as error:
        raise ActionFailedError(f"not a regular expression: {error}", path="with.matches") from None


ACTIONS: dict[str, Action] = {"assert.shell": assert_shell}
