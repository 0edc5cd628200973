"""The launcher, Settings, the browser, the lock screen, and what any other package shows."""

from __future__ import annotations

from typing import Final

from corral.simulator.phone.apps.app import TOP, Surroundings, Task, button, entry, rows, text
from corral.simulator.screen.elements import Element, View

LAUNCHER: Final = "com.android.launcher3"
SETTINGS: Final = "com.android.settings"
BROWSER: Final = "com.android.chrome"
_HIDDEN: Final = frozenset({"android", LAUNCHER, "com.android.shell", "com.android.systemui"})
_SETTINGS: Final = (
    "Network & internet",
    "Connected devices",
    "Apps",
    "Notifications",
    "Battery",
    "Storage",
    "Sound & vibration",
    "Display",
    "Wallpaper & style",
    "Accessibility",
    "Security & privacy",
    "Location",
    "Safety & emergency",
    "Passwords & accounts",
    "Digital Wellbeing",
    "Google",
    "System",
    "Developer options",
    "About phone",
    "Tips & support",
)


class Launcher:
    """A list of what can be opened."""

    activities = (f"{LAUNCHER}.Launcher",)

    def show(self, task: Task, around: Surroundings) -> View:
        items = [
            (package.name, package.label)
            for package in around.packages
            if not package.is_hidden and package.name not in _HIDDEN
        ]
        elements = rows([("app", label) for _, label in items], task, around, top=TOP, height=3)
        return View(package=LAUNCHER, activity=task.activity, title="Home", elements=tuple(elements))

    def tap(self, _task: Task, element: Element, around: Surroundings) -> str | None:
        opened = next((package.name for package in around.packages if package.label == element.text), None)
        return f"{opened}/" if opened else None

    def submit(self, _task: Task) -> None: ...

    def rows_to_scroll(self, _task: Task) -> int:
        return 0


class Settings:
    """A long list, and a page about the phone."""

    activities = (f"{SETTINGS}.Settings", f"{SETTINGS}.DeviceInfoSettings", f"{SETTINGS}.DisplaySettings")

    def show(self, task: Task, around: Surroundings) -> View:
        page = task.page or ("About phone" if task.activity.endswith("DeviceInfoSettings") else "")
        if not page:
            elements = rows([("title", title) for title in _SETTINGS], task, around, top=TOP)
        elif page == "About phone":
            elements = self._about(around)
        else:
            elements = [text(TOP, page, around, id="title"), text(TOP + 2, "Nothing to set here", around)]
        return View(package=SETTINGS, activity=task.activity, title=page or "Settings", elements=tuple(elements))

    @staticmethod
    def _about(around: Surroundings) -> list[Element]:
        model, serial = around.identity.model, around.identity.serial
        lines = (f"Model {model.name}", f"Android {model.release}", f"Serial {serial}", f"Battery {around.battery}%")
        return [text(TOP + 2 * number, line, around, id="summary") for number, line in enumerate(lines)]

    def tap(self, task: Task, element: Element, _around: Surroundings) -> str | None:
        if element.id == "title" and element.is_clickable:
            task.page = element.text
        return None

    def submit(self, _task: Task) -> None: ...

    def rows_to_scroll(self, task: Task) -> int:
        return 0 if task.page else len(_SETTINGS) - 1


class Browser:
    """Shows the address that it was sent to, and a page that can be scrolled."""

    activities = (f"{BROWSER}.Main",)

    def show(self, task: Task, around: Surroundings) -> View:
        task.fields.setdefault("url_bar", task.data or "about:blank")
        width = around.grid.columns - 2
        url = task.fields["url_bar"]
        lines = [url[at : at + width] for at in range(0, len(url), width)] or [""]
        lines += ["", *(f"Paragraph {number}" for number in range(1, 61))]
        shown = lines[task.scroll : task.scroll + around.grid.rows - TOP - 4]
        page = [text(TOP + 4 + number, line, around, id="page") for number, line in enumerate(shown) if line]
        bar = entry(TOP, task, around, id="url_bar")
        return View(package=BROWSER, activity=task.activity, title="Chrome", elements=(bar, *page))

    def tap(self, task: Task, element: Element, _around: Surroundings) -> str | None:
        if element.id == "url_bar":
            task.focus = "url_bar"
            task.fields["url_bar"] = ""
        return None

    def submit(self, task: Task) -> None:
        task.data, task.focus, task.scroll = task.fields.get("url_bar", ""), "", 0

    def rows_to_scroll(self, _task: Task) -> int:
        return 60


class AnyApp:
    """A package of which nothing is known but its name and version."""

    def __init__(self, package: str) -> None:
        self._package = package
        self.activities = (f"{package}.MainActivity",)

    def show(self, task: Task, around: Surroundings) -> View:
        found = next((package for package in around.packages if package.name == self._package), None)
        version = f"Version {found.version_name} ({found.version_code})" if found else ""
        elements = (
            text(TOP, self._package, around, id="package"),
            text(TOP + 2, version, around, id="version"),
            button(TOP + 4, "OK", around, id="ok"),
        )
        return View(
            package=self._package, activity=task.activity, title=found.label if found else "", elements=elements
        )

    def tap(self, task: Task, _element: Element, _around: Surroundings) -> str | None:
        task.message = "OK"
        return None

    def submit(self, _task: Task) -> None: ...

    def rows_to_scroll(self, _task: Task) -> int:
        return 0


def lock_screen(around: Surroundings, *, clock: str, has_pin: bool) -> View:
    """What a locked phone shows."""
    hint = "Enter PIN" if has_pin else "Swipe up to unlock"
    elements = (text(TOP + 5, clock, around, id="clock"), text(TOP + 9, hint, around, id="hint"))
    return View(package="com.android.systemui", activity="NotificationShade", title="Locked", elements=elements)
