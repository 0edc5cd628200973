"""What operators come for, from the first click to the last, on a real farm."""

import re

from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import PHONES, Raising
from tests.browser.farm import BrowserFarm


async def click_tile(page: Page, index: int) -> None:
    """Click the tile of a device in a heatmap of one group without gaps."""
    canvas = page.get_by_test_id("heatmap").first
    columns = int(await canvas.get_attribute("data-columns") or 0)
    pitch = float(await canvas.get_attribute("data-pitch") or 0)
    at = index - 1
    await canvas.click(position={"x": (at % columns) * pitch + pitch / 3, "y": (at // columns) * pitch + pitch / 3})


async def test_a_preset_runs_a_phone_fails_and_says_why_and_its_retry_turns_green(
    page: Page, farm: BrowserFarm
) -> None:
    broken = 5
    # The app is up, but nobody who asks is told so.
    async with farm.faulty(broken, {"kind": "exit_code", "code": 1, "when": {"match": "pidof", "times": 9}}):
        await page.goto("/onboarding")
        with farm.still_phones():
            await page.get_by_role("button", name=re.compile("App smoke test")).click()

            await expect(page).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}"))
            await expect(page.get_by_role("heading", name="App smoke test")).to_be_visible()
            await expect(page.get_by_role("button", name=re.compile(r"running\s*[1-9]"))).to_be_visible(timeout=60_000)
        await expect(page.get_by_text("Done, with errors")).to_be_visible(timeout=90_000)
    await expect(page.get_by_test_id("percent")).to_have_text("100%")
    await expect(page.get_by_role("button", name=re.compile(rf"done\s*{PHONES - 1}$"))).to_be_visible()
    run_id = page.url.rpartition("/")[2]

    await click_tile(page, broken)
    await expect(page).to_have_url(re.compile(rf"device={broken}$"))
    drawer = page.get_by_role("complementary", name=f"Device {broken}")
    trouble = drawer.get_by_test_id("trouble")
    await expect(trouble.get_by_role("heading", name="A check did not hold")).to_be_visible()
    await expect(trouble).to_contain_text("Look at the last picture and the log")
    await expect(drawer.locator("[data-step=alive]")).to_have_attribute("data-status", "failed")

    await drawer.get_by_role("button", name="Retry this device").click()

    await expect(page).not_to_have_url(re.compile(run_id))
    await expect(page.get_by_role("link", name="retry of an earlier run")).to_have_attribute("href", f"/runs/{run_id}")
    await expect(page.get_by_text("Succeeded", exact=True)).to_be_visible(timeout=60_000)
    await expect(page.get_by_role("button", name=re.compile(r"done\s*1$"))).to_be_visible()
    await drawer.get_by_role("img", name=re.compile("Screen at")).first.click()
    shown = page.get_by_role("dialog").get_by_role("img")
    await expect(shown).to_be_visible()
    assert await shown.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100


async def test_a_device_tells_its_story(page: Page, farm: BrowserFarm) -> None:
    index = 9
    for mark in ("unset_mark", "corral_ready"):
        await farm.until_ended(await farm.run("prepare", indexes=[index]))
        run_id = await farm.run("readiness", name=f"Readiness of {mark}", indexes=[index], params={"mark": mark})
        await farm.until_ended(run_id)
    await page.goto(f"/devices?device={index}")
    drawer = page.get_by_role("complementary", name=f"Device {index}")
    history = drawer.get_by_role("region", name="History")
    health = drawer.get_by_role("region", name="Health")
    battery = health.get_by_role("img", name=re.compile(r"^Battery: between \d+ % and"))
    await expect(battery).to_be_visible(timeout=60_000)  # a phone that was busy is asked a little later
    await expect(health.get_by_role("img", name=re.compile(r"^Temperature: between"))).to_be_visible()

    await drawer.get_by_label("Reason for taking it out of service").fill("cracked glass")
    await drawer.get_by_role("button", name="Quarantine").click()
    await drawer.get_by_role("button", name="Release from quarantine").click()
    changes = health.get_by_role("list", name="Changes of its health").get_by_role("listitem")
    await expect(changes.nth(0)).to_contain_text("Back in service")
    await expect(changes.nth(1)).to_contain_text("cracked glass")
    await expect(changes.nth(1)).to_contain_text("local")

    await expect(history.get_by_role("link", name="Readiness of corral_ready")).to_be_visible()
    await history.get_by_label("Only failures").check()
    await expect(history.get_by_role("link", name="Readiness of corral_ready")).to_be_hidden()
    await expect(history.locator("[data-status=failed]").first).to_contain_text("A check did not hold")
    await history.get_by_role("link", name="Readiness of unset_mark").click()
    await expect(page).to_have_url(re.compile(rf"/runs/[0-9a-f-]+\?device={index}$"))


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


async def test_a_phones_screen_is_shown_live_while_somebody_looks(page: Page, farm: BrowserFarm) -> None:
    index = 11
    await page.goto(f"/devices?device={index}")
    drawer = page.get_by_role("complementary", name=f"Device {index}")
    screen = drawer.get_by_role("img", name="The phone's screen now")

    await expect(screen).to_be_visible()
    assert await screen.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    await expect(drawer.get_by_test_id("screen-age")).to_have_text(re.compile(r"live, \d s old"))
    first = await screen.get_attribute("src")
    await expect(screen).not_to_have_attribute("src", first or "")

    async with farm.faulty(
        index, {"kind": "screencap", "gives": "garbage", "when": {"match": "screencap", "times": 99}}
    ):
        await expect(drawer.get_by_text("The phone gives no picture")).to_be_visible()
        await expect(screen).to_be_hidden()
    await expect(screen).to_be_visible()

    await drawer.get_by_role("button", name="Close").click()
    watched: list[str] = []
    page.on("request", lambda request: watched.append(request.url) if request.url.endswith("/watch") else None)
    for _ in range(3):  # questions that go on, three seconds apart: a watch would have been asked for again meanwhile
        await page.wait_for_event("requestfinished", lambda request: "/api/devices?" in request.url)
    assert watched == []


async def test_a_step_is_given_more_time_within_its_bounds(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/runs/new?workflow=app-smoke-test&devices=2")
    await page.get_by_text("Time per step").click()
    field = page.get_by_label(re.compile("^Start"))
    start = page.get_by_role("button", name="Start on 1 device")

    await field.fill("500")
    await expect(page.get_by_text("At most 120 s: this step may have 5 to 120 s")).to_be_visible()
    await expect(start).to_be_disabled()
    await field.fill("77")
    await expect(page.get_by_text("1 step changed")).to_be_visible()
    async with page.expect_response(re.compile("/api/runs$")) as answered:
        await start.click()

    run = await (await answered.value).json()
    assert run["overrides"] == {"start": {"timeout_s": 77}}
    await farm.http.post(f"/api/runs/{run['run_id']}/cancel", json={})
    await farm.until_ended(run["run_id"])


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


async def test_a_scan_finds_new_phones(browser: Browser, raising: Raising) -> None:
    async with raising(phones=0) as farm:
        addresses = await farm.start_phones(2)
        await farm.start_node()
        context = await browser.new_context(base_url=farm.url, locale="en-US")
        page = await context.new_page()
        await page.goto("/devices")
        await expect(page.get_by_text("No phones yet")).to_be_visible()

        await page.get_by_role("button", name="By address").click()
        await page.get_by_label("Addresses").fill(", ".join(addresses))
        await page.get_by_role("button", name="Connect").click()

        await expect(page.get_by_text(re.compile("^Scan done"))).to_be_visible(timeout=60_000)
        await expect(page.get_by_role("button", name=re.compile(r"idle\s*2$"))).to_be_visible(timeout=60_000)
        await context.close()


async def test_everything_is_there_in_korean_and_stays_so(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/")
    await page.get_by_label("Language").select_option("ko")
    await expect(page.get_by_role("heading", name="대시보드")).to_be_visible()

    await page.get_by_role("link", name="실행", exact=True).click()

    await expect(page.get_by_role("link", name="새 실행")).to_be_visible()
    await page.reload()
    await expect(page.get_by_role("heading", name="실행")).to_be_visible()
    assert await page.locator("html").get_attribute("lang") == "ko"


async def test_a_server_with_a_token_lets_in_whoever_has_it(browser: Browser, raising: Raising) -> None:
    environment = {"CORRAL_AUTH_TOKEN": "a-long-operator-token", "NODE_AGENT_SHARED_SECRET": "a-long-node-secret"}
    async with raising(phones=0, environment=environment) as farm:
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
