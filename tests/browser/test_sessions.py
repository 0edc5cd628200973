"""Phones that are held: who holds them, and using one by mouse and keyboard, on a real farm."""

import re
from collections.abc import AsyncIterator
from typing import Any, Literal

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.browser.conftest import Raising
from tests.browser.farm import BrowserFarm
from tests.browser.test_accessibility import find_violations

HELD, NAMED = 14, 15
# What a picture shows, to be compared: pictures of the same screen differ in their addresses.
_PIXELS = """(image) => {
  const canvas = Object.assign(document.createElement('canvas'), { width: 90, height: 180 });
  canvas.getContext('2d').drawImage(image, 0, 30, image.naturalWidth, image.naturalHeight - 30, 0, 0, 90, 180);
  return canvas.toDataURL();
}"""


@pytest_asyncio.fixture(autouse=True)
async def afterwards(farm: BrowserFarm) -> AsyncIterator[None]:
    """Nobody holds anything when a test begins or ends: other tests need all phones."""
    yield
    for session in (await farm.http.get("/api/sessions")).json()["sessions"]:
        released = await farm.http.post(
            f"/api/sessions/{session['session_id']}/release", json={"reason": "the test is over"}
        )
        assert released.is_success, released.text


async def tag(farm: BrowserFarm, index: int, *tags: str) -> None:
    device = await farm.device(index)
    (await farm.http.patch(f"/api/devices/{device['device_id']}", json={"tags": list(tags)})).raise_for_status()


async def given_session(farm: BrowserFarm, **request: object) -> dict[str, Any]:
    answer = await farm.http.post("/api/sessions", json={"device": str(NAMED), "wait_s": 30, **request})
    assert answer.status_code == 201, answer.text
    session: dict[str, Any] = answer.json()
    return session


async def wait_for_change(picture: Locator, before: str) -> None:
    """Until the picture shows something else."""
    for _ in range(200):
        if await picture.evaluate(_PIXELS) != before:
            return
        await picture.page.wait_for_timeout(100)
    raise AssertionError("the screen stayed as it was")


async def test_a_phone_is_held_by_its_tags_used_by_mouse_and_keyboard_and_released(
    page: Page, farm: BrowserFarm
) -> None:
    await tag(farm, HELD, "holdable")
    await page.goto("/sessions")
    await expect(page.get_by_text("Nobody holds a phone")).to_be_visible()

    await page.get_by_role("button", name="Hold a phone").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text("holdable", exact=True).click()
    await expect(dialog.get_by_role("status")).to_contain_text("1 phone online matches")
    await dialog.get_by_label("What for").fill("reproduce a crash")
    await dialog.get_by_role("button", name="Hold it").click()

    await expect(page).to_have_url(re.compile(r"/sessions/[0-9a-f-]{36}$"))
    await expect(page.get_by_role("heading", name=f"Device {HELD}")).to_be_visible()
    await expect(page.get_by_text("Held by local (you) · reproduce a crash")).to_be_visible()
    picture = page.get_by_role("img", name="The phone's screen now")
    await expect(picture).to_be_visible()
    home = await picture.evaluate(_PIXELS)

    surface = page.get_by_test_id("surface")
    box = await surface.bounding_box()
    assert box is not None
    await surface.click(position={"x": box["width"] / 2, "y": box["height"] * 0.19})  # the second app of the list
    await wait_for_change(picture, home)
    app = await picture.evaluate(_PIXELS)

    await surface.focus()
    await page.keyboard.press("Escape")
    await wait_for_change(picture, app)
    assert await picture.evaluate(_PIXELS) == home
    await page.get_by_role("button", name="Home").click()
    await page.get_by_label("Text to type on the phone").fill("hello")
    await page.get_by_role("button", name="Type").click()
    await expect(page.get_by_label("Text to type on the phone")).to_have_value("")
    await expect(page.get_by_role("alert")).to_have_count(0)

    await page.get_by_role("button", name=f"Release: Device {HELD}").click()
    await expect(page.get_by_text("Its holder let the phone go.")).to_be_visible()
    await expect(picture).to_be_hidden()
    session = (await farm.http.get(f"/api/sessions/{page.url.rpartition('/')[2]}")).json()
    assert (session["state"], session["end_reason"]) == ("ended", "released")


