"""JSON from elsewhere."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.model.reading import read_json


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
