"""Pictures of every page for the documents: `python -m tests.browser.pictures [--folder F] [name …]`, by default docs/images.

A farm of simulated phones is brought into a state worth looking at, the same one every time, and each page is taken in
light or dark, wide or narrow. Look at them before they are committed.
"""

import argparse
import asyncio
import base64
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
from playwright.async_api import Browser, Page, async_playwright

from tests.browser.chromium import FLAGS, find_chromium
from tests.browser.farm import BrowserFarm, raise_browser_farm
from tests.browser.suites import PHONES as SUITE_PHONES
from tests.browser.suites import Lab, given_suite

FOLDER = Path(__file__).parents[2] / "docs" / "images"
PHONES = 48
BROKEN = (7, 23, 41)
QUARANTINED = 12
SHOWN = 23
HELD = (("30", "reproduce a crash"), ("31", "look at the new launcher"))
WIDE, NARROW = 1280, 390
SUITE = "suite"
SOAK = (("Open the app", 2), ("Scroll the feed", 5), ("Play a video", 12), ("Leave and return", 4))
_GO_TO = """(element) => {
  if (element.localName === 'summary') element.click();
  element.scrollIntoView({ block: element.localName === 'summary' ? 'start' : 'nearest' });
}"""
# A lazy picture out of sight is never decoded.
_DECODED = """() => Promise.all(
  [...document.images].filter((image) => image.loading !== 'lazy').map((image) => image.decode().catch(() => null))
)"""
# A browser packs pictures smaller than it takes them.
_PACK = """async (picture) => {
  const image = Object.assign(new Image(), { src: `data:image/png;base64,${picture}` });
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/webp', 0.88);
}"""


class Shot(NamedTuple):
    """A page, how it is to be seen, and what to wait for before it is taken."""

    name: str
    path: str
    scheme: Literal["light", "dark"]
    width: int = WIDE
    waits_for: str = "h1"
    goes_to: str = ""
    """What to bring into view first; a summary is opened, too."""

    @property
    def file(self) -> str:
        return f"{self.name}-{self.scheme}-{self.width}.webp"


def list_shots(*, ended: str, going: str, held: str) -> list[Shot]:
    """Every page of the farm."""
    drawer = "[data-testid=screen] img"
    pages = [
        ("monitor", f"/runs/{going}", "[data-testid=heatmap]"),
        ("dashboard", "/", "h1"),
        ("runs", "/runs", "table"),
        ("new", "/runs/new?workflow=app-smoke-test&devices=1-40", "form"),
        ("timeouts", "/runs/new?workflow=app-smoke-test&devices=1-40", "form", "summary"),
        ("failed", f"/runs/{ended}?device={SHOWN}", "[data-testid=trouble]"),
        ("devices", "/devices", "[data-testid=heatmap]"),
        ("details", f"/devices?device={SHOWN}", drawer),
        ("history", f"/devices?device={SHOWN}", "[data-job]", "section[aria-label=History]"),
        ("onboarding", "/onboarding", "h3"),
        ("sessions", "/sessions", "table"),
        ("held", f"/sessions/{held}", "[data-testid=screen] img"),
    ]
    return in_every_look(pages)


def in_every_look(pages: Sequence[tuple[str, ...]]) -> list[Shot]:
    """In light and in dark, and narrow in one of them."""
    looks: list[tuple[Literal["light", "dark"], int]] = [("light", WIDE), ("dark", WIDE), ("light", NARROW)]
    return [Shot(name, path, scheme, width, *rest) for scheme, width in looks for name, path, *rest in pages]


