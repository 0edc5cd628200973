"""From a command to a playbook, to a run, and to what was drawn, as an operator goes."""

import re
from typing import Literal

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.conftest import PHONES
from tests.browser.farm import BrowserFarm
from tests.browser.test_accessibility import find_violations

PAGES = [
    "/commands",
    "/commands/new",
    "/commands/asset/axe-greet",
    "/commands/playbooks",
    "/commands/playbook/axe-tour",
]


def steps_of(page: Page) -> Locator:
    return page.get_by_test_id("step")


async def expect_order(page: Page, *names: str) -> None:
    await expect(steps_of(page)).to_have_count(len(names))
    for place, name in enumerate(names):
        await expect(steps_of(page).nth(place)).to_have_attribute("data-command", name)


async def save(page: Page, version: int) -> None:
    await page.get_by_role("button", name="Save …").click()
    await page.get_by_role("button", name=f"Save version {version}").click()
    await expect(page.get_by_test_id("version")).to_contain_text(f"version {version}, saved")


async def decisions_of(farm: BrowserFarm, run_id: str, step: str) -> list[str]:
    """What was recorded for a step, on each phone of a run."""
    views = [(await farm.http.get(f"/api/runs/{run_id}", params={"device": n + 1})).json() for n in range(PHONES)]
    return [each["decision"] for view in views for each in view["selected"]["steps"] if each["step"] == step]


async def given_playbook(farm: BrowserFarm, *, prefix: str) -> None:
    """A command that a playbook uses, and the playbook; whether they are there already or not."""
    greet = {"name": f"{prefix}-greet", "uses": "report", "with": {"message": "hello"}, "tags": ["words"]}
    await farm.http.post("/api/commands", json=greet)
    steps = [{"command": f"{prefix}-greet"}, {"command": f"{prefix}-greet", "probability": 0.5}]
    saved = await farm.http.post("/api/playbooks", json={"name": f"{prefix}-tour", "steps": steps})
    assert saved.is_success, saved.text


async def test_a_command_is_made_in_a_form_that_its_action_makes(page: Page, farm: BrowserFarm) -> None:
    await page.goto("/commands")
    await page.get_by_role("link", name="New command").click()
    await page.get_by_label("Name").fill("short-rest")
    await page.get_by_label("Tags").fill("calm, night")
    await page.get_by_label("Action", exact=True).select_option("flow.sleep")
    duration = page.get_by_label(re.compile("duration_s"))
    await duration.fill("soon")

    await expect(page.get_by_text("expected a number")).to_be_visible()
    await expect(duration).to_have_attribute("aria-invalid", "true")

    await duration.fill("0.2")
    await expect(duration).to_have_attribute("aria-invalid", "false")
    await page.get_by_role("button", name="Save command").click()

    await page.get_by_role("button", name="night").click()
    await expect(page.get_by_role("row", name=re.compile("short-rest"))).to_contain_text("flow.sleep")
    stored = (await farm.http.get("/api/commands", params={"tag": "night"})).json()["commands"]
    assert [(each["name"], each["with_params"]) for each in stored] == [("short-rest", {"duration_s": 0.2})]


