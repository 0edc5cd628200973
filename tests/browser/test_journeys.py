"""What operators come for, from the first click to the last, on a real farm."""

import re
import tempfile
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import PHONES
from tests.browser.farm import BrowserFarm, raise_browser_farm

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def click_tile(page: Page, index: int) -> None:
    """Click the tile of a device in a heatmap of one group without gaps."""
    canvas = page.get_by_test_id("heatmap").first
    columns = int(await canvas.get_attribute("data-columns") or 0)
    pitch = float(await canvas.get_attribute("data-pitch") or 0)
    at = index - 1
    await canvas.click(position={"x": (at % columns) * pitch + pitch / 3, "y": (at // columns) * pitch + pitch / 3})


async def test_a_preset_runs_in_one_click_and_its_tiles_turn(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/onboarding")

    await page.get_by_role("button", name=re.compile("Screenshot sweep")).click()

    await expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}"))
    await expect(page.get_by_role("heading", name="Screenshot sweep")).to_be_visible()
    await expect(page.get_by_text("Succeeded")).to_be_visible(timeout=60_000)
    await expect(page.get_by_test_id("percent")).to_have_text("100%")
    await expect(page.get_by_role("button", name=re.compile(rf"done\s*{PHONES}"))).to_be_visible()
    await page.get_by_role("img", name=re.compile(r"Device \d+ at")).first.click()
    shown = page.get_by_role("dialog").get_by_role("img")
    await expect(shown).to_be_visible()
    assert await shown.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100


async def test_a_failed_phone_says_why_and_its_retry_turns_green(page: Page, farm: BrowserFarm) -> None:
    broken, params = 5, {"mark": "morning_mark"}
    ready = await farm.run("prepare", indexes=[[1, broken - 1], [broken + 1, PHONES]], params=params)
    await farm.until_ended(ready)
    run_id = await farm.run("readiness", name="Morning readiness", params=params)
    await farm.until_ended(run_id)

    await page.goto(f"/runs/{run_id}")
    await expect(page.get_by_text("Done, with errors")).to_be_visible()
    await click_tile(page, broken)

    await expect(page).to_have_url(re.compile(rf"device={broken}$"))
    drawer = page.get_by_role("complementary", name=f"Device {broken}")
    trouble = drawer.get_by_test_id("trouble")
    await expect(trouble.get_by_role("heading", name="A check did not hold")).to_be_visible()
    await expect(trouble).to_contain_text("Look at the last picture and the log")
    await expect(drawer.locator("[data-step=ready]")).to_have_attribute("data-status", "failed")

    await farm.until_ended(await farm.run("prepare", indexes=[broken], params=params))
    await drawer.get_by_role("button", name="Retry this device").click()

    await expect(page).not_to_have_url(re.compile(run_id))
    await expect(page.get_by_role("link", name="retry of an earlier run")).to_have_attribute("href", f"/runs/{run_id}")
    await expect(page.get_by_text("Succeeded", exact=True)).to_be_visible(timeout=60_000)
    await expect(page.get_by_role("button", name=re.compile(r"done\s*1$"))).to_be_visible()


async def test_the_page_says_when_the_server_is_away_and_recovers_by_itself(page: Page, farm: BrowserFarm) -> None:
    run_id = await farm.run("slow", name="Through an outage")
    await page.goto(f"/runs/{run_id}")
    await expect(page.get_by_text("Running", exact=True)).to_be_visible()

    await farm.stop_server()
    banner = page.get_by_text("The server is away.")
    await expect(banner).to_be_visible()
    await expect(page.get_by_text(re.compile(r"What you see is \d+ s old"))).to_be_visible()
    await expect(page.get_by_role("heading", name="Through an outage")).to_be_visible()

    await farm.start_server()
    await expect(banner).to_be_hidden(timeout=30_000)
    await expect(page.get_by_text("Succeeded", exact=True)).to_be_visible(timeout=90_000)


async def test_a_run_is_asked_for_on_devices_chosen_on_the_heatmap(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/runs/new?workflow=prepare")
    await page.get_by_text("On the heatmap").click()
    canvas = page.get_by_test_id("heatmap")
    pitch = float(await canvas.get_attribute("data-pitch") or 0)
    top = 30  # the group's heading
    await canvas.click(position={"x": pitch / 3, "y": top + pitch / 3})
    await canvas.click(position={"x": 2 * pitch + pitch / 3, "y": top + pitch / 3}, modifiers=["Shift"])

    await page.get_by_label("Name").fill("Three of them")
    await page.get_by_role("button", name="Start on 3 devices").click()

    await expect(page.get_by_role("heading", name="Three of them")).to_be_visible()
    await expect(page.get_by_role("button", name=re.compile(r"done\s*3"))).to_be_visible(timeout=60_000)


async def test_devices_are_quarantined_and_released_together(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/devices")
    heatmap = page.get_by_role("application")
    await heatmap.focus()
    await page.keyboard.press("End")
    await page.keyboard.press("Shift+ArrowLeft")
    await expect(page.get_by_text("2 devices chosen")).to_be_visible()

    await page.get_by_role("button", name="Quarantine", exact=True).click()
    await page.get_by_label("Reason").fill("swollen battery")
    await page.get_by_role("dialog").get_by_role("button", name="Quarantine", exact=True).click()
    await expect(page.get_by_role("button", name=re.compile(r"quarantined\s*2"))).to_be_visible()

    await page.get_by_role("button", name="Release 2").click()
    await page.get_by_role("dialog").get_by_role("button", name="Release").click()
    await expect(page.get_by_role("button", name=re.compile(r"quarantined\s*0"))).to_be_visible()


async def test_a_scan_says_what_nodes_saw(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/devices")

    await page.get_by_role("button", name="Scan").click()

    await expect(page.get_by_text(f"Scan done: {PHONES} phones seen")).to_be_visible(timeout=60_000)


async def test_everything_is_there_in_korean_and_stays_so(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/")
    await page.get_by_label("Language").select_option("ko")
    await expect(page.get_by_role("heading", name="대시보드")).to_be_visible()

    await page.get_by_role("link", name="실행", exact=True).click()

    await expect(page.get_by_role("link", name="새 실행")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("heading", name="실행")).to_be_visible()
    assert await page.locator("html").get_attribute("lang") == "ko"


async def test_a_server_with_a_token_lets_in_whoever_has_it(browser: Browser) -> None:
    environment = {"CORRAL_AUTH_TOKEN": "a-long-operator-token", "NODE_AGENT_SHARED_SECRET": "a-long-node-secret"}
    with tempfile.TemporaryDirectory(prefix="corral-") as directory:
        async with raise_browser_farm(Path(directory), phones=0, environment=environment) as farm:
            context = await browser.new_context(base_url=farm.url, locale="en-US")
            page = await context.new_page()
            await page.goto("/devices")
            token = page.get_by_label("Token")
            await token.fill("something-else")
            await page.get_by_role("button", name="Sign in").click()
            await expect(page.get_by_text("The server does not know this token.")).to_be_visible()

            await token.fill("a-long-operator-token")
            await page.get_by_role("button", name="Sign in").click()
            await expect(page.get_by_role("heading", name="Devices")).to_be_visible()
            assert await page.evaluate("document.cookie") == ""
            await page.reload()
            await expect(page.get_by_role("heading", name="Devices")).to_be_visible()

            await page.get_by_role("button", name="Sign out").click()
            await expect(page.get_by_label("Token")).to_be_visible()
            await context.close()
