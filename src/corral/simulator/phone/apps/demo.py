"""The demo app, dev.corral.demo: a login, a list that scrolls, a video that plays."""

from __future__ import annotations

from typing import Final

from corral.simulator.phone.apps.app import TOP, Surroundings, Task, button, entry, rows, text
from corral.simulator.phone.packages import DEMO
from corral.simulator.screen.elements import Element, View

MAIN: Final = f"{DEMO}.MainActivity"
LIST: Final = f"{DEMO}.ListActivity"
VIDEO: Final = f"{DEMO}.VideoActivity"
WRONG_PASSWORD: Final = "wrong"  # noqa: S105 - the one that the demo refuses
_ITEMS: Final = 60
_VIDEO_S: Final = 180


class Demo:
    """Its screens. The main one asks who you are, then welcomes you and leads to the others."""

    activities = (MAIN, LIST, VIDEO)

    def show(self, task: Task, around: Surroundings) -> View:
        if task.activity == LIST:
            elements = self._list(task, around)
        elif task.activity == VIDEO:
            elements = self._video(task, around)
        elif task.page == "welcome":
            elements = self._welcome(task, around)
        else:
            elements = self._login(task, around)
        version = next((package.version_name for package in around.packages if package.name == DEMO), "")
        title = f"Corral Demo {version}"
        return View(package=DEMO, activity=task.activity, title=title, elements=tuple(elements))

    @staticmethod
    def _login(task: Task, around: Surroundings) -> list[Element]:
        elements = [
            text(TOP, "Username", around, id="username_label"),
            entry(TOP + 1, task, around, id="username"),
            text(TOP + 5, "Password", around, id="password_label"),
            entry(TOP + 6, task, around, id="password", is_password=True),
            button(TOP + 10, "Sign in", around, id="sign_in"),
        ]
        if task.message:
            elements.append(text(TOP + 14, task.message, around, id="error", is_error=True))
        return elements

    @staticmethod
    def _welcome(task: Task, around: Surroundings) -> list[Element]:
        return [
            text(TOP, f"Welcome, {task.fields.get('username', '')}", around, id="welcome"),
            button(TOP + 2, "List", around, id="open_list"),
            button(TOP + 6, "Video", around, id="open_video"),
            button(TOP + 10, "Sign out", around, id="sign_out"),
        ]

    @staticmethod
    def _list(task: Task, around: Surroundings) -> list[Element]:
        chosen = [text(TOP, task.message or "Choose an item", around, id="chosen")]
        items = [("item", f"Item {number}") for number in range(1, _ITEMS + 1)]
        return chosen + rows(items, task, around, top=TOP + 2)

    @staticmethod
    def _video(task: Task, around: Surroundings) -> list[Element]:
        position = int(around.now_s - task.started_s) % _VIDEO_S if task.is_playing else task.scroll
        shown = f"{position // 60}:{position % 60:02d} / {_VIDEO_S // 60}:00"
        state = "Playing" if task.is_playing else "Paused"
        return [
            text(TOP, state, around, id="state"),
            text(TOP + 2, shown, around, id="position"),
            button(TOP + 4, "Pause" if task.is_playing else "Play", around, id="play_pause"),
        ]

    def tap(self, task: Task, element: Element, around: Surroundings) -> str | None:
        match element.id:
            case "username" | "password":
                task.focus = element.id
            case "sign_in":
                self.submit(task)
            case "sign_out":
                task.page, task.fields, task.focus, task.message = "", {}, "", ""
            case "open_list":
                return f"{DEMO}/{LIST}"
            case "open_video":
                return f"{DEMO}/{VIDEO}"
            case "item":
                task.message = f"Chosen: {element.text}"
            case "play_pause":
                self._toggle(task, around)
        return None

    @staticmethod
    def _toggle(task: Task, around: Surroundings) -> None:
        """A paused video keeps its position where a list keeps how far it was scrolled."""
        if task.is_playing:
            task.scroll = int(around.now_s - task.started_s) % _VIDEO_S
        else:
            task.started_s = around.now_s - task.scroll
        task.is_playing = not task.is_playing

    def submit(self, task: Task) -> None:
        if task.activity != MAIN or task.page:
            return
        username, password = task.fields.get("username", ""), task.fields.get("password", "")
        if not username or not password:
            task.message = "Enter username and password"
        elif password == WRONG_PASSWORD:
            task.message = "Wrong password"
        else:
            task.page, task.focus, task.message = "welcome", "", ""

    def rows_to_scroll(self, task: Task) -> int:
        return _ITEMS - 1 if task.activity == LIST else 0
