"""Which devices a run is for, as people write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.client import parse_target
from corral.model.errors import InvalidRequestError
from corral.model.records import Json

DEVICE = "0199f3c8-8a7b-7000-8000-000000000001"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["all"], {"all": True}),
        (["7"], {"indexes": [7]}),
        (["1-50"], {"indexes": [[1, 50]]}),
        (["3,7, 10-12"], {"indexes": [3, 7, [10, 12]]}),
        (["node:rack-1", "node:rack-2"], {"nodes": ["rack-1", "rack-2"]}),
        (["serial:192.168.0.5:5555"], {"serials": ["192.168.0.5:5555"]}),
        (["tag:pixel,tag:new"], {"tags": ["pixel", "new"]}),
        (["label=front desk,label:x=y", "label=a:b"], {"labels": ["front desk", "x=y", "a:b"]}),
        (["any:5", "tag:pixel"], {"any": 5, "tags": ["pixel"]}),
        ([f"device:{DEVICE}"], {"device_ids": [DEVICE]}),
        (["node:rack-1", "1-50"], {"nodes": ["rack-1"], "indexes": [[1, 50]]}),
        (["all", "node:rack-1"], {"nodes": ["rack-1"]}),
    ],
)
def test_a_target_is_read_as_documented(words: list[str], expected: Json) -> None:
    assert parse_target(*words) == expected


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "no device is named"),
        ([" , "], "no device is named"),
        (["50-1"], "write 1-50"),
        (["0"], "'0' is not a target"),
        (["1-"], "'1-' is not a target"),
        (["rack-1"], "'rack-1' is not a target"),
        (["colour:red"], "'colour:red' is not a target"),
        (["node:"], "as in node:rack-1"),
        (["label="], "as in label=door"),
        (["labels:red"], "'labels:red' is not a target"),
        (["any:few"], "as in any:5"),
        (["any:1", "any:2"], "once"),
        (["any:1", "node:rack-1"], "nothing else"),
        (["any:1", "all"], "exclude one another"),
        (["device:5"], "a UUID"),
    ],
)
def test_what_is_not_a_target_is_refused_in_words_that_help(words: list[str], told: str) -> None:
    with pytest.raises(InvalidRequestError, match=told) as caught:
        parse_target(*words)

    assert caught.value.path == "target"


@given(st.lists(st.text(max_size=20), max_size=4))
def test_whatever_is_written_is_a_target_or_refused(words: list[str]) -> None:
    try:
        target = parse_target(*words)
    except InvalidRequestError:
        return
    assert target
