"""Whatever somebody pastes names a video or is refused in words, and nothing worse."""

import re

from hypothesis import given
from hypothesis import strategies as st

from corral.content import read_channel, read_video
from corral.model.errors import ContentUrlInvalidError

PARTS = st.sampled_from(
    (
        *(
            "https://",
            "http:",
            "//",
            "www.youtube.com",
            "youtu.be",
            "evil.example",
            "@",
            ":443",
            ":80",
            "/watch",
            "?v=",
        ),
        *("dQw4w9WgXcQ", "/shorts/", "/embed/", "/channel/", "UC_x5XG1OV2P6uZZ5FSM9Ttw", "/@handle", "%2F", "%00"),
        *("#", "&", "\\", "[::1]", "169.254.169.254", "\u202e", "\uff0e", "/..", "attribution_link?u=", "\n"),
    )
)
ANYTHING = st.text(max_size=200) | st.lists(PARTS | st.text(max_size=5), max_size=8).map("".join)


@given(ANYTHING)
def test_any_text_is_a_video_or_refused(text: str) -> None:
    try:
        found = read_video(text)
    except ContentUrlInvalidError:
        return
    assert re.fullmatch(r"[A-Za-z0-9_-]{11}", found)


@given(ANYTHING)
def test_any_text_is_a_channel_or_refused(text: str) -> None:
    try:
        found = read_channel(text)
    except ContentUrlInvalidError:
        return
    assert re.fullmatch(r"/(channel/|@|user/|c/)[\w.\-·]{1,100}", found.page)
