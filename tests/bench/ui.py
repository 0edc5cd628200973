"""What the web UI promises, measured in a real Chromium on a real server: `make bench-ui`.

Devices and runs are made in the database, for a browser cannot tell; pages, data and updates are what operators get.
"""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from statistics import median

import msgspec
import uvloop
from playwright.async_api import Browser, Page, Route, async_playwright

from corral.api.pages import load_pages
from corral.engine import Engine
from corral.engine.embedded import EmbeddedPostgres
from tests.api.client import AS_OPERATOR
from tests.api.process import running
from tests.bench.databases import made_engine
from tests.bench.report import Check, print_checks
from tests.browser.chromium import FLAGS, find_chromium
from tests.engine.farm import Farm, SimulatedNode
from tests.engine.load import analyze, load_farm

DEVICES_PER_NODE = 100
MOST_PAINT_S = 1.5
MOST_BUSY_MS = 50.0
MOST_SCRIPT_BYTES = 350_000
CHANGED = 500
_ROUNDS = 5
# Resolves at the first frame after the tiles were drawn, to the time since the navigation began.
_PAINTED = """() => new Promise((resolve) => {
  const look = () => {
    const canvas = document.querySelector('[data-testid=heatmap]');
    const isDrawn = canvas && canvas.width > 300 && Number(canvas.dataset.columns) > 0;
    if (isDrawn) requestAnimationFrame(() => resolve(performance.now()));
    else requestAnimationFrame(look);
  };
  look();
})"""
_TASKS = {"RunTask", "ThreadControllerImpl::RunTask"}
_SHOWS = "(text) => document.querySelector('[role=application]').ariaLabel.includes(text)"
_SETTLED = "() => new Promise((resolve) => requestIdleCallback(() => requestIdleCallback(resolve)))"


class Event(msgspec.Struct):
    """One event of a trace, as far as it is looked at; times are in microseconds."""

    name: str = ""
    ph: str = ""
    pid: int = 0
    tid: int = 0
    ts: float = 0
    dur: float = 0
    tdur: float = 0
    args: dict[str, object] = {}


class Trace(msgspec.Struct):
    traceEvents: list[Event]  # noqa: N815 - Chromium's own name


@asynccontextmanager
async def opened(browser: Browser, url: str) -> AsyncIterator[Page]:
    """A page with nothing in its cache, signed in."""
    context = await browser.new_context(
        base_url=url, viewport={"width": 1280, "height": 860}, extra_http_headers=AS_OPERATOR, locale="en-US"
    )
    yield await context.new_page()
    await context.close()


async def check_first_paint(engine: Engine, browser: Browser, url: str, *, devices: int) -> Check:
    """From the address to the drawn heatmap of a run, from a cold cache; the median of some rounds."""
    run_id = await given_run(engine, devices=devices)
    found: list[float] = []
    for number in range(1, _ROUNDS + 1):
        async with opened(browser, url) as page:
            await page.goto(f"/runs/{run_id}", wait_until="commit")
            found.append(await page.evaluate(_PAINTED) / 1000)
        print(f"  round {number}: drawn after {found[-1]:.2f} s", flush=True)
    paint_s = median(found)
    return Check(
        name=f"first useful paint of /runs/:id with {devices:,} devices, cold cache",
        found=f"{paint_s:.2f} s",
        target=f"< {MOST_PAINT_S} s",
        is_kept=paint_s < MOST_PAINT_S,
    )


async def check_update(engine: Engine, browser: Browser, url: str, *, devices: int) -> Check:
    """How long the page's main thread is kept from the reader by an update in which many tiles turned."""
    run_id = await given_run(engine, devices=devices)
    found: list[float] = []
    async with opened(browser, url) as page:
        await page.goto(f"/runs/{run_id}")
        await page.evaluate(_PAINTED)
        for number in range(1, _ROUNDS + 1):
            async with held_back(page, run_id):
                await turn_tiles(engine, round_no=number)
                await page.evaluate(_SETTLED)
                await browser.start_tracing(page=page, categories=["devtools.timeline", "toplevel", "__metadata"])
            await page.wait_for_function(_SHOWS, arg=f"{number * CHANGED:,} running")
            await page.evaluate(_SETTLED)
            longest, total = busy_ms(await browser.stop_tracing())
            found.append(longest)
            print(f"  round {number}: longest task {longest:.1f} ms, {total:.1f} ms in all", flush=True)
    busy = median(found)
    return Check(
        name=f"main thread at a stretch, {CHANGED} of {devices:,} tiles turned",
        found=f"{busy:.1f} ms",
        target=f"< {MOST_BUSY_MS:.0f} ms",
        is_kept=busy < MOST_BUSY_MS,
    )


