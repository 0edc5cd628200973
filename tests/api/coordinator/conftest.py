"""The coordinator door, without a process of its own; streams need one."""

import httpx
import pytest

from tests.api.coordinator.caller import Caller


@pytest.fixture
def caller(http: httpx.AsyncClient) -> Caller:
    return Caller(http)
