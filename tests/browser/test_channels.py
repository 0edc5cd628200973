"""The channels page: work is made, claimed and ended, and the page shows it as it happens."""

from typing import Any
from uuid import uuid4

from playwright.async_api import Page, expect

from tests.browser.farm import BrowserFarm


async def post(farm: BrowserFarm, path: str, **body: object) -> dict[str, Any]:
    answer = await farm.http.post(f"/v1/{path}", json=body)
    assert answer.is_success, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def test_work_is_made_by_hand_and_done_by_agents_while_one_looks_on(page: Page, farm: BrowserFarm) -> None:
    name = f"reviews {uuid4().hex[:6]}"
    await page.goto("/channels")
    await expect(page.get_by_text("Live", exact=True)).to_be_visible()

    await page.get_by_role("button", name="New channel").click()
    await page.get_by_label("Name").fill(name)
    await page.get_by_role("button", name="Create").click()
    await page.get_by_role("navigation", name="Queues").get_by_role("link", name=name).click()
    await page.get_by_role("button", name="New chain").click()
    await page.get_by_label("Name").fill("Release 7")
    await page.get_by_role("button", name="Create").click()
    chain = page.get_by_role("article", name="Release 7")
    for title in ("Build it", "Look at it"):
        await chain.get_by_role("button", name="Add task").click()
        await page.get_by_label("Title").fill(title)
        await page.keyboard.press("Enter")
        await expect(chain.get_by_text(title)).to_be_visible()

    # An agent that knows nothing of the page.
    await post(farm, "agents/heartbeat", agent_id="builder-1", status="running")
    task = (await post(farm, "tasks/claim", agent_id="builder-1", channel=name))["task"]
    await expect(chain.locator("[data-task='Build it']")).to_have_attribute("data-status", "in_progress")
    await expect(page.locator("[data-agent='builder-1']")).to_contain_text("Build it")
    await post(farm, "tasks/complete", agent_id="builder-1", task_id=task["id"])
    await expect(chain.locator("[data-task='Build it']")).to_have_attribute("data-status", "done")

    # And a person, who sets the rest aside, gives it to somebody, and gives up.
    await chain.get_by_role("button", name="Lock: Look at it").click()
    await expect(chain.locator("[data-task='Look at it']")).to_have_attribute("data-status", "locked")
    refused = await farm.http.post("/v1/tasks/claim", json={"agent_id": "builder-1", "channel": name})
    assert refused.json()["error"]["code"] == "no_tasks"
    await chain.get_by_role("button", name="Assign: Look at it").click()
    await page.get_by_role("combobox", name="Agent").fill("builder-1")
    await page.get_by_role("dialog").get_by_role("button", name="Assign").click()
    await expect(chain.locator("[data-task='Look at it']")).to_have_attribute("data-status", "in_progress")
    await chain.get_by_role("button", name="Fail: Look at it").click()
    await page.get_by_label("Reason").fill("no eyes")
    await page.get_by_role("dialog").get_by_role("button", name="Fail").click()

    await expect(chain.locator("[data-task='Look at it']")).to_contain_text("no eyes")
    await expect(chain.get_by_text("failed").first).to_be_visible()
    queue = page.get_by_role("navigation", name="Queues").get_by_role("link", name=name)
    await expect(queue).to_contain_text("done1")
    await expect(queue).to_contain_text("failed1")


async def test_without_the_stream_the_page_asks(page: Page, farm: BrowserFarm) -> None:
    await page.route("**/v1/stream*", lambda route: route.abort())
    await page.goto("/channels")
    await expect(page.get_by_text("Asking every few seconds")).to_be_visible()

    name = f"quiet {uuid4().hex[:6]}"
    await post(farm, "channels", name=name)

    await expect(page.get_by_role("navigation", name="Queues").get_by_role("link", name=name)).to_be_visible()
