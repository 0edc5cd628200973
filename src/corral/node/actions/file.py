"""Files to and from the device."""

from __future__ import annotations

import asyncio
import posixpath

from corral.node.actions.protocol import Action, Bench
from corral.node.actions.scratch import fingerprint, new_file, path_for_recipes
from corral.workflow.catalog.file import PullArgs, PullOutput, PushArgs, PushOutput


async def push(bench: Bench, args: PushArgs) -> PushOutput:
    """Copy an input file to the device; to a path that ends with a slash, under the file's own name."""
    source = await bench.fetch(args.file)
    path = args.path + posixpath.basename(args.file) if args.path.endswith("/") else args.path
    await bench.phone.push(source, path)
    print_ = await asyncio.to_thread(fingerprint, source)
    bench.log("info", f"copied {args.file} to {path} ({print_.size_bytes} bytes)")
    return PushOutput(sha256=print_.sha256, size_bytes=print_.size_bytes)


async def pull(bench: Bench, args: PullArgs) -> PullOutput:
    name = args.name or posixpath.basename(args.path)
    target = new_file(bench, name)
    await bench.phone.pull(args.path, target)
    print_ = await asyncio.to_thread(fingerprint, target)
    if args.upload:
        await bench.store(target, kind="file", name=target.name)
    return PullOutput(path=path_for_recipes(bench, target), sha256=print_.sha256, size_bytes=print_.size_bytes)


ACTIONS: dict[str, Action] = {"file.push": push, "file.pull": pull}