async def test_a_playbook_is_built_run_and_its_draws_are_those_that_were_recorded(
    page: Page, farm: BrowserFarm
) -> None:
    for name, message in (("greet", "hello"), ("wave", "bye")):
        body = {"name": name, "uses": "report", "with": {"message": message}, "timeout_bounds_s": [1, 120]}
        await farm.http.post("/api/commands", json=body)
    await page.goto("/commands/playbooks/new")
    await page.get_by_label("Name").fill("half-tour")
    await page.get_by_role("button", name="Add a step: greet").click()
    await page.get_by_role("button", name="Add a step: wave").click()
    await expect_order(page, "greet", "wave")

    # By keyboard, where the focus stays with the step that moves; then back with the mouse.
    await steps_of(page).nth(1).get_by_test_id("handle").focus()
    await page.keyboard.press("ArrowUp")
    await expect_order(page, "wave", "greet")
    await expect(page.get_by_text("wave is now step 1 of 2.")).to_be_attached()
    await page.keyboard.press("ArrowDown")
    await expect_order(page, "greet", "wave")
    await (
        steps_of(page)
        .nth(1)
        .get_by_test_id("handle")
        .drag_to(steps_of(page).nth(0), target_position={"x": 100, "y": 5})
    )
    await expect_order(page, "wave", "greet")

    chance = steps_of(page).nth(1).get_by_label("Chance on each phone")
    await chance.click()  # in its middle
    await expect(chance).to_have_attribute("aria-valuetext", "50%")
    await expect(page.get_by_test_id("share").nth(1)).to_contain_text(f"about {PHONES // 2} of {PHONES} phones")

    timeout = steps_of(page).nth(0).get_by_label("Timeout (s)")
    await timeout.fill("500")
    await expect(steps_of(page).nth(0)).to_contain_text("500 s is outside the step's bounds [1, 120]")
    await expect(timeout).to_have_attribute("aria-invalid", "true")
    await timeout.fill("50")
    await expect(timeout).to_have_attribute("aria-invalid", "false")
    await page.get_by_role("button", name="Recipe (YAML)").click()
    await expect(page.get_by_test_id("recipe")).to_contain_text("probability: 0.5")

    await save(page, 1)
    await expect(page).to_have_url(re.compile("/commands/playbook/half-tour$"))
    await page.get_by_label("Title").fill("Half a tour")
    await page.get_by_role("button", name="Save …").click()
    await expect(page.get_by_test_id("diff").locator("[data-kind=added]")).to_contain_text(["title: Half a tour"])
    await expect(page.get_by_test_id("diff").locator("[data-kind=removed]")).to_have_count(0)
    await page.get_by_role("dialog").get_by_role("button", name="Back").click()
    await save(page, 2)

    await page.get_by_role("link", name="Run this").click()
    await expect(page).to_have_url(re.compile("/runs/new.workflow=half-tour"))
    await page.get_by_role("button", name=f"Start on {PHONES} devices").click()
    await expect(page.get_by_text("Succeeded", exact=True)).to_be_visible(timeout=60_000)

    run_id = page.url.rpartition("/")[2]
    decisions = await decisions_of(farm, run_id, "greet")
    drawn = decisions.count("execute")
    assert len(decisions) == drawn + decisions.count("skip") == PHONES
    tally = page.locator("[data-tally=greet]")
    await expect(tally.get_by_test_id("draws")).to_contain_text(f"drawn by {drawn} of {PHONES}")
    await expect(tally).to_contain_text(f"{drawn} succeeded · {PHONES - drawn} not drawn")
    await expect(page.locator("[data-tally=wave]")).to_contain_text(f"{PHONES} succeeded")


async def test_a_command_in_use_says_by_whom_and_an_unused_one_goes(page: Page, farm: BrowserFarm) -> None:
    await given_playbook(farm, prefix="kept")
    await farm.http.post("/api/commands", json={"name": "kept-by-nobody", "uses": "device.screenshot"})
    await page.goto("/commands?find=kept")

    await page.get_by_role("button", name="Delete command: kept-greet").click()
    dialog = page.get_by_role("dialog")
    await expect(dialog).to_contain_text("It is used by kept-tour")
    await expect(dialog.get_by_role("button", name="Delete command")).to_have_count(0)
    await dialog.get_by_role("button", name="Back").click()

    await page.get_by_role("button", name="Delete command: kept-by-nobody").click()
    await dialog.get_by_role("button", name="Delete command").click()
    await expect(page.get_by_role("row")).to_have_count(2)  # the head, and the one in use


async def test_changes_are_not_lost_in_silence(page: Page, farm: BrowserFarm) -> None:
    await given_playbook(farm, prefix="leave")
    await page.goto("/commands/playbooks")
    await page.get_by_role("link", name="leave-tour", exact=True).click()
    await page.get_by_label("Description").fill("unsaved")

    await page.get_by_role("link", name="Dashboard").click()
    await page.get_by_role("dialog").get_by_role("button", name="Back").click()
    await expect(page.get_by_label("Description")).to_have_value("unsaved")

    await page.go_back()
    await page.get_by_role("button", name="Leave and lose it").click()
    await expect(page).to_have_url(re.compile("/commands/playbooks$"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_serious_on_commands_and_playbooks(
    page: Page, farm: BrowserFarm, scheme: Literal["light", "dark"]
) -> None:
    await given_playbook(farm, prefix="axe")
    await page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for path in PAGES:
        await page.goto(path)
        await expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert (path, await find_violations(page)) == (path, [])

    await steps_of(page).nth(0).get_by_label("Timeout (s)").fill("0")
    await expect(steps_of(page).nth(0)).to_contain_text("expected a number")
    assert await find_violations(page) == []
    await steps_of(page).nth(0).get_by_label("Timeout (s)").fill("7")
    await page.get_by_role("button", name="Save …").click()
    await expect(page.get_by_test_id("diff")).to_be_visible()
    assert await find_violations(page) == []
