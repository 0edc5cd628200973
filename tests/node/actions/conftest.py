"""A bench with a scripted phone, and a clock that moves when somebody sleeps."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from corral.node.actions import waiting
from corral.node.actions.registry import node_actions
from tests.node.actions.scripted_phone import Script, ScriptedBench, ScriptedPhone


class Clock:
    """Time that passes by sleeping alone. `sleeps` has every sleep that was asked for."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        self.sleeps: list[float] = []

    def now(self) -> float:
        return self.now_s

    async def sleep(self, delay_s: float) -> None:
        self.sleeps.append(delay_s)
        self.now_s += delay_s
        await asyncio.sleep(0)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(waiting, "now", clock.now)
    monkeypatch.setattr(waiting, "sleep", clock.sleep)
    return clock


class Workshop:
    """A bench with its phone, and actions to be performed on it by name."""

    def __init__(self, folder: Path) -> None:
        self.phone = ScriptedPhone()
        self.bench = ScriptedBench(folder, self.phone)

    def told(self, script: Script) -> Workshop:
        self.phone.learn(script)
        return self

    async def perform(self, name: str, /, **with_: Any) -> dict[str, Any]:  # noqa: ANN401 - as recipes have it
        return await node_actions()[name].perform(self.bench, with_)


@pytest.fixture
def workshop(tmp_path: Path, clock: Clock) -> Workshop:
    folder = tmp_path / "scratch"
    folder.mkdir()
    return Workshop(folder)
