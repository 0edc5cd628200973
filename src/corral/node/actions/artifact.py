"""Storing files of the node."""

from __future__ import annotations

from corral.node.actions.protocol import Action, Bench
from corral.node.actions.scratch import find_file
from corral.workflow.catalog.artifact import UploadArgs, UploadOutput


async def upload(bench: Bench, args: UploadArgs) -> UploadOutput:
    path = find_file(bench, args.path)
    stored = await bench.store(path, kind=args.kind, name=args.name or path.name)
    return UploadOutput(sha256=stored.sha256, size_bytes=stored.size_bytes)


ACTIONS: dict[str, Action] = {"artifact.upload": upload}
