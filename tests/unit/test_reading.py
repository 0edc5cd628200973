"""JSON and numbers from elsewhere."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.model.reading import MOST_DIGITS, read_count, read_json, read_number


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"{", "truncated"),
        (b'"\xff"', "not UTF-8"),
        (b'{"\xed\xa0\x80": 1}', "not UTF-8"),
        ('"\udcff"', "not UTF-8"),
        (b"[" * 50_000, "nested too deeply"),
        (b'{"a": ' * 50_000, "nested too deeply"),
    ],
)
def test_whatever_is_wrong_is_one_kind_of_error(text: str | bytes, message: str) -> None:
    with pytest.raises(msgspec.DecodeError, match=message):
        read_json(text)


@given(st.binary() | st.binary().map(lambda inner: b'{"a": ["' + inner + b'"]}'))
def test_any_bytes_are_read_or_refused(text: bytes) -> None:
    try:
        read_json(text, dict[str, list[str]])
    except msgspec.DecodeError as error:
        assert str(error)  # noqa: PT017 - either will do


def test_what_is_said_is_of_the_kind_that_was_asked_for() -> None:
    assert read_json(b'{"a": 1}', dict[str, int]) == {"a": 1}
    assert read_json("[1, null]") == [1, None]
    with pytest.raises(msgspec.ValidationError, match="Expected `int`"):
        read_json(b'{"a": "x"}', dict[str, int])


@pytest.mark.parametrize(
    ("text", "number", "count"),
    [
        ("0", 0, 0),
        ("007", 7, 7),
        ("-5", -5, None),
        ("9" * MOST_DIGITS, 10**MOST_DIGITS - 1, 10**MOST_DIGITS - 1),
        *((text, None, None) for text in ("", "-", "--5", "+5", " 5", "5\n", "1_0", "1.5", "0x1", "²", "٣")),
        *((text, None, None) for text in ("9" * (MOST_DIGITS + 1), "9" * 5_000, "-" + "9" * 5_000)),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_number_is_a_few_plain_digits_and_all_else_is_none(text: str, number: int | None, count: int | None) -> None:
    assert (read_number(text), read_count(text)) == (number, count)


@given(st.text() | st.text("-0123456789²٣", max_size=30))
def test_any_text_is_a_number_or_none(text: str) -> None:
    number = read_number(text)

    assert number is None or abs(number) < 10**MOST_DIGITS
