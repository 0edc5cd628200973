"""Schedules and notifications, from the first click to the last, on a real server."""

import re
from collections.abc import AsyncIterator
from typing import Literal

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.api.receiver import answering, receiving
from tests.browser.conftest import Raising
from tests.browser.farm import CHECK, SLOW, BrowserFarm
from tests.browser.test_accessibility import find_violations

SECRETIVE = """
name: login
title: Login
params: {password: {type: string, secret: true}}
steps: [{id: look, uses: device.screenshot}]
"""


@pytest_asyncio.fixture(scope="module")
async def office(raising: Raising) -> AsyncIterator[BrowserFarm]:
    """A server without phones, whose webhooks may lead to this machine."""
    allowed = {"CORRAL_WEBHOOK_ALLOW_PRIVATE": "true"}
    async with raising(phones=0, environment=allowed) as farm:
        await farm.store(CHECK, SLOW, SECRETIVE)
        yield farm


@pytest_asyncio.fixture
async def desk(browser: Browser, office: BrowserFarm) -> AsyncIterator[Page]:
    context = await browser.new_context(
        base_url=office.url, viewport={"width": 1280, "height": 860}, locale="en-US", timezone_id="Asia/Seoul"
    )
    page = await context.new_page()
    page.set_default_timeout(20_000)
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    yield page
    await context.close()
    assert thrown == []


async def given_schedule(office: BrowserFarm, name: str, **fields: object) -> str:
    body = {"name": name, "cron": "0 3 * * *", "time_zone": "Asia/Seoul", "run": {"workflow": "slow"}, **fields}
    answer = await office.http.post("/api/schedules", json=body)
    assert answer.is_success, answer.text
    schedule_id: str = answer.json()["schedule_id"]
    return schedule_id


async def test_a_schedule_is_made_with_its_times_previewed_as_they_are_typed(desk: Page, office: BrowserFarm) -> None:
    await desk.goto("/schedules")
    await desk.get_by_role("link", name="New schedule").click()
    preview = desk.get_by_test_id("next-times")
    await expect(preview.get_by_role("listitem")).to_have_count(5)
    await expect(desk.get_by_label("Time zone")).to_have_value("Asia/Seoul")

    await desk.get_by_label("Cron expression").fill("61 * * * *")
    await expect(preview).to_contain_text("bad minute")
    await desk.get_by_label("Cron expression").fill("30 9 * * 1-5")
    await expect(preview.get_by_role("listitem").first).to_contain_text("09:30")
    await desk.get_by_label("Time zone").fill("Europe/Berlin")
    await expect(preview.get_by_role("listitem").first).to_contain_text(re.compile("GMT\\+[12]|CES?T"))
    await desk.get_by_label("Name").fill("Weekday mornings")
    await desk.get_by_label("Workflow").select_option("slow")
    await desk.get_by_label("If an earlier run still goes on").select_option("cancel_previous")
    await desk.get_by_role("button", name="Save schedule").click()

    await expect(desk).to_have_url(re.compile(r"/schedules$"))
    line = desk.get_by_role("listitem").filter(has_text="Weekday mornings").first
    await expect(line).to_contain_text("30 9 * * 1-5")
    stored = (await office.http.get("/api/schedules")).json()["schedules"]
    (made,) = [each for each in stored if each["name"] == "Weekday mornings"]
    assert (made["time_zone"], made["overlap"], made["run"]["workflow"]) == ("Europe/Berlin", "cancel_previous", "slow")


async def test_a_schedule_is_run_now_and_its_run_leads_back(desk: Page, office: BrowserFarm) -> None:
    await given_schedule(office, "Now and then")
    await desk.goto("/schedules")
    await desk.get_by_role("button", name="Run now: Now and then").click()
    await desk.get_by_role("dialog").get_by_role("button", name="Run now").click()

    await expect(desk).to_have_url(re.compile(r"/runs/[0-9a-f-]{36}"))
    await desk.get_by_role("link", name="started by a schedule").click()
    await expect(desk.get_by_role("heading", name="Now and then")).to_be_visible()
    firings = desk.get_by_role("region", name="What became of its times")
    await expect(firings.get_by_role("listitem")).to_contain_text("Fired")
    await expect(firings.get_by_role("listitem")).to_contain_text("by hand")


