"""Tables in documents: each has one place, each place one table, and what people wrote around them stays."""

import pytest

from tests.bench.tables import fill_in, write_table

DOCUMENT = """Before.

<!-- measured: sun -->
old
<!-- end -->

Between.

<!-- measured: moon -->
<!-- end -->
After.
"""


def test_each_table_goes_to_its_place_and_the_rest_stays() -> None:
    filled = fill_in(DOCUMENT, {"moon": "| m |", "sun": "| s |\n| 1 |"})

    assert filled == (
        "Before.\n\n<!-- measured: sun -->\n| s |\n| 1 |\n<!-- end -->\n\n"
        "Between.\n\n<!-- measured: moon -->\n| m |\n<!-- end -->\nAfter.\n"
    )


def test_filling_in_again_replaces_what_was_there() -> None:
    other = fill_in(DOCUMENT, {"moon": "more\nthan\none line", "sun": "new"})

    assert fill_in(other, {"moon": "", "sun": "old"}) == fill_in(DOCUMENT, {"moon": "", "sun": "old"})


@pytest.mark.parametrize(
    ("text", "tables", "words"),
    [
        (DOCUMENT, {"sun": ""}, "nothing belongs to the marker moon"),
        (DOCUMENT, {"sun": "", "moon": "", "mars": ""}, "there is no place for mars"),
        (DOCUMENT * 2, {"sun": "", "moon": ""}, "there are 2 places for sun; there are 2 places for moon"),
        (DOCUMENT.replace("old\n<!-- end -->\n", ""), {"sun": "", "moon": ""}, "the marker sun has no end"),
        (DOCUMENT.removesuffix("<!-- end -->\nAfter.\n"), {"sun": "", "moon": ""}, "the marker moon has no end"),
        ("<!-- measured: a moon -->\n<!-- end -->\n", {}, "nothing belongs to the marker a moon"),
    ],
)
def test_a_document_whose_places_are_not_those_of_the_tables_is_refused(
    text: str, tables: dict[str, str], words: str
) -> None:
    with pytest.raises(ValueError, match=f"^{words}$"):
        fill_in(text, tables)


def test_words_stand_at_the_left_and_numbers_at_the_right() -> None:
    assert write_table(("who", "how", "jobs/s"), [["Corral", "fast", "10"]], words=2) == (
        "| who | how | jobs/s |\n| --- | --- | ---: |\n| Corral | fast | 10 |"
    )
