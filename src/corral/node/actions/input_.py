"""Touch, text and keys."""

from __future__ import annotations

from corral.drivers.protocol import Phone
from corral.model.errors import ActionFailedError
from corral.node.actions.commands import run_tool
from corral.node.actions.keyboard import press, type_text
from corral.node.actions.protocol import Action, Bench
from corral.node.actions.screen import read_size
from corral.workflow.catalog.input_ import KeyArgs, SwipeArgs, TapArgs, TextArgs, Unit

_WHOLE = 100.0


async def tap(bench: Bench, args: TapArgs) -> None:
    (point,) = await _in_pixels(bench.phone, args.unit, (args.x, args.y))
    await tap_point(bench.phone, *point)


async def tap_point(phone: Phone, x: float, y: float) -> None:
    """Tap, in pixels."""
    await run_tool(phone, "input", "tap", str(round(x)), str(round(y)))


async def swipe(bench: Bench, args: SwipeArgs) -> None:
    points = await _in_pixels(bench.phone, args.unit, (args.from_x, args.from_y), (args.to_x, args.to_y))
    pixels = [str(round(each)) for point in points for each in point]
    await run_tool(bench.phone, "input", "swipe", *pixels, str(args.duration_ms))


async def text(bench: Bench, args: TextArgs) -> None:
    await type_text(bench.phone, args.text)
    if args.submit:
        await press(bench.phone, "KEYCODE_ENTER")


async def key(bench: Bench, args: KeyArgs) -> None:
    await press(bench.phone, *[key_code(args.key)] * args.times)


def key_code(name: str) -> str:
    """What `input keyevent` takes: a number as it is, a name with its prefix."""
    upper = name.upper()
    return upper if upper.isdigit() or upper.startswith("KEYCODE_") else f"KEYCODE_{upper}"


async def _in_pixels(phone: Phone, unit: Unit, *points: tuple[float, float]) -> list[tuple[float, float]]:
    if unit == "px":
        return list(points)
    if beyond := next((each for point in points for each in point if each > _WHOLE), None):
        raise ActionFailedError(f"{beyond:g} percent is beyond the screen", path="with.unit")
    size = await read_size(phone)
    return [(x / _WHOLE * (size.width - 1), y / _WHOLE * (size.height - 1)) for x, y in points]


ACTIONS: dict[str, Action] = {"input.tap": tap, "input.swipe": swipe, "input.text": text, "input.key": key}
