"""How the suite is spread over processes, where it keeps its files, and how its properties are tried for longer (`make fuzz`)."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings

from tests.memory import keep_files_in_memory
from tests.postgres import Servers
from tests.tasks import end_tasks

FUZZ_EXAMPLES = int(os.environ.get("CORRAL_FUZZ_EXAMPLES", "0"))
_MOST_EXAMPLES = 100
"""Of a property, when all are tried: they are the same each time. Who wants more, fuzzes."""
_ROUND_S = 3600
_LONG_S = 300
"""Whoever asks for so much time takes long."""

if not FUZZ_EXAMPLES:
    # The same examples each time, however busy the machine is: what fails was broken by the change at hand.
    # It is loaded before the modules with properties are, so that those with settings of their own build on it.
    settings.register_profile(
        "suite", deadline=None, derandomize=True, database=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("suite")


@pytest_asyncio.fixture(scope="session")
async def servers() -> AsyncIterator[Servers]:
    """PostgreSQL, for whoever asks."""
    async with Servers() as servers:
        yield servers


@pytest_asyncio.fixture(autouse=True)
async def nothing_goes_on(request: pytest.FixtureRequest) -> AsyncIterator[None]:
    """All tests share one loop, but no test's tasks: what one left running ends with it. A browser's go on."""
    others = asyncio.all_tasks()
    yield
    if "browser" not in request.fixturenames:
        await end_tasks(asyncio.all_tasks() - others)


def pytest_configure(config: pytest.Config) -> None:
    """Before anything asks for a temporary directory."""
    keep_files_in_memory(config)


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: much of the suite waits for phones, leases and browsers."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A property does not fail for being slow, whatever its settings; for fuzzing, properties only, with that many examples.

    What takes longest begins first, lest everybody wait for it in the end.
    """
    properties = [item for item in items if hasattr(getattr(item, "obj", None), "hypothesis")]
    for item in properties:
        property_: Any = item.obj  # type: ignore[attr-defined]
        own = getattr(property_, "_hypothesis_internal_use_settings", None) or settings()
        suppressed = {*own.suppress_health_check, HealthCheck.too_slow}
        # Hypothesis has no other way to change the settings of a property that states its own.
        property_._hypothesis_internal_use_settings = settings(
            own,
            max_examples=FUZZ_EXAMPLES or min(own.max_examples, _MOST_EXAMPLES),
            deadline=None,
            database=None,
            suppress_health_check=suppressed,
        )
    if FUZZ_EXAMPLES:
        items[:] = properties
        for item in properties:
            item.add_marker(pytest.mark.timeout(_ROUND_S), append=False)
    items.sort(key=_is_long, reverse=True)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: whoever looks for garbage need not look there, which takes a second."""
    gc.collect()
    gc.freeze()


def _is_long(item: pytest.Item) -> bool:
    """Those of the engine stay: they come by the PostgreSQL that they need, which is started once."""
    own = item.get_closest_marker("timeout")
    return own is not None and own.args[0] >= _LONG_S and not item.nodeid.startswith("tests/engine/")
