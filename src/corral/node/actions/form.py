"""Finding the fields and buttons of a form by what a person calls them. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from corral.node.actions.hierarchy import Element


def find_field(elements: Sequence[Element], name: str) -> Element | None:
    """The field to type into: by its resource id, by its hint or text, or the first one after its label."""
    fields = [element for element in elements if element.is_editable]
    for element in fields:
        if _has_id(element, name):
            return element
    for element in fields:
        if _is_called(element, name):
            return element
    labels = (index for index, element in enumerate(elements) if not element.is_editable and _is_called(element, name))
    for index in labels:
        after = next((element for element in elements[index + 1 :] if element.is_editable), None)
        if after is not None:
            return after
    return None


def find_button(elements: Sequence[Element], name: str) -> Element | None:
    """What to tap: by its resource id or its text; what can be clicked before a title of the same words."""
    found = [element for element in elements if _has_id(element, name)]
    found += [element for element in elements if not element.is_editable and _is_called(element, name)]
    pressable = [element for element in found if element.is_clickable or element.kind.endswith("Button")]
    return next(iter([*pressable, *found]), None)


def _has_id(element: Element, name: str) -> bool:
    """`com.example:id/user` by that, or by what comes after the slash."""
    return element.resource_id != "" and name in (element.resource_id, element.resource_id.rpartition("/")[2])


def _is_called(element: Element, name: str) -> bool:
    called = (element.text, element.hint, element.description)
    return any(_plain(name) == _plain(each) for each in called if each.strip())


def _plain(text: str) -> str:
    """Without what forms decorate their labels with."""
    return " ".join(text.casefold().split()).rstrip(" :*").strip()
