"""A browser, a farm, and pages that complain to nobody."""

import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright, expect

from corral.engine.embedded import find_binaries
from tests.browser.chromium import FLAGS, find_chromium
from tests.browser.farm import BrowserFarm, raise_browser_farm
from tests.postgres import Servers

Raising = Callable[..., AbstractAsyncContextManager[BrowserFarm]]
PHONES = 20

expect.set_options(timeout=30_000)  # of a page on a machine that does much else


@pytest_asyncio.fixture(scope="session")
async def browser() -> AsyncIterator[Browser]:
    path = find_chromium()
    assert path is not None, "no Chromium: make browser"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="session")
async def raising(servers: Servers) -> Raising:
    """Raises a farm with so many phones, in a directory of its own, with a database on the PostgreSQL that runs already."""
    server = await servers.find(find_binaries())

    @asynccontextmanager
    async def raise_farm(*, phones: int, environment: Mapping[str, str] | None = None) -> AsyncIterator[BrowserFarm]:
        with tempfile.TemporaryDirectory(prefix="corral-") as directory:
            async with server.new_database() as dsn:
                told = {**(environment or {}), "CORRAL_DATABASE_URL": dsn}
                async with raise_browser_farm(Path(directory), phones=phones, environment=told) as farm:
                    yield farm

    return raise_farm


@pytest_asyncio.fixture(scope="session")
async def farm(raising: Raising) -> AsyncIterator[BrowserFarm]:
    async with raising(phones=PHONES) as farm:
        yield farm


@pytest_asyncio.fixture
async def page(browser: Browser, farm: BrowserFarm) -> AsyncIterator[Page]:
    """A fresh page in English. At the end, nothing was thrown, and nothing asked of another host."""
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
    assert hosts <= {urlsplit(farm.url).netloc, ""}  # data: and blob: have none
