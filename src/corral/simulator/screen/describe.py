"""Tells a view as the XML of `uiautomator dump`, from the elements that the picture is painted from."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from corral.simulator.screen.elements import Box, Element, Grid, View


def describe(view: View, grid: Grid) -> str:
    """The hierarchy: a frame that holds every element in its order on the screen."""
    nodes = "".join(_node(number, element, view, grid) for number, element in enumerate(view.elements))
    frame = _attributes(
        {
            "index": "0",
            "text": "",
            "resource-id": "",
            "class": "android.widget.FrameLayout",
            "package": view.package,
            "content-desc": "",
            **_flags(Element(box=Box(0, 0, grid.columns, grid.rows))),
            "bounds": f"[0,0][{grid.width},{grid.height}]",
        }
    )
    return (
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
        f'<hierarchy rotation="0"><node {frame}>{nodes}</node></hierarchy>'
    )


def _node(number: int, element: Element, view: View, grid: Grid) -> str:
    left, top, right, bottom = grid.pixels(element.box)
    return (
        "<node "
        + _attributes(
            {
                "index": str(number),
                "text": element.text,
                "resource-id": f"{view.package}:id/{element.id}" if element.id else "",
                "class": f"android.widget.{element.kind}",
                "package": view.package,
                "content-desc": element.description,
                **_flags(element),
                "bounds": f"[{left},{top}][{right},{bottom}]",
            }
        )
        + " />"
    )


def _flags(element: Element) -> dict[str, str]:
    flags = {
        "checkable": element.is_checked is not None,
        "checked": bool(element.is_checked),
        "clickable": element.is_clickable,
        "enabled": True,
        "focusable": element.is_clickable,
        "focused": element.is_focused,
        "scrollable": element.is_scrollable,
        "long-clickable": False,
        "password": element.is_password,
        "selected": False,
    }
    return {name: str(value).lower() for name, value in flags.items()}


def _attributes(values: dict[str, str]) -> str:
    return " ".join(f"{name}={quoteattr(value)}" for name, value in values.items())
