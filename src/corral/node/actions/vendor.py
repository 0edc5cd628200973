"""The vendor's program, for what no other action covers."""

from __future__ import annotations

from typing import Final

from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.vendor import VendorCallArgs, VendorCallOutput

_SUCCESS: Final = 10_000


async def call(bench: Bench, args: VendorCallArgs) -> VendorCallOutput:
    """What the program answers. The driver raises for any code but that of success, and where there is no program."""
    data = await bench.phone.call(args.action, args.data)
    return VendorCallOutput(code=_SUCCESS, message="SUCCESS", data=data)


ACTIONS: dict[str, Action] = {"vendor.call": call}