async def prepare(farm: BrowserFarm) -> dict[str, str]:
    """A farm with a past: a run with failures, quarantined phones, phones that are held, and one run that goes on. Their ids."""
    ready = [index for index in range(1, PHONES + 1) if index not in BROKEN]
    await farm.until_ended(await farm.run("prepare", name="Prepare", indexes=ready))
    await farm.until_ended(await farm.run("screenshot-sweep", name="Screenshot sweep"))
    ended = await farm.run("readiness", name="Morning readiness")
    await farm.until_ended(ended)
    device = await farm.device(QUARANTINED)
    change = {"health": "quarantined", "health_reason": "swollen battery, to be replaced"}
    await farm.http.patch(f"/api/devices/{device['device_id']}", json=change)
    shown = (await farm.device(SHOWN))["device_id"]
    await farm.http.patch(f"/api/devices/{shown}", json={"label": "rack 2, top", "tags": ["pixel", "nightly"]})
    for change in ({"health": "quarantined", "health_reason": "cable was loose"}, {"health": "ok"}):
        await farm.http.patch(f"/api/devices/{shown}", json=change)
    steps = [
        {"id": f"step_{number}", "title": title, "uses": "flow.sleep", "with": {"duration_s": seconds}}
        for number, (title, seconds) in enumerate(SOAK)
    ]
    await farm.store(msgspec.json.encode({"name": "soak-slow", "title": "Soak", "steps": steps}).decode())
    held = ""
    for number, purpose in HELD:
        answer = await farm.http.post("/api/sessions", json={"device": number, "purpose": purpose, "wait_s": 30})
        held = answer.raise_for_status().json()["session_id"]
    going = await farm.run("soak-slow", name="Nightly soak")
    while (await farm.http.get(f"/api/runs/{going}")).json()["run"]["counts"]["done"] < PHONES // 4:  # noqa: ASYNC110 - another process has no event to wait for
        await asyncio.sleep(0.2)
    return {"ended": ended, "going": going, "held": held}


async def take(page: Page, shot: Shot, folder: Path) -> None:
    await page.emulate_media(color_scheme=shot.scheme, reduced_motion="reduce")
    await page.goto(shot.path)
    await page.locator(shot.waits_for).first.wait_for()
    await page.evaluate(_DECODED)
    if shot.goes_to:
        await page.locator(shot.goes_to).first.evaluate(_GO_TO)
    picture = await page.screenshot()
    packed: str = await page.evaluate(_PACK, base64.b64encode(picture).decode())
    (folder / shot.file).write_bytes(base64.b64decode(packed.partition(",")[2]))
    print(shot.file, (folder / shot.file).stat().st_size, flush=True)  # noqa: T201 - whoever runs it reads it


@asynccontextmanager
async def opened(browser: Browser, farm: BrowserFarm, width: int) -> AsyncIterator[Page]:
    height = 800 if width == WIDE else 780
    context = await browser.new_context(
        base_url=farm.url, viewport={"width": width, "height": height}, locale="en-US", timezone_id="UTC"
    )
    yield await context.new_page()
    await context.close()


async def take_farm(browser: Browser, wanted: set[str], folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="corral-") as directory:
        async with raise_browser_farm(Path(directory), phones=PHONES) as farm:
            await take_all(
                browser, farm, [each for each in list_shots(**await prepare(farm)) if each.name in wanted], folder
            )


async def take_suite(browser: Browser, folder: Path) -> None:
    """Of a farm of its own: its phones only say what they are told to."""
    with tempfile.TemporaryDirectory(prefix="corral-") as directory:
        async with raise_browser_farm(Path(directory), phones=0) as farm:
            lab = Lab(farm.http)
            await lab.begin(*(f"LAB{number}" for number in range(1, SUITE_PHONES + 1)))
            run = await given_suite(lab, "Nightly suite")
            await take_all(
                browser, farm, in_every_look([(SUITE, f"/runs/{run}?tab=tests", "[data-testid=matrix]")]), folder
            )


async def take_all(browser: Browser, farm: BrowserFarm, shots: Sequence[Shot], folder: Path) -> None:
    async with opened(browser, farm, WIDE) as wide, opened(browser, farm, NARROW) as narrow:
        for shot in shots:
            await take(wide if shot.width == WIDE else narrow, shot, folder)


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.browser.pictures", description=__doc__)
    names = {each.name for each in list_shots(ended="", going="", held="")}
    parser.add_argument("names", nargs="*", help=f"which of {', '.join(sorted(names | {SUITE}))}; all, unless named")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    options = parser.parse_args()
    wanted = set(options.names) or names | {SUITE}
    if unknown := wanted - names - {SUITE}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        if wanted & names:
            await take_farm(browser, wanted, options.folder)
        if SUITE in wanted:
            await take_suite(browser, options.folder)
        await browser.close()


if __name__ == "__main__":
    asyncio.run(main())