@asynccontextmanager
async def held_back(page: Page, run_id: str) -> AsyncIterator[None]:
    """Let the page wait for its next answer until the block ends, so that one answer has everything that happened in it."""
    asked, told, gone = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def hold(route: Route) -> None:
        asked.set()
        await told.wait()
        await route.continue_()
        gone.set()

    await page.route(re.compile(run_id), hold)
    await asked.wait()
    yield
    told.set()
    await gone.wait()
    await page.unroute(re.compile(run_id), hold)


def check_scripts() -> Check:
    """All scripts together, as they go over the wire."""
    pages = load_pages()
    size = sum(len(page.bodies.get("gzip", page.bodies[""])) for path, page in pages.items() if path.endswith(".js"))
    return Check(
        name="all scripts, gzipped",
        found=f"{size / 1000:.0f} kB",
        target=f"< {MOST_SCRIPT_BYTES / 1000:.0f} kB",
        is_kept=0 < size < MOST_SCRIPT_BYTES,
    )


async def given_run(engine: Engine, *, devices: int) -> str:
    """A run on so many devices; those that the farm has yet are all of them."""
    present = len(await engine.devices.list(limit=devices + 1))
    if present != devices:
        raise RuntimeError(f"the farm has {present} devices, not {devices}")
    steps = [{"id": f"step_{number}", "uses": "flow.sleep", "with": {"duration_s": 1}} for number in range(6)]
    workflow = await engine.workflows.create_workflow("bench", {"name": "bench", "steps": steps})
    run = await engine.runs.create_run(workflow.workflow_id, {"target": {"all": True}, "name": "Bench"})
    return str(run.run_id)


async def turn_tiles(engine: Engine, *, round_no: int) -> None:
    """Start jobs on many devices at once."""
    farm, per_node = Farm(engine), 20
    for place in range(CHANGED // per_node):
        node_no = (round_no - 1) * (CHANGED // per_node) % 100 + place + 1
        node = SimulatedNode(farm, f"node-{node_no}", epoch=1, state_id=None)
        await node.start(*await node.pull(per_node))


def busy_ms(trace: bytes) -> tuple[float, float]:
    """The longest task of the page's main thread, and all of them together: its own time, whoever else wants the machine."""
    events = msgspec.json.decode(trace, type=Trace).traceEvents
    names = {(each.pid, each.tid): each.args.get("name") for each in events if each.name == "thread_name"}
    tasks: dict[tuple[int, int], list[float]] = {}
    for each in events:
        thread = (each.pid, each.tid)
        if each.ph == "X" and each.name in _TASKS and names.get(thread) == "CrRendererMain":
            tasks.setdefault(thread, []).append((each.tdur or each.dur) / 1000)
    busiest = max(tasks.values(), key=sum)
    return max(busiest), sum(busiest)


async def measure() -> list[Check]:
    path = find_chromium()
    if path is None:
        raise RuntimeError("no Chromium: make browser")
    checks = [check_scripts()]
    async with EmbeddedPostgres.ephemeral(durable=True) as postgres, async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        for devices, check in ((1_000, check_first_paint), (10_000, check_update)):
            print(check.__name__.removeprefix("check_"), flush=True)
            async with made_engine(postgres.dsn, f"ui_{devices}") as engine:
                await load_farm(engine, nodes=devices // DEVICES_PER_NODE, devices_per_node=DEVICES_PER_NODE)
                await analyze(engine)
                async with running("--database-url", engine.database.dsn, is_warm=False) as server:
                    checks.append(await check(engine, browser, server.url, devices=devices))
        await browser.close()
    return checks


def main() -> int:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        checks = runner.run(measure())
    print_checks(checks)
    return 0 if all(check.is_kept for check in checks) else 1


if __name__ == "__main__":
    sys.exit(main())