async def test_a_schedule_is_paused_resumed_and_deleted(desk: Page, office: BrowserFarm) -> None:
    schedule_id = await given_schedule(office, "Restless")
    await desk.goto("/schedules")
    line = desk.get_by_role("listitem").filter(has_text="Restless").first

    await desk.get_by_role("button", name="Pause: Restless").click()
    await expect(line).to_contain_text("Paused")
    await desk.get_by_role("button", name="Resume: Restless").click()
    await expect(line).not_to_contain_text("Paused")
    await desk.get_by_role("button", name="Delete schedule: Restless").click()
    await desk.get_by_role("dialog").get_by_role("button", name="Delete schedule").click()

    await expect(line).to_have_count(0)
    assert (await office.http.get(f"/api/schedules/{schedule_id}")).status_code == 404


async def test_editing_keeps_a_secret_that_is_never_shown(desk: Page, office: BrowserFarm) -> None:
    run = {"workflow": "login", "params": {"password": "hunter22"}, "target": {"any": 3}}
    schedule_id = await given_schedule(office, "Secretive", run=run)
    await desk.goto(f"/schedules/{schedule_id}")
    await expect(desk.get_by_text("Kept, and not shown: password")).to_be_visible()
    assert "hunter22" not in await desk.content()

    await desk.get_by_label("Cron expression").fill("15 4 * * *")
    await desk.get_by_role("button", name="Save schedule").click()
    await expect(desk).to_have_url(re.compile(r"/schedules$"))

    stored = (await office.http.get(f"/api/schedules/{schedule_id}")).json()
    assert (stored["cron"], stored["secret_params"]) == ("15 4 * * *", ["password"])
    assert stored["run"]["target"] == {"any": 3}


async def test_a_webhook_is_made_tested_and_its_delivery_sent_again(desk: Page) -> None:
    async with receiving(answering(500, b"not today", retry_after="1800")) as receiver:
        await desk.goto("/settings/notifications")
        await desk.get_by_role("button", name="New webhook").click()
        await desk.get_by_label("Name").fill("Lab")
        await desk.get_by_label("URL").fill(receiver.url)
        await desk.get_by_label("A node is back online").check()
        await desk.get_by_role("button", name="Save webhook").click()
        secret = await desk.get_by_test_id("secret").inner_text()
        assert secret.startswith("whsec_")
        await desk.get_by_role("button", name="Close").click()
        await expect(desk.get_by_test_id("secret")).to_have_count(0)

        await desk.get_by_role("button", name="Send a test: Lab").click()
        deliveries = desk.get_by_role("region", name="Deliveries")
        await expect(deliveries).to_contain_text("answered 500: not today")
        await deliveries.get_by_text("ping").click()
        await expect(deliveries.get_by_label("What is sent")).to_have_value(re.compile('"type": "ping"'))
        await deliveries.get_by_role("button", name="Send again").click()
        await expect(deliveries).to_contain_text("Delivered")

    assert len(receiver.received) == 2
    assert len({got.headers["webhook-id"] for got in receiver.received}) == 1
    assert secret not in await desk.content()


@pytest.mark.parametrize(("scheme", "language"), [("light", "en"), ("dark", "ko")])
@pytest.mark.parametrize("path", ["/schedules", "/schedules/new", "/schedules/{id}", "/settings/notifications"])
async def test_axe_finds_nothing_serious_and_nothing_is_wider_than_a_phone(
    desk: Page, office: BrowserFarm, path: str, scheme: Literal["light", "dark"], language: str
) -> None:
    name = f"For all {path.count('/')} {scheme} {language} {len(path)}"
    schedule_id = await given_schedule(office, name)
    hook = {"name": name, "url": "http://127.0.0.1:9/", "events": ["run.failed"], "is_enabled": False}
    (await office.http.post("/api/webhooks", json=hook)).raise_for_status()
    await desk.add_init_script(f"localStorage.setItem('corral.language', '{language}')")
    await desk.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    await desk.set_viewport_size({"width": 390, "height": 844})
    await desk.goto(path.format(id=schedule_id))
    await expect(desk.get_by_role("heading", level=1)).to_be_visible()

    assert await find_violations(desk) == []
    assert await desk.evaluate("document.documentElement.scrollWidth") <= 390
