"""From a pasted address to screenshots on the video's own page, on a farm whose YouTube is a loopback server."""

import re
from collections.abc import AsyncIterator
from typing import Literal
from urllib.parse import urlsplit

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import Raising
from tests.browser.farm import BrowserFarm
from tests.browser.test_accessibility import find_violations
from tests.content.fake_youtube import HANDLE, FakeYouTube, Reply, serving_youtube

PATIENCE = 30_000  # upkeep and the page each have their rhythm


@pytest_asyncio.fixture(scope="module")
async def youtube() -> AsyncIterator[FakeYouTube]:
    async with serving_youtube() as fake:
        fake.upload(3)
        yield fake


@pytest_asyncio.fixture(scope="module")
async def farm(raising: Raising, youtube: FakeYouTube) -> AsyncIterator[BrowserFarm]:
    """A farm of two phones; no other host than the fake one is ever asked for content."""
    environment = {"CORRAL_YOUTUBE_URL": youtube.url}
    async with raising(phones=2, environment=environment) as farm:
        yield farm


@pytest_asyncio.fixture
async def page(browser: Browser, farm: BrowserFarm) -> AsyncIterator[Page]:
    """A fresh page. At the end, nothing was thrown, and nothing asked of another host."""
    context = await browser.new_context(base_url=farm.url, viewport={"width": 1280, "height": 860}, locale="en-US")
    page = await context.new_page()
    page.set_default_timeout(20_000)
    thrown: list[str] = []
    hosts: set[str] = set()
    page.on("pageerror", lambda error: thrown.append(str(error)))
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    yield page
    await context.close()
    assert thrown == []
    assert hosts <= {urlsplit(farm.url).netloc, ""}


async def test_a_video_is_pasted_previewed_registered_run_and_seen(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/content")
    address = page.get_by_label("Address or id of a YouTube video")
    await address.fill("https://evil.example/watch?v=vid00000001")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_have_text("evil.example is not a host of YouTube's")

    await address.fill("https://youtu.be/vid00000001?t=42")
    await page.keyboard.press("Enter")
    preview = page.get_by_test_id("preview")
    await expect(preview).to_contain_text("Playback reel 1")
    picture = preview.locator("img")
    assert await picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 320

    await preview.get_by_role("button", name="Register").click()
    await expect(preview.get_by_role("status")).to_have_text("Registered")
    await expect(page.get_by_role("region", name="Videos").get_by_text("Playback reel 1")).to_be_visible()
    await preview.get_by_role("link", name="Open").click()

    await expect(page.get_by_role("heading", name="Playback reel 1")).to_be_visible()
    await expect(page.get_by_text("No run has taken a screenshot yet.")).to_be_visible()
    await page.get_by_role("link", name="Run on this").click()
    await page.get_by_label("Workflow").select_option("screenshot-sweep")
    await expect(page.get_by_role("link", name="About video vid00000001")).to_be_visible()
    await page.get_by_role("button", name="Start on 2 devices").click()
    await expect(page.get_by_text("Succeeded", exact=True)).to_be_visible(timeout=60_000)

    await page.get_by_role("link", name="About video vid00000001").click()
    shots = page.get_by_role("img", name=re.compile(r"Device [12] at"))
    await expect(shots).to_have_count(2)
    assert await shots.first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 100
    runs = page.get_by_role("region", name="Runs")
    await expect(runs.get_by_text("Succeeded")).to_be_visible()
    artifacts = (await farm.http.get("/api/artifacts", params={"kind": "screenshot"})).json()["artifacts"]
    assert {each["key"].split("/")[0] for each in artifacts} == {"vid00000001"}


async def test_a_channel_is_kept_in_sync_and_its_trouble_is_shown(
    page: Page, farm: BrowserFarm, youtube: FakeYouTube
) -> None:
    await page.goto("/content")
    channels = page.get_by_role("region", name="Channels")
    await channels.get_by_label("Channel: address, @handle or id").fill(f"@{HANDLE}")
    await channels.get_by_role("button", name="Add").click()
    await expect(channels.get_by_role("link", name="Signage Lab")).to_be_visible(timeout=PATIENCE)
    await expect(channels.get_by_text(re.compile("3 videos · synced"))).to_be_visible(timeout=PATIENCE)

    youtube.ail("/feeds/", Reply(404))
    await channels.get_by_role("button", name="Sync Signage Lab now").click()
    await expect(channels.get_by_text("YouTube has no feed of channel")).to_be_visible(timeout=PATIENCE)

    youtube.recover()
    youtube.upload(title="Lobby loop")
    await channels.get_by_role("button", name="Sync Signage Lab now").click()
    await expect(page.get_by_role("region", name="Videos").get_by_text("Lobby loop 4")).to_be_visible(timeout=PATIENCE)
    await expect(channels.get_by_text("YouTube has no feed of channel")).to_be_hidden(timeout=PATIENCE)

    await channels.get_by_role("button", name="Change what runs on new videos of Signage Lab").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Workflow").select_option("screenshot-sweep")
    await dialog.get_by_label("At most so many runs").fill("1")
    await dialog.get_by_role("button", name="Save").click()
    await expect(channels.get_by_text("Runs screenshot-sweep on each new video, at most 1 a day")).to_be_visible(
        timeout=PATIENCE
    )

    youtube.upload(title="Lobby loop")
    await channels.get_by_role("button", name="Sync Signage Lab now").click()
    row = page.get_by_role("region", name="Videos").get_by_role("link", name=re.compile("Lobby loop 5"))
    await expect(row).to_contain_text("1 run", timeout=PATIENCE)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/content", "/content/vid00000001", "/content/nosuchvideo"])
async def test_axe_finds_nothing_serious_on_content(
    page: Page, farm: BrowserFarm, path: str, scheme: Literal["light", "dark"]
) -> None:
    await farm.http.post("/api/contents", json={"url": "vid00000001"})
    await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    await page.goto(path)
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(page.get_by_role("status").filter(has_text="Loading")).to_have_count(0)

    assert await find_violations(page) == []


@pytest.mark.parametrize("path", ["/content", "/content/vid00000001"])
async def test_nothing_is_wider_than_a_phones_screen(page: Page, farm: BrowserFarm, path: str) -> None:
    await farm.http.post("/api/contents", json={"url": "vid00000001"})
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(path)
    await expect(page.get_by_role("heading", level=1)).to_be_visible()
    await expect(page.get_by_role("status").filter(has_text="Loading")).to_have_count(0)

    assert await page.evaluate("document.documentElement.scrollWidth") <= 390


async def test_content_is_there_in_korean(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/content")
    await page.get_by_label("Language").select_option("ko")

    await expect(page.get_by_role("heading", name="콘텐츠")).to_be_visible()
    await expect(page.get_by_role("button", name="미리 보기")).to_be_visible()
