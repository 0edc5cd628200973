"""What axe finds on every page, in light and in dark."""

from pathlib import Path
from typing import Any, Literal

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.farm import BrowserFarm

AXE = Path(__file__).parents[2] / "ui" / "node_modules" / "axe-core" / "axe.min.js"
PAGES = [
    "/",
    "/runs",
    "/runs/new",
    "/runs/{run}",
    "/runs/{run}?device=3",
    "/devices",
    "/devices?device=3",
    "/sessions",
    "/channels",
    "/onboarding",
]


async def find_violations(page: Page) -> list[str]:
    await page.evaluate(AXE.read_text(encoding="utf-8"))
    report: dict[str, Any] = await page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        f"{each['id']}: {node['html'][:200]}"
        for each in report["violations"]
        if each["impact"] in {"serious", "critical"}
        for node in each["nodes"]
    ]


@pytest_asyncio.fixture(scope="module")
async def ended_run(farm: BrowserFarm) -> str:
    run_id = await farm.run("prepare", name="For everybody", indexes=[[1, 6]])
    await farm.until_ended(run_id)
    return run_id


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
async def test_axe_finds_nothing_serious(
    page: Page, ended_run: str, path: str, scheme: Literal["light", "dark"]
) -> None:
    await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    await page.goto(path.format(run=ended_run))
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    if "device=" in path:
        await expect(page.get_by_role("complementary", name="Device 3")).to_be_visible()

    assert await find_violations(page) == []
