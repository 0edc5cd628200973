"""Restarting the device, and knowing that it really was another start."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from msgspec import Struct

from corral.drivers.protocol import Phone
from corral.model.errors import DeviceError, DeviceNotBootedError, DeviceOfflineError, OutcomeUnknownError
from corral.node.actions.protocol import Action, Bench
from corral.node.actions.waiting import Patience
from corral.workflow.catalog.device import RebootArgs, RebootOutput

# Linux draws the id anew at every start; the uptime is for phones that do not let the shell read it.
COMMAND: Final = "getprop sys.boot_completed; cat /proc/sys/kernel/random/boot_id /proc/uptime"
_PAUSE_S: Final = 1.0
_ANSWER_S: Final = 10.0
_FAILURES_TO_RECONNECT: Final = 5


class Boot(Struct, frozen=True, kw_only=True):
    """One start of the device, as far as it tells."""

    is_complete: bool
    boot_id: str | None
    uptime_s: float | None

    def is_after(self, other: Boot, *, was_away: bool) -> bool:
        """Whether this is a later start than the other one."""
        if self.boot_id is not None and other.boot_id is not None:
            return self.boot_id != other.boot_id
        if self.uptime_s is not None and other.uptime_s is not None:
            return self.uptime_s < other.uptime_s
        return was_away


async def reboot(bench: Bench, args: RebootArgs) -> RebootOutput:
    """Restart and wait; raises DeviceNotBootedError if that takes too long."""
    before = await _ask(bench.phone)
    patience = Patience(args.wait_s)
    was_away, failures = await _was_broken_off(bench.phone), 0
    while not patience.is_over:
        await patience.pause(_PAUSE_S)
        try:
            boot = await _ask(bench.phone)
        except (DeviceError, TimeoutError):
            was_away, failures = True, failures + 1
            if failures % _FAILURES_TO_RECONNECT == 0:
                await _reconnect(bench.phone)
            continue
        if boot.is_complete and boot.is_after(before, was_away=was_away):
            bench.log("info", f"restarted within {patience.waited_s:.1f} s")
            return RebootOutput(boot_s=round(patience.waited_s, 3))
    state = "did not come back" if was_away else "did not restart"
    raise DeviceNotBootedError(f"the device {state} within {args.wait_s:g} s")


def parse_boot(output: str) -> Boot:
    """The answer to COMMAND, in which each line may be missing."""
    completed, *rest = output.splitlines() or [""]
    boot_id = next((line.strip() for line in rest if line.count("-") == 4), None)  # noqa: PLR2004 - a UUID's dashes
    uptime = next((line.split() for line in rest if len(line.split()) == 2), None)  # noqa: PLR2004 - up and idle
    uptime_s = None
    if uptime:
        with suppress(ValueError):
            uptime_s = float(uptime[0])
    return Boot(is_complete=completed.strip() == "1", boot_id=boot_id, uptime_s=uptime_s)


async def _was_broken_off(phone: Phone) -> bool:
    """Ask for the restart; whether the phone went away over it, which is as good as an answer: its next start will tell."""
    try:
        await phone.reboot()
    except OutcomeUnknownError:
        return True
    except DeviceOfflineError as error:
        if not error.is_started:
            raise
        return True
    return False


async def _ask(phone: Phone) -> Boot:
    async with asyncio.timeout(_ANSWER_S):
        return parse_boot((await phone.shell(COMMAND)).text)


async def _reconnect(phone: Phone) -> None:
    with suppress(DeviceError, TimeoutError):
        async with asyncio.timeout(_ANSWER_S):
            await phone.reconnect()


ACTIONS: dict[str, Action] = {"device.reboot": reboot}
