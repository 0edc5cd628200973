"""Storing files of the node."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from corral.workflow.action_spec import ANYWHERE, ActionSpec, Args, Output
from corral.workflow.catalog.fields import FileName, NodePath


class UploadArgs(Args, frozen=True, kw_only=True):
    path: NodePath
    kind: Annotated[Literal["screenshot", "log", "file"], Meta(description="How views show it.")] = "file"
    name: FileName | None = None


class UploadOutput(Output, frozen=True, kw_only=True):
    sha256: str
    size_bytes: int


ACTIONS = (
    ActionSpec(
        name="artifact.upload",
        summary="Store a file that an earlier step left on the node.",
        args=UploadArgs,
        output=UploadOutput,
        modes=ANYWHERE,
        repeatable=True,
        uploads=True,
    ),
)
