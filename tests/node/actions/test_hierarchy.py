"""Reading dumps of the screen, and finding things in them."""

from __future__ import annotations

import pytest

from corral.model.errors import ActionFailedError
from corral.node.actions.form import find_button, find_field
from corral.node.actions.hierarchy import HierarchyError, Match, describe, find_texts, matcher, read_hierarchy
from tests.node.actions.screens import button, dump, field, node


def test_elements_come_in_order_with_their_centres_and_invisible_ones_not_at_all() -> None:
    elements = read_hierarchy(
        dump(
            node("outer", bounds="[0,63][1080,210]", children=node("inner", bounds="[10,70][21,80]")),
            node("flat", bounds="[0,5][100,5]"),
            node("nowhere", bounds=""),
        )
    )

    assert [(element.text, element.centre) for element in elements] == [
        ("outer", (540.0, 136.5)),
        ("inner", (15.5, 75.0)),
    ]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Tom &amp; &quot;Jerry&quot;", 'Tom & "Jerry"'),
        ("&#55357;&#56832; yes", "😀 yes"),
        ("half &#55357; gone", "half  gone"),
        ("bell\x07&#7;", "bell"),
        ("line&#10;break", "line\nbreak"),
        ("&#128512;", "😀"),
        ("&#99999999;", ""),
    ],
)
def test_texts_are_read_even_where_the_dump_is_not_quite_xml(written: str, read: str) -> None:
    elements = read_hierarchy(dump(node("PLACE")).replace("PLACE", written))

    assert elements[0].text == read


@pytest.mark.parametrize(
    "output",
    [
        "",
        "ERROR: could not get idle state.",
        "ERROR: null root node returned by UiTestAutomationBridge.",
        dump(node("a"))[:-30],
        '<hierarchy rotation="0"><node text="a"',
        "<hierarchy",
        '<!DOCTYPE x [<!ENTITY a "aaaa">]><hierarchy><node text="&a;"/></hierarchy>',
    ],
)
def test_a_dump_that_cannot_be_read_is_a_hiccup(output: str) -> None:
    with pytest.raises(HierarchyError):
        read_hierarchy(output)


def test_an_empty_screen_is_no_hiccup() -> None:
    assert read_hierarchy('<?xml version="1.0"?><hierarchy rotation="0" />') == []


@pytest.mark.parametrize(
    ("wanted", "match", "found"),
    [
        ("Log in", "exact", ["Log in", "Log in"]),
        ("Log", "exact", []),
        ("Log", "contains", ["Log in", "Please Log in now", "Log in"]),
        ("log", "contains", []),
        (r"^P.*now$", "regex", ["Please Log in now"]),
        (r"(?i)LOG IN$", "regex", ["Log in", "Log in"]),
    ],
)
def test_texts_and_descriptions_are_compared_as_told(wanted: str, match: Match, found: list[str]) -> None:
    elements = read_hierarchy(dump(node(" Log in "), node("Please Log in now"), node("x", desc="Log in"), node()))

    assert [word for _, word in find_texts(elements, matcher(wanted, match))] == found


def test_a_broken_regular_expression_is_named() -> None:
    with pytest.raises(ActionFailedError, match="not a regular expression"):
        matcher("(", "regex")


def test_what_was_typed_is_not_described() -> None:
    elements = read_hierarchy(dump(node("Title"), field("bob@example.com"), node("••••", password=True), node("Title")))

    assert describe(elements) == "Title"
    assert describe([]) == "no text at all"
    assert len(describe(read_hierarchy(dump(node("x" * 500))))) == 200


USER = field(id_="com.example.app:id/user", bounds="[0,0][10,10]")
HINTED = field("E-mail *", bounds="[0,20][10,30]")
NEW_HINTED = field("", hint="Phone", bounds="[0,40][10,50]")
LABELLED = node("Password:", bounds="[0,60][10,70]") + field(password=True, bounds="[0,80][10,90]")


@pytest.mark.parametrize(
    ("name", "top"),
    [
        ("com.example.app:id/user", 0),
        ("user", 0),
        ("e-mail", 20),
        ("Phone", 40),
        ("password", 80),
        ("PASSWORD:", 80),
        ("nobody", None),
    ],
)
def test_a_field_is_found_by_id_hint_or_label(name: str, top: int | None) -> None:
    elements = read_hierarchy(dump(node("Sign in"), USER, HINTED, NEW_HINTED, LABELLED))

    found = find_field(elements, name)

    assert (found.bounds[1] if found else None) == top


def test_a_label_without_a_field_after_it_is_no_field() -> None:
    assert find_field(read_hierarchy(dump(USER, node("Password"))), "Password") is None


@pytest.mark.parametrize(("name", "top"), [("Sign in", 20), ("go", 40), ("com.example.app:id/go", 40), ("Nope", None)])
def test_a_button_is_preferred_to_a_title_of_the_same_words(name: str, top: int | None) -> None:
    elements = read_hierarchy(
        dump(
            node("Sign in", bounds="[0,0][9,9]"),
            button("SIGN IN", bounds="[0,20][9,29]"),
            node(id_="com.example.app:id/go", bounds="[0,40][9,49]"),
            field("Nope"),
        )
    )

    found = find_button(elements, name)

    assert (found.bounds[1] if found else None) == top
