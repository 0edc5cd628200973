"""Dumps as `uiautomator` writes them."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr


def node(
    text: str = "",
    *,
    desc: str = "",
    hint: str | None = None,
    id_: str = "",
    kind: str = "android.widget.TextView",
    bounds: str = "[0,0][100,40]",
    clickable: bool = False,
    password: bool = False,
    children: str = "",
) -> str:
    attributes = {
        "index": "0",
        "text": text,
        "resource-id": id_,
        "class": kind,
        "package": "com.example.app",
        "content-desc": desc,
        "checkable": "false",
        "clickable": str(clickable).lower(),
        "enabled": "true",
        "password": str(password).lower(),
        "bounds": bounds,
        **({} if hint is None else {"hint": hint}),
    }
    written = " ".join(f"{name}={quoteattr(value)}" for name, value in attributes.items())
    return f"<node {written}>{children}</node>"


def field(text: str = "", **more: str | bool) -> str:
    return node(text, kind="android.widget.EditText", clickable=True, **more)  # type: ignore[arg-type]


def button(text: str = "", **more: str | bool) -> str:
    return node(text, kind="android.widget.Button", clickable=True, **more)  # type: ignore[arg-type]


def dump(*nodes: str) -> str:
    return (
        "UI hierchary dumped to: /data/local/tmp/corral-ui.xml\n"
        "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>"
        f'<hierarchy rotation="0">{"".join(nodes)}</hierarchy>'
    )
