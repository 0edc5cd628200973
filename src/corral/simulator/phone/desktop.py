"""What is open on a phone, and what fingers and keys do to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from corral.simulator.phone.apps.app import App, Surroundings, Task
from corral.simulator.phone.apps.demo import Demo
from corral.simulator.phone.apps.system import (
    BROWSER,
    LAUNCHER,
    SETTINGS,
    AnyApp,
    Browser,
    Launcher,
    Settings,
    lock_screen,
)
from corral.simulator.phone.packages import DEMO
from corral.simulator.screen.elements import View

_APPS: Final[dict[str, App]] = {LAUNCHER: Launcher(), SETTINGS: Settings(), BROWSER: Browser(), DEMO: Demo()}
_ROWS_PER_SCROLL: Final = 2
_MAX_TYPED: Final = 4096


class NoActivityError(Exception):
    """There is no such activity to start."""


class Desktop:
    """The open screens of every app, and which is in front."""

    def __init__(self, around: Callable[[], Surroundings]) -> None:
        self._around = around
        self._stacks: dict[str, list[Task]] = {}
        self._front = LAUNCHER
        self.is_awake = True
        self.is_locked = False
        self.pin = ""
        self._pin_typed = ""
        self.clipboard = ""

    def reset(self) -> None:
        """As after a restart."""
        self._stacks, self._front, self._pin_typed = {}, LAUNCHER, ""

    @property
    def front(self) -> Task:
        """The screen in front."""
        stack = self._stacks.get(self._front)
        if not stack:
            self._front = LAUNCHER
            activity = _APPS[LAUNCHER].activities[0]
            stack = self._stacks.setdefault(LAUNCHER, [Task(LAUNCHER, activity)])
        return stack[-1]

    def view(self) -> View:
        """What is shown, if the screen is on."""
        around = self._around()
        if self.is_locked:
            return lock_screen(around, clock="", has_pin=bool(self.pin))
        return self._app(self.front.package).show(self.front, around)

    def start(self, package: str, activity: str = "", *, data: str = "") -> bool:
        """Bring an activity to the front. True if it was not running. Raises NoActivityError."""
        if not any(known.name == package for known in self._around().packages):
            raise NoActivityError(f"{package}/{activity}")
        activity = full_name(package, activity) if activity else self._app(package).activities[0]
        if activity not in self._app(package).activities:
            raise NoActivityError(f"{package}/{activity}")
        stack = self._stacks.setdefault(package, [])
        is_cold = not stack
        if not stack or stack[-1].activity != activity or data:
            stack.append(Task(package, activity, data, started_s=self._around().now_s))
        self._front = package
        return is_cold

    def stop(self, package: str) -> None:
        self._stacks.pop(package, None)

    def is_running(self, package: str) -> bool:
        return package in self._stacks

    def tap(self, x: float, y: float) -> None:
        if not self.is_awake or self.is_locked:
            return
        around = self._around()
        element = self.view().clickable_at(*around.grid.cell(x, y))
        if element is None:
            return
        opened = self._app(self.front.package).tap(self.front, element, around)
        if opened:
            self.start(*opened.split("/", 1))

    def swipe(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """A finger that moves up scrolls down, and unlocks a phone without a PIN."""
        if not self.is_awake:
            return
        moved = start[1] - end[1]
        if abs(moved) < self._around().grid.cell_height:
            self.tap(*start)
        elif self.is_locked:
            self.is_locked = moved <= 0 or bool(self.pin)
        else:
            task = self.front
            by = round(moved / (self._around().grid.cell_height * _ROWS_PER_SCROLL))
            most = self._app(task.package).rows_to_scroll(task)
            if most:
                task.scroll = min(most, max(0, task.scroll + by))

    def type(self, words: str) -> None:
        """Text goes to the focused field; without one it is lost, as on a real phone."""
        if self.is_locked:
            self._pin_typed += words
        elif self.is_awake and self.front.focus:
            fields, focus = self.front.fields, self.front.focus
            fields[focus] = (fields.get(focus, "") + words)[:_MAX_TYPED]

    def delete(self) -> None:
        if self.front.focus:
            fields, focus = self.front.fields, self.front.focus
            fields[focus] = fields.get(focus, "")[:-1]

    def enter(self) -> None:
        if self.is_locked:
            self.is_locked = not self.pin or self._pin_typed != self.pin
            self._pin_typed = ""
        else:
            self._app(self.front.package).submit(self.front)

    def focus_next(self) -> None:
        """What the tab key does."""
        entries = [element.id for element in self.view().elements if element.kind == "EditText"]
        if entries:
            at = entries.index(self.front.focus) + 1 if self.front.focus in entries else 0
            self.front.focus = entries[at % len(entries)]

    def back(self) -> None:
        if self.is_locked:
            return
        task = self.front
        if task.page:
            task.page = ""
        elif task.package != LAUNCHER:
            stack = self._stacks[task.package]
            stack.pop()
            if not stack:
                self.stop(task.package)

    def home(self) -> None:
        if not self.is_locked:
            self._front = LAUNCHER

    def wake(self) -> None:
        self.is_awake = True

    def sleep(self) -> None:
        self.is_awake = False
        self.is_locked = self.is_locked or bool(self.pin)

    def dismiss_lock(self) -> None:
        self.is_locked = self.is_locked and bool(self.pin)

    @staticmethod
    def _app(package: str) -> App:
        return _APPS.get(package) or AnyApp(package)


def full_name(package: str, activity: str) -> str:
    """`.Main` as `package.Main`."""
    return f"{package}{activity}" if activity.startswith(".") else activity


def short_name(package: str, activity: str) -> str:
    """`package.Main` as `.Main`."""
    return activity[len(package) :] if activity.startswith(f"{package}.") else activity
