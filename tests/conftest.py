"""How the suite is spread over processes, where it keeps its files, and how its properties are tried for longer (`make fuzz`)."""

import os
from typing import Any

import pytest
from hypothesis import settings

from tests.memory import keep_files_in_memory

FUZZ_EXAMPLES = int(os.environ.get("CORRAL_FUZZ_EXAMPLES", "0"))
_ROUND_S = 3600


def pytest_configure(config: pytest.Config) -> None:
    """Before anything asks for a temporary directory."""
    keep_files_in_memory(config)


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: much of the suite waits for phones, leases and browsers."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """For fuzzing, properties only, each with that many examples and the time that they take."""
    if not FUZZ_EXAMPLES:
        return
    items[:] = [item for item in items if hasattr(getattr(item, "obj", None), "hypothesis")]
    for item in items:
        property_: Any = item.obj  # type: ignore[attr-defined]
        own = getattr(property_, "_hypothesis_internal_use_settings", None)
        # Hypothesis has no other way to change the settings of a property that states its own.
        property_._hypothesis_internal_use_settings = settings(
            own, max_examples=FUZZ_EXAMPLES, deadline=None, database=None
        )
        item.add_marker(pytest.mark.timeout(_ROUND_S), append=False)
