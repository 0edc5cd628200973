"""Files to and from the device."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from corral.workflow.action_spec import ActionSpec, Args, Output
from corral.workflow.catalog.fields import DevicePath, FileName, InputFile


class PushArgs(Args, frozen=True, kw_only=True):
    file: InputFile
    path: DevicePath


class PullArgs(Args, frozen=True, kw_only=True):
    path: DevicePath
    name: FileName | None = None
    upload: Annotated[bool, Meta(description="Store it as an artifact; if not, a later artifact.upload may.")] = True


class PushOutput(Output, frozen=True, kw_only=True):
    sha256: str
    size_bytes: int


class PullOutput(Output, frozen=True, kw_only=True):
    path: str
    sha256: str
    size_bytes: int


ACTIONS = (
    ActionSpec(
        name="file.push",
        summary="Copy an uploaded input file to the device.",
        args=PushArgs,
        output=PushOutput,
        repeatable=True,
        default_timeout_s=300.0,
    ),
    ActionSpec(
        name="file.pull",
        summary="Copy a file from the device to the node.",
        args=PullArgs,
        output=PullOutput,
        repeatable=True,
        default_timeout_s=300.0,
    ),
)
