"""The vendor's WebSocket, for what no other action covers."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, field

from corral.workflow.action_spec import ActionSpec, Args, Output


class VendorCallArgs(Args, frozen=True, kw_only=True):
    action: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,99}$",
            description="The vendor's name for the action.",
            extra={"expected": "a vendor action's name such as pushEvent"},
        ),
    ]
    data: Annotated[dict[str, Any], Meta(description="The action's data; this device is added by the node.")] = field(
        default_factory=dict
    )


class VendorCallOutput(Output, frozen=True, kw_only=True):
    code: int
    message: str
    data: Any


ACTIONS = (
    ActionSpec(
        name="vendor.call",
        summary="Call the vendor's program for this device. Its success code is no proof of effect.",
        args=VendorCallArgs,
        output=VendorCallOutput,
        capability="vendor",
    ),
)
