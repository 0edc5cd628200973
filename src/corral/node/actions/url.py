"""Opening addresses on the device."""

from __future__ import annotations

from corral.node.actions.activities import start_activity
from corral.node.actions.protocol import Action, Bench
from corral.workflow.catalog.url import OpenArgs


async def open_url(bench: Bench, args: OpenArgs) -> None:
    app = ["-p", args.package] if args.package else []
    started = await start_activity(bench.phone, "-a", "android.intent.action.VIEW", "-d", args.url, *app)
    if started.warning:
        bench.log("info", started.warning)


ACTIONS: dict[str, Action] = {"url.open": open_url}
