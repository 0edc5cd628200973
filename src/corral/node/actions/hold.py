"""Keeping a phone for somebody else to use, who reaches it by other ways: this only has it, and sees that it is there."""

from __future__ import annotations

import asyncio
from typing import Final

from corral.model.errors import DeviceError, DeviceOfflineError
from corral.node.actions import waiting
from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.device import HoldArgs

_LOOK_EVERY_S: Final = 5.0
_ANSWER_S: Final = 10.0


async def hold(bench: Bench, args: HoldArgs) -> None:
    """Never returns: whoever wants the phone back stops the job. Raises the phone's own error once it stayed away too long."""
    away: waiting.Patience | None = None
    while True:
        await waiting.sleep(_LOOK_EVERY_S)
        trouble = await _look(bench)
        if trouble is None:
            if away is not None:
                bench.log("info", f"the device is back after {away.waited_s:.0f} s")
            away = None
        elif away is None:
            bench.log("warning", f"the device is away: {trouble.message}")
            away = waiting.Patience(args.lost_after_s)
        if trouble is not None and away is not None and away.is_over:
            raise trouble


async def _look(bench: Bench) -> DeviceError | None:
    try:
        async with asyncio.timeout(_ANSWER_S):
            await bench.phone.shell(":")
    except DeviceError as error:
        return error
    except TimeoutError:
        return DeviceOfflineError(f"the device did not answer within {_ANSWER_S:g} s", is_started=True)
    return None


ACTIONS: dict[str, Action] = {"device.hold": hold}
