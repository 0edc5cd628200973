"""A run's tests in the browser: the matrix, what it is narrowed to, traces, and the file for build servers."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.browser.conftest import Raising
from tests.browser.farm import BrowserFarm
from tests.browser.suites import EVERYWHERE, FLAKY, ON_TWO, PHONES, TESTS, Lab, given_suite, result
from tests.browser.test_accessibility import find_violations


@pytest_asyncio.fixture(scope="module")
async def bureau(raising: Raising) -> AsyncIterator[BrowserFarm]:
    """A server whose only node is ours."""
    async with raising(phones=0) as farm:
        yield farm


@pytest_asyncio.fixture(scope="module")
async def lab(bureau: BrowserFarm) -> Lab:
    lab = Lab(bureau.http)
    await lab.begin(*(f"LAB{number}" for number in range(1, PHONES + 1)))
    return lab


@pytest_asyncio.fixture(scope="module")
async def suite(lab: Lab) -> str:
    return await given_suite(lab, "Nightly suite")


@pytest_asyncio.fixture
async def desk(browser: Browser, bureau: BrowserFarm) -> AsyncIterator[Page]:
    context = await browser.new_context(
        base_url=bureau.url, viewport={"width": 1280, "height": 860}, locale="en-US", accept_downloads=True
    )
    page = await context.new_page()
    page.set_default_timeout(20_000)
    thrown: list[str] = []
    page.on("pageerror", lambda error: thrown.append(str(error)))
    yield page
    await context.close()
    assert thrown == []


async def test_the_matrix_shows_every_test_on_every_phone_and_is_narrowed_to_what_matters(
    desk: Page, suite: str
) -> None:
    await desk.goto(f"/runs/{suite}")
    await desk.get_by_role("button", name=f"{len(TESTS)} tests").click()
    await expect(desk.get_by_test_id("test-counts")).to_have_text(
        re.compile(r"12 passed\s*2 failed\s*1 skipped\s*1 of them flaky")
    )
    rows = desk.locator("[data-test]")
    await expect(rows).to_have_count(len(TESTS))
    await expect(desk.get_by_test_id("matrix").locator("[data-status]")).to_have_count(len(TESTS) * PHONES)

    await desk.get_by_role("button", name="Not passed 2").click()
    await expect(rows).to_have_count(2)
    await expect(rows.filter(has_text=EVERYWHERE[1]).locator("[data-status=failed]")).to_have_count(PHONES)
    await desk.get_by_role("button", name="Differ between phones").click()
    await expect(rows).to_have_count(1)
    await expect(rows.locator("[data-status=failed]")).to_have_count(2)
    await desk.get_by_role("button", name="Flaky 1").click()
    await expect(rows).to_have_attribute("data-test", FLAKY[1])
    await desk.get_by_role("button", name="All", exact=True).click()
    await desk.get_by_label("Find a class or a test").fill("checkouttest#PAYS")
    await expect(rows).to_have_count(1)
    await expect(desk).to_have_url(re.compile("tab=tests"))


async def test_a_click_on_a_failure_shows_its_trace_and_an_address_leads_back_to_it(desk: Page, suite: str) -> None:
    await desk.goto(f"/runs/{suite}?tab=tests&show=differs")
    await desk.locator("[data-status=failed]").first.click()
    drawer = desk.get_by_role("complementary", name=ON_TWO[1])
    await expect(drawer.get_by_label("Trace").first).to_contain_text("CheckoutTest.kt:42")
    await expect(drawer.get_by_role("list", name="Results").get_by_role("listitem")).to_have_count(PHONES)

    await desk.reload()
    await expect(drawer).to_contain_text(ON_TWO[0])
    await desk.keyboard.press("Escape")
    await expect(drawer).to_have_count(0)
    await desk.get_by_role("button", name=ON_TWO[1]).first.focus()
    await desk.keyboard.press("Enter")
    await expect(drawer).to_be_visible()


async def test_the_tries_of_a_flaky_test_are_told(desk: Page, suite: str) -> None:
    await desk.goto(f"/runs/{suite}?tab=tests&show=flaky")
    await desk.get_by_role("button", name=FLAKY[1], exact=True).click()
    drawer = desk.get_by_role("complementary", name=FLAKY[1])
    await expect(drawer.get_by_text("It failed and then passed")).to_be_visible()
    await expect(drawer.locator("[data-status=failed]")).to_contain_text("try 1")


async def test_the_junit_file_is_downloaded_and_has_every_result(desk: Page, suite: str, tmp_path: Path) -> None:
    await desk.goto(f"/runs/{suite}?tab=tests")
    async with desk.expect_download() as began:
        await desk.get_by_role("link", name="JUnit XML").click()
    await (await began.value).save_as(tmp_path / "junit.xml")

    cases = ET.parse(tmp_path / "junit.xml").getroot().findall(".//testcase")
    assert len(cases) == len(TESTS) * PHONES
    assert sum(case.find("failure") is not None for case in cases) == PHONES + 2


async def test_tests_that_phones_share_are_a_list_that_grows(desk: Page, lab: Lab) -> None:
    run_id, jobs = await lab.start("Sharded suite")
    claimed = await lab.share(jobs[0])
    await desk.goto(f"/runs/{run_id}?tab=tests")
    rows = desk.get_by_role("list", name="Tests").get_by_role("listitem")
    await expect(rows).to_have_count(len(TESTS))
    await expect(desk.get_by_test_id("test-counts")).to_contain_text(f"{len(TESTS) - len(claimed)} to come")

    first = claimed[0]
    await lab.tell(jobs[0], [result((first["class_name"], first["name"]), "passed")])
    await expect(rows.and_(desk.locator("[data-verdict=passed]"))).to_have_count(1)
    await expect(desk.locator("[data-verdict=passed]")).to_contain_text(first["name"])
    for job in jobs:
        # For good: what nobody asked to cancel would go back into the queue, before the runs of the tests to come.
        await lab.finish(job, outcome="failed", failure_reason="tests_failed", error_message="given up")


@pytest.mark.parametrize(("scheme", "language"), [("light", "en"), ("dark", "ko")])
@pytest.mark.parametrize("width", [390, 1280])
async def test_axe_finds_nothing_serious_and_nothing_is_wider_than_the_window(
    desk: Page, suite: str, width: int, scheme: Literal["light", "dark"], language: str
) -> None:
    await desk.add_init_script(f"localStorage.setItem('corral.language', '{language}')")
    await desk.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    await desk.set_viewport_size({"width": width, "height": 844})
    await desk.goto(f"/runs/{suite}?tab=tests")
    await expect(desk.get_by_test_id("matrix")).to_be_visible()
    assert await find_violations(desk) == []
    await desk.locator("[data-status=failed]").first.click()
    await expect(desk.locator("aside [data-status=failed]").first).to_be_visible()
    assert await find_violations(desk) == []
    assert await desk.evaluate("document.documentElement.scrollWidth") <= width
