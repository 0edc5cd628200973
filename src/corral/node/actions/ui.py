"""Actions that read the screen's contents."""

from __future__ import annotations

from corral.model.errors import ActionFailedError
from corral.node.actions.hierarchy import find_texts, matcher
from corral.node.actions.input_ import tap_point
from corral.node.actions.protocol import Action, Bench
from corral.node.actions.screen import Look, find_text, look
from corral.node.actions.waiting import Patience
from corral.workflow.catalog.ui import TapTextArgs, TapTextOutput, WaitTextArgs, WaitTextOutput


async def wait_text(bench: Bench, args: WaitTextArgs) -> WaitTextOutput:
    """Look until the text is there, or is gone. A screen that cannot be read proves neither. The step's timeout ends it."""
    fits = matcher(args.text, args.match)
    patience, trouble = Patience(), None
    while True:
        seen = await look(bench.phone)
        word = next((word for _, word in find_texts(seen.elements, fits)), None)
        if seen.trouble is None and (word is None) == args.absent:
            return WaitTextOutput(text=word, waited_s=round(patience.waited_s, 3))
        if seen.trouble != trouble:
            trouble = seen.trouble
            bench.log("debug", str(seen))
        await patience.pause(args.poll_s)


async def tap_text(bench: Bench, args: TapTextArgs) -> TapTextOutput:
    found = await find_text(bench.phone, matcher(args.text, args.match), index=args.index, wait_s=args.wait_s)
    if isinstance(found, Look):
        which = f"'{args.text}'" if args.index == 0 else f"number {args.index} of '{args.text}'"
        raise ActionFailedError(f"{which} did not appear within {args.wait_s:g} s; {found}")
    x, y = found.centre
    await tap_point(bench.phone, x, y)
    return TapTextOutput(x=x, y=y)


ACTIONS: dict[str, Action] = {"ui.wait_text": wait_text, "ui.tap_text": tap_text}
