"""Actions that only shape the flow."""

from __future__ import annotations

from corral.node.actions import waiting
from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.flow import SleepArgs


async def sleep(_bench: Bench, args: SleepArgs) -> None:
    await waiting.sleep(args.duration_s)


ACTIONS: dict[str, Action] = {"flow.sleep": sleep}
