"""Opening addresses on the device."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from corral.workflow.action_spec import ActionSpec, Args
from corral.workflow.catalog.fields import Package


class OpenArgs(Args, frozen=True, kw_only=True):
    url: Annotated[
        str,
        Meta(
            pattern=r"^[A-Za-z][A-Za-z0-9+.-]*:[^\s]+$",
            max_length=4000,
            description="The address, with its scheme.",
            extra={"expected": "an address with its scheme, such as https://example.com"},
        ),
    ]
    package: Annotated[Package | None, Meta(description="The app to open it with; by default the device decides.")] = (
        None
    )


ACTIONS = (
    ActionSpec(
        name="url.open",
        summary="Open an address on the device, in a browser or an app that handles it.",
        args=OpenArgs,
    ),
)