async def test_a_held_phone_says_who_holds_it_and_is_held_from_its_drawer(page: Page, farm: BrowserFarm) -> None:
    await page.goto(f"/devices?device={NAMED}")
    drawer = page.get_by_role("complementary", name=f"Device {NAMED}")
    await drawer.get_by_role("button", name="Hold this phone").click()
    await expect(page.get_by_label("Number or serial")).to_have_value(str(NAMED))
    await page.get_by_role("dialog").get_by_role("button", name="Hold it").click()
    await expect(page.get_by_role("heading", name=f"Device {NAMED}")).to_be_visible()

    await page.get_by_role("link", name="The phone's health and history").click()
    await expect(drawer.get_by_test_id("held")).to_contain_text("Held by local")
    await expect(drawer.get_by_role("button", name="Hold this phone")).to_be_disabled()
    await drawer.get_by_role("link", name="See the session").click()
    await page.get_by_role("button", name=f"Renew: Device {NAMED}").click()
    await expect(page.get_by_test_id("time-left")).to_contain_text(re.compile("30 min|29 min"))


async def test_a_session_waits_for_a_phone_and_says_why(page: Page, farm: BrowserFarm) -> None:
    await tag(farm, NAMED, "only-one")
    first = await given_session(farm)
    assert first["state"] == "active"
    second = await given_session(farm, device=None, tags=["only-one"], wait_s=0)

    await page.goto(f"/sessions/{second['session_id']}")
    await expect(page.get_by_role("heading", name="Waiting for a phone")).to_be_visible()
    await expect(page.get_by_text("Every phone that would do is busy.")).to_be_visible()

    await farm.http.post(f"/api/sessions/{first['session_id']}/release", json={})
    await expect(page.get_by_role("heading", name=f"Device {NAMED}")).to_be_visible()
    await expect(page.get_by_role("img", name="The phone's screen now")).to_be_visible()


async def test_a_phone_that_somebody_else_holds_is_looked_at_and_taken_back(browser: Browser, raising: Raising) -> None:
    environment = {"CORRAL_AUTH_TOKEN": "a-long-operator-token", "NODE_AGENT_SHARED_SECRET": "a-long-node-secret"}
    async with raising(phones=0, environment=environment) as farm:
        farm.http.headers["authorization"] = "Bearer a-long-operator-token"
        await farm.start_node(await farm.start_phones(1))
        made = await farm.http.post("/api/operators", json={"name": "ada", "role": "operator"})
        as_ada = {"authorization": f"Bearer {made.json()['token']}"}
        body = {"device": "1", "wait_s": 30, "purpose": "all day long"}
        session = (await farm.http.post("/api/sessions", json=body, headers=as_ada)).json()
        assert (session["state"], session["holder"]) == ("active", "ada")
        context = await browser.new_context(base_url=farm.url, locale="en-US")
        page = await context.new_page()
        await page.goto("/sessions")
        await page.get_by_label("Token").fill("a-long-operator-token")
        await page.get_by_role("button", name="Sign in").click()

        await take_back(page, session["session_id"])

        ended = (await farm.http.get(f"/api/sessions/{session['session_id']}")).json()
        assert (ended["end_reason"], ended["end_message"]) == ("forced", "needed for the release")
        await page.goto("/sessions?state=all")
        await expect(page.get_by_role("row").filter(has_text="ada")).to_contain_text("needed for the release")
        await context.close()


async def take_back(page: Page, session_id: str) -> None:
    row = page.locator(f"[data-session='{session_id}']")
    await expect(row).to_contain_text("all day long")
    await expect(row).to_contain_text("ada")
    await expect(row.get_by_role("button", name="Renew")).to_have_count(0)
    await row.get_by_role("link", name="Device 1").click()
    await expect(page.get_by_role("img", name="The phone's screen now")).to_be_visible()
    await expect(page.get_by_text("Only its holder can use the phone; others may look.")).to_be_visible()
    await expect(page.get_by_test_id("surface")).to_have_count(0)

    await page.get_by_role("button", name="Take back: Device 1").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Take Device 1 back from ada?")
    await dialog.get_by_label("Reason").fill("needed for the release")
    await dialog.get_by_role("button", name="Take it back").click()
    ended = page.get_by_role("status").filter(has_text="Somebody else ended it.")
    await expect(ended).to_contain_text("needed for the release")


@pytest.mark.parametrize(("scheme", "language"), [("light", "en"), ("dark", "ko")])
@pytest.mark.parametrize("width", [390, 1280])
async def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_window(
    page: Page, farm: BrowserFarm, width: int, scheme: Literal["light", "dark"], language: str
) -> None:
    session = await given_session(farm, purpose="a look at everything")
    await page.add_init_script(f"localStorage.setItem('corral.language', '{language}')")
    await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    await page.set_viewport_size({"width": width, "height": 844})
    for path in ("/sessions?state=all", f"/sessions/{session['session_id']}"):
        await page.goto(path)
        await expect(page.locator("[data-state=active]").first).to_be_visible()
        if path.startswith("/sessions/"):
            await expect(page.get_by_test_id("surface")).to_be_visible()
        assert (path, await find_violations(page)) == (path, [])
        assert await page.evaluate("document.documentElement.scrollWidth") <= width
