"""Whatever bytes a node's request has, they are read as what they are or refused, and nothing worse."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corral.wire.nodes import Beat, Callback, Pull, Register
from corral.wire.steps import Claim

KINDS = (Pull, Callback, Beat, Register, Claim)
NAMES = sorted({name for kind in KINDS for name in kind.__struct_fields__})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10) | st.uuids().map(str),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3),
    max_leaves=8,
)
BODIES = st.binary(max_size=200) | st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8).map(msgspec.json.encode)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@given(body=BODIES)
def test_any_body_is_read_or_refused(kind: Any, body: bytes) -> None:  # noqa: ANN401 - each of the requests
    try:
        read = msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError:
        return
    except UnicodeDecodeError:
        return
    assert isinstance(read, kind)
