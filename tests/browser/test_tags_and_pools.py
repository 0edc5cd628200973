"""Tags, given one by one and to many phones at once, and runs on any so many phones that have them."""

import re

from playwright.async_api import Page, Route, expect

from tests.browser.farm import BrowserFarm


async def tags_of(farm: BrowserFarm, index: int) -> list[str]:
    tags: list[str] = (await farm.device(index))["tags"]
    return tags


async def choose_last(page: Page, count: int) -> None:
    """Choose the last devices of the heatmap, by keyboard."""
    await page.goto("/devices")
    await page.get_by_role("application").focus()
    await page.keyboard.press("End")
    for _ in range(count - 1):
        await page.keyboard.press("Shift+ArrowLeft")
    await expect(page.get_by_text(f"{count} devices chosen")).to_be_visible()


async def test_a_phones_tags_are_edited_one_by_one_and_kept_at_once(page: Page, farm: BrowserFarm) -> None:
    index = 4
    await page.goto(f"/devices?device={index}")
    drawer = page.get_by_role("complementary", name=f"Device {index}")
    field = drawer.get_by_role("combobox", name="Tags")
    for tag in ("pixel", "nightly"):
        await field.fill(tag)
        await field.press("Enter")
        await expect(drawer.locator(f"[data-tag={tag}]")).to_be_visible()
    async with page.expect_response(re.compile("/api/devices/[0-9a-f-]+$")):
        await drawer.get_by_role("button", name="Remove the tag pixel").click()
    await expect(drawer.locator("[data-tag=pixel]")).to_have_count(0)

    assert await tags_of(farm, index) == ["nightly"]
    await page.reload()
    await expect(drawer.locator("[data-tag]")).to_have_text(["nightly"])


async def test_many_phones_are_tagged_at_once_and_whoever_refused_is_named_and_asked_again(
    page: Page, farm: BrowserFarm
) -> None:
    devices = [await farm.device(index) for index in (18, 19, 20)]
    for device in devices:
        await farm.http.patch(f"/api/devices/{device['device_id']}", json={"tags": ["old", "kept"]})
    refusals = 0

    async def refuse_once(route: Route) -> None:
        nonlocal refusals
        if route.request.method == "PATCH" and refusals == 0:
            refusals += 1
            error = {"code": "conflict", "message": "the device is being moved"}
            await route.fulfill(status=409, json={"error": error})
        else:
            await route.continue_()

    await page.route(f"**/api/devices/{devices[1]['device_id']}", refuse_once)
    await choose_last(page, 3)
    await page.get_by_role("button", name="Tag", exact=True).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_role("combobox", name="Tags to add").fill("fresh, ")
    await dialog.get_by_text("old 3").click()
    await dialog.get_by_role("button", name="Save tags").click()

    alert = dialog.get_by_role("alert")
    await expect(alert).to_contain_text("1 device was not changed; 2 were.")
    await expect(alert).to_contain_text("Device 19: the device is being moved")
    assert [await tags_of(farm, index) for index in (18, 19, 20)] == [
        ["kept", "fresh"],
        ["old", "kept"],
        ["kept", "fresh"],
    ]
    await dialog.get_by_role("button", name="Save tags").click()
    await expect(dialog).to_have_count(0)
    assert await tags_of(farm, 19) == ["kept", "fresh"]


async def test_a_run_takes_any_two_phones_that_have_a_tag(page: Page, farm: BrowserFarm) -> None:
    pool = (6, 7, 8)
    for index in pool:
        device = await farm.device(index)
        await farm.http.patch(f"/api/devices/{device['device_id']}", json={"tags": ["pooled"]})
    await page.goto("/runs/new?workflow=prepare")
    await page.get_by_text("Any so many").click()
    count = page.get_by_label("How many phones")
    await count.fill("none")
    await expect(page.get_by_text("Write a number from 1")).to_be_visible()
    await count.fill("2")
    await page.get_by_role("group", name="With all of these tags").get_by_text("pooled", exact=True).click()
    await expect(page.get_by_text("phones, any of 3 that match")).to_be_visible()
    async with page.expect_response(re.compile("/api/runs$")) as answered:
        await page.get_by_role("button", name="Start on 2 devices").click()

    run = await (await answered.value).json()
    assert run["target"] == {"any": 2, "tags": ["pooled"]}
    view = await farm.until_ended(run["run_id"])
    used = {tile["index"] for tile in view["heatmap"]["items"]}
    assert view["run"]["status"] == "succeeded"
    assert len(used) == 2
    assert used < set(pool)
