"""What `uiautomator dump` says is on the screen: reading it, and finding things in it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Literal
from xml.etree import ElementTree as ET

from msgspec import Struct

from corral.model.errors import ActionFailedError
from corral.model.reading import read_count

Match = Literal["exact", "contains", "regex"]
Matcher = Callable[[str], bool]

_BOUNDS = re.compile(r"\[{0},{0}\]\[{0},{0}\]\Z".format("(-?[0-9]{1,9})"))
_SURROGATES = re.compile(r"&#(5[56][0-9]{3});&#(5[67][0-9]{3});")
_REFERENCE = re.compile(r"&#(x[0-9A-Fa-f]+|\d+);")
_HALF = range(0x400)
_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_EDITABLE: Final = ("EditText", "AutoCompleteTextView", "TextInputEditText", "SearchAutoComplete")


class HierarchyError(Exception):
    """The dump cannot be read; another one may be."""


class Element(Struct, frozen=True, kw_only=True):
    """One thing on the screen."""

    text: str = ""
    description: str = ""
    hint: str = ""
    resource_id: str = ""
    kind: str = ""
    package: str = ""
    bounds: tuple[int, int, int, int] = (0, 0, 0, 0)
    is_clickable: bool = False
    is_password: bool = False

    @property
    def centre(self) -> tuple[float, float]:
        left, top, right, bottom = self.bounds
        return (left + right) / 2, (top + bottom) / 2

    @property
    def is_visible(self) -> bool:
        left, top, right, bottom = self.bounds
        return right > left and bottom > top

    @property
    def is_editable(self) -> bool:
        return self.is_password or self.kind.endswith(_EDITABLE)

    @property
    def words(self) -> tuple[str, ...]:
        """What a person, or a screen reader, reads there."""
        return tuple(dict.fromkeys(word for word in (self.text.strip(), self.description.strip()) if word))


def read_hierarchy(output: str) -> list[Element]:
    """The visible elements in the order of the dump, parents first; raises HierarchyError."""
    start, end = output.find("<hierarchy"), output.rfind("</hierarchy>")
    if start >= 0 > end:
        end = output.rfind("/>") + 2 - len("</hierarchy>")
    if start < 0 or end < start - len("</hierarchy>"):
        raise HierarchyError("the dump holds no hierarchy")
    document = _repaired(output[start : end + len("</hierarchy>")])
    try:
        # Cut to begin at its root, it has no document type, and so no entities that could grow.
        root = ET.fromstring(document)  # noqa: S314
    except ET.ParseError as error:
        raise HierarchyError(f"the dump is broken: {error}") from None
    elements = [_element(node) for node in root.iter("node")]
    return [element for element in elements if element.is_visible]


def matcher(wanted: str, match: Match) -> Matcher:
    """How texts are compared; raises ActionFailedError for a regular expression that is none."""
    if match == "exact":
        return lambda text: text.strip() == wanted.strip()
    if match == "contains":
        return lambda text: wanted in text
    try:
        pattern = re.compile(wanted)
    except re.error as error:
        raise ActionFailedError(f"the text is not a regular expression: {error}", path="with.text") from None
    return lambda text: pattern.search(text) is not None


def find_texts(elements: Sequence[Element], fits: Matcher) -> Iterator[tuple[Element, str]]:
    """The elements whose text or description fits, in order, each with the words that did."""
    for element in elements:
        if word := next(filter(fits, element.words), None):
            yield element, word


def describe(elements: Sequence[Element], most: int = 200) -> str:
    """What the screen shows, for a message; nothing that somebody typed."""
    words = dict.fromkeys(word for element in elements if not element.is_editable for word in element.words)
    told = ", ".join(words)
    return (told if len(told) <= most else told[: most - 1] + "…") or "no text at all"


def _element(node: ET.Element) -> Element:
    bounds = _BOUNDS.match(node.get("bounds", ""))
    left, top, right, bottom = map(int, bounds.groups()) if bounds else (0, 0, 0, 0)
    return Element(
        text=node.get("text", ""),
        description=node.get("content-desc", ""),
        hint=node.get("hint", ""),
        resource_id=node.get("resource-id", ""),
        kind=node.get("class", ""),
        package=node.get("package", ""),
        bounds=(left, top, right, bottom),
        is_clickable=node.get("clickable") == "true",
        is_password=node.get("password") == "true",
    )


def _repaired(document: str) -> str:
    """The document without what some versions write for emoji and control characters, and no parser takes."""
    return _UNFIT.sub("", _REFERENCE.sub(_reference, _SURROGATES.sub(_pair, document)))


def _pair(match: re.Match[str]) -> str:
    high, low = int(match[1]) - 0xD800, int(match[2]) - 0xDC00
    # Others are left for _reference, which judges each by itself.
    return chr(0x10000 + (high << 10) + low) if high in _HALF and low in _HALF else match[0]


def _reference(match: re.Match[str]) -> str:
    code = int(match[1][1:], 16) if match[1].startswith("x") else read_count(match[1])
    is_fit = code is not None and code <= 0x10FFFF and not _UNFIT.match(chr(code))  # noqa: PLR2004 - the last code point
    return match[0] if is_fit else ""
