"""Whatever a phone prints where a screen, a start or its health is asked for: it is read, or refused as the phone's words."""

from __future__ import annotations

import msgspec
from hypothesis import example, given
from hypothesis import strategies as st

from corral.node.actions.activities import parse_started
from corral.node.actions.front import parse_front
from corral.node.actions.hierarchy import HierarchyError, read_hierarchy
from corral.node.actions.screen import parse_size
from corral.node.health.probe import read_sample

MARK = "--corral--"
NUMBERS = st.one_of(
    st.integers().map(str),
    st.sampled_from(["", "-", "²", "٣", "9" * 19, "9" * 400, "9" * 5_000, "1e999", "nan", "-1", "1.5", "0x1", "1_0"]),
)
LABELS = st.sampled_from(
    [
        *(
            "Physical size: ",
            "Override size: ",
            "cur=",
            "x",
            "Status: ok\n",
            "TotalTime: ",
            "Activity: a.b/.C\n",
            "Warning: w\n",
        ),
        *(
            "level: ",
            "scale: ",
            "temperature: ",
            "status: ",
            "Filesystem 1K-blocks Used Available Use% Mounted on\n/data 1 1 ",
        ),
        *(" 5% /data\n", "K", "G", "T", "\n", " ", "mResumedActivity: a/.B ", "Size Used Free Blksize\n/data 1G 1G "),
    ]
)
OUTPUTS = st.lists(LABELS | NUMBERS | st.text(max_size=5), max_size=12).map("".join)
PIECES = st.one_of(
    st.builds(lambda number: f"&#{number};", NUMBERS | st.integers(55_000, 57_999).map(str)),
    st.sampled_from(
        ["&#x110000;", "&#xd83d;", "&#x" + "f" * 5_000 + ";", "<node/>", "<", "&", '"', "\0", "\ud800", "😀"]
    ),
    st.text(max_size=5),
)
DUMPS = st.builds(
    lambda text, numbers: (
        f'<?xml version="1.0"?><hierarchy><node text="{text}" bounds="[{numbers[0]},{numbers[1]}][{numbers[2]},9]"/></hierarchy>'
    ),
    st.lists(PIECES, max_size=5).map("".join),
    st.lists(NUMBERS, min_size=3, max_size=3),
)


@given(output=OUTPUTS)
@example(output="Physical size: " + "9" * 5_000 + "x1")
@example(output="TotalTime: ²\n")
@example(output="Filesystem 1K-blocks Used Available Use% Mounted on\n/data 1 1 " + "9" * 400 + " 5% /data\n")
def test_any_output_is_read_as_something_that_can_be_told(output: str) -> None:
    size = parse_size(output)
    assert size is None or max(size) < 10**6
    for read in (parse_started(output), read_sample(output), read_sample(MARK + output), parse_front(output)):
        msgspec.json.encode(read)


@given(output=DUMPS | st.text(max_size=50))
@example(output='<hierarchy><node text="&#55000;&#56000;" bounds="[0,0][9,9]"/></hierarchy>')
@example(output=f'<hierarchy><node text="&#{"9" * 5_000};" bounds="[0,0][9,9]"/></hierarchy>')
@example(output=f'<hierarchy><node text="x" bounds="[0,0][9,{"9" * 5_000}]"/></hierarchy>')
def test_any_dump_is_read_or_refused(output: str) -> None:
    try:
        elements = read_hierarchy(output)
    except HierarchyError:
        return
    msgspec.json.encode([(element.text, element.centre) for element in elements])
