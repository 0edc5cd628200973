"""Which video or channel somebody means: every form that YouTube uses, and forms that mean something else."""

import pytest

from corral.content import read_channel, read_video
from corral.model.errors import ContentUrlInvalidError

ID = "dQw4w9WgXcQ"
CHANNEL = "UC_x5XG1OV2P6uZZ5FSM9Ttw"

REAL_VIDEOS = [
    ID,
    "-_-_-_-_-_-",
    f"  {ID}\n",
    f"https://www.youtube.com/watch?v={ID}",
    f"http://www.youtube.com/watch?v={ID}",
    f"https://youtube.com/watch?v={ID}",
    f"https://m.youtube.com/watch?v={ID}",
    f"https://music.youtube.com/watch?v={ID}&list=RDAMVM{ID}",
    f"https://gaming.youtube.com/watch?v={ID}",
    f"HTTPS://WWW.YouTube.COM/watch?v={ID}",
    f"https://www.youtube.com:443/watch?v={ID}",
    f"www.youtube.com/watch?v={ID}",
    f"youtube.com/watch?v={ID}",
    f"youtube.com:443/watch?v={ID}",
    f"m.youtube.com/watch?v={ID}",
    f"//www.youtube.com/watch?v={ID}",
    f"https://www.youtube.com/watch/?v={ID}",
    f"https://www.youtube.com/watch?app=desktop&v={ID}&t=1m3s",
    f"https://www.youtube.com/watch?v={ID}&list=PLx0sYbCqOb8TBPRdmBHs5Iftvv9TPboYG&index=4",
    f"https://www.youtube.com/watch?v={ID}&ab_channel=방탄소년단",
    f"https://www.youtube.com/watch?v={ID}&feature=youtu.be#t=10",
    f"https://www.youtube.com/watch?v={ID}&v={ID}",
    f"https://www.youtube.com/watch?v={ID[:-1]}%51",
    f"https://www.youtube.com/watch_popup?v={ID}",
    f"https://www.youtube.com/?v={ID}",
    f"https://www.youtube.com/watch/{ID}",
    f"https://www.youtube.com/shorts/{ID}",
    f"https://youtube.com/shorts/{ID}?si=AbCdEfGhIjKlMnOp&feature=share",
    f"https://www.youtube.com/live/{ID}?feature=share",
    f"https://www.youtube.com/embed/{ID}",
    f"https://www.youtube.com/embed/{ID}?autoplay=1&start=30",
    f"https://www.youtube.com/v/{ID}",
    f"https://www.youtube.com/v/{ID}?version=3&fs=1",
    f"https://www.youtube.com/e/{ID}",
    f"https://www.youtube.com/vi/{ID}",
    f"https://www.youtube-nocookie.com/embed/{ID}?rel=0",
    f"https://youtube-nocookie.com/embed/{ID}",
    f"https://youtu.be/{ID}",
    f"youtu.be/{ID}",
    f"https://youtu.be/{ID}?si=AbCdEfGhIjKlMnOp&t=42",
    f"https://youtu.be/{ID}/",
    f"https://www.youtube.com/attribution_link?a=8g8kPrPIi-ecwIsS&u=%2Fwatch%3Fv%3D{ID}%26feature%3Dem-uploademail",
]

HOSTILE_VIDEOS = {
    "": "nothing was given",
    "   ": "nothing was given",
    f"https://vimeo.com/watch?v={ID}": "vimeo.com is not a host of YouTube's",
    f"https://youtube.com.evil.example/watch?v={ID}": "not a host of YouTube's",
    f"https://evil.example/https://www.youtube.com/watch?v={ID}": "not a host of YouTube's",
    f"https://evilyoutube.com/watch?v={ID}": "not a host of YouTube's",
    f"https://www-youtube.com/watch?v={ID}": "not a host of YouTube's",
    f"https://www.y0utube.com/watch?v={ID}": "not a host of YouTube's",
    f"https://youtube.co/watch?v={ID}": "not a host of YouTube's",
    f"https://accounts.youtube.com/watch?v={ID}": "not a host of YouTube's",
    f"https://www.youtube.com./watch?v={ID}": "not a host of YouTube's",
    f"https://www.youtube%2ecom/watch?v={ID}": "not a host of YouTube's",
    f"https://youtu.be.evil.example/{ID}": "not a host of YouTube's",
    f"https://127.0.0.1/watch?v={ID}": "127.0.0.1 is not a host",
    f"https://2130706433/watch?v={ID}": "not a host of YouTube's",
    f"https://0x7f.1/watch?v={ID}": "not a host of YouTube's",
    f"http://[::1]/watch?v={ID}": "not a host of YouTube's",
    f"http://[::1/watch?v={ID}": "this is no address",
    f"http://169.254.169.254/latest/meta-data?v={ID}": "not a host of YouTube's",
    f"http://localhost/watch?v={ID}": "not a host of YouTube's",
    f"https://user:password@www.youtube.com/watch?v={ID}": "a user name or a password",
    f"https://www.youtube.com@evil.example/watch?v={ID}": "a user name or a password",
    f"https://@www.youtube.com/watch?v={ID}": "a user name or a password",
    f"https://www.youtube.com:8080/watch?v={ID}": "port 8080",
    f"http://www.youtube.com:22/watch?v={ID}": "port 22",
    f"https://www.youtube.com:http/watch?v={ID}": "this is no address",
    f"file:///etc/passwd?v={ID}": "not file:",
    f"ftp://www.youtube.com/watch?v={ID}": "not ftp:",
    f"javascript:alert('{ID}')": "not javascript:",
    f"data:text/html,{ID}": "not data:",
    f"gopher://www.youtube.com/watch?v={ID}": "not gopher:",
    f"https://www.y\u043eutube.com/watch?v={ID}": "letters that are not what they look like",
    f"https://\uff57\uff57\uff57.youtube.com/watch?v={ID}": "letters that are not what they look like",
    f"https://www。youtube。com/watch?v={ID}": "letters that are not what they look like",
    f"https://xn--yutube-nqf.com/watch?v={ID}": "not a host of YouTube's",
    f"https://www.youtube.com\\@evil.example/watch?v={ID}": "backslash",
    f"https:\\\\www.youtube.com\\watch?v={ID}": "backslash",
    f"https://www.you\ttube.com/watch?v={ID}": "cannot be seen",
    f"https://www.youtube.com/watch?v={ID}\nHost: evil.example": "cannot be seen",
    f"https://www.youtube.com/watch?v=\u202e{ID}": "cannot be seen",
    f"https://www.youtube.com/wa\u200btch?v={ID}": "cannot be seen",
    f"https://www.youtube.com/redirect?q=https://evil.example&v={ID}": "names no video",
    f"https://www.youtube.com/oembed?url=https://evil.example&v={ID}": "names no video",
    "https://www.youtube.com/attribution_link?u=https%3A%2F%2Fevil.example%2Fx": "names no video",
    f"https://www.youtube.com/channel/{CHANNEL}": "names no video",
    "https://www.youtube.com/@handle": "names no video",
    "https://www.youtube.com/": "names no video",
    "https://www.youtube.com/watch": "names no video",
    "https://www.youtube.com/playlist?list=PLx0sYbCqOb8TBPRdmBHs5Iftvv9TPboYG": "names no video",
    "https://www.youtube.com/embed/videoseries?list=PLx0sYbCqOb8TB": "names a playlist or a live stream",
    "https://www.youtube.com/embed/live_stream?channel=UC_x5XG1OV2P6uZZ5FSM9Ttw": "names a playlist or a live stream",
    f"https://www.youtube.com/watch?v={ID}&v=another-one": "names several videos",
    "https://www.youtube.com/watch?v=tooshort": "'tooshort' is not the id of a video",
    f"https://www.youtube.com/watch?v={ID}x": "is not the id of a video",
    "https://youtu.be/": "is not the id of a video",
    "https://youtu.be/../../etc/passwd": "is not the id of a video",
    "https://www.youtube.com/embed/..%2f..%2fabcde": "is not the id of a video",
    "https://www.youtube.com/watch?v=<script>abc": "is not the id of a video",
    "https://www.youtube.com/watch?v=" + "\uff41" * 11: "is not the id of a video",
    "https://www.youtube.com/watch?v=" + "a" * 3000: "at most 2048 characters",
    "just some words": "cannot be seen",
    "words": "words is not a host of YouTube's",
}

REAL_CHANNELS = {
    CHANNEL: ("id", CHANNEL),
    "@GoogleDevelopers": ("handle", "GoogleDevelopers"),
    "@방탄소년단": ("handle", "방탄소년단"),
    "@with.dots-and_more": ("handle", "with.dots-and_more"),
    f"https://www.youtube.com/channel/{CHANNEL}": ("id", CHANNEL),
    f"https://www.youtube.com/channel/{CHANNEL}/videos?view=0": ("id", CHANNEL),
    f"https://m.youtube.com/channel/{CHANNEL}": ("id", CHANNEL),
    f"https://music.youtube.com/channel/{CHANNEL}": ("id", CHANNEL),
    "https://www.youtube.com/@GoogleDevelopers": ("handle", "GoogleDevelopers"),
    "https://www.youtube.com/@GoogleDevelopers/videos": ("handle", "GoogleDevelopers"),
    "youtube.com/@GoogleDevelopers?si=AbCdEfGh": ("handle", "GoogleDevelopers"),
    "https://www.youtube.com/%40GoogleDevelopers": ("handle", "GoogleDevelopers"),
    "https://www.youtube.com/@%EB%B0%A9%ED%83%84": ("handle", "방탄"),
    "https://www.youtube.com/user/Google": ("user", "Google"),
    "https://www.youtube.com/c/GoogleDevelopers/featured": ("custom", "GoogleDevelopers"),
    f"https://www.youtube.com/feeds/videos.xml?channel_id={CHANNEL}": ("id", CHANNEL),
}

HOSTILE_CHANNELS = {
    "": "nothing was given",
    "@": "is not the name of a channel",
    "@..": "is not the name of a channel",
    "@../../etc/passwd": "is not the name of a channel",
    "@a/b": "is not the name of a channel",
    "@a?b": "is not the name of a channel",
    "@evil.example/": "is not the name of a channel",
    "https://evil.example/@GoogleDevelopers": "not a host of YouTube's",
    f"https://evil.example/channel/{CHANNEL}": "not a host of YouTube's",
    "https://user@www.youtube.com/@GoogleDevelopers": "a user name or a password",
    "file:///@GoogleDevelopers": "not file:",
    "https://www.youtube.com/channel/UCshort": "is not the id of a channel",
    "https://www.youtube.com/channel/../../@x": "is not the id of a channel",
    "https://www.youtube.com/@..%2F..%2Fredirect": "is not the name of a channel",
    f"https://www.youtube.com/watch?v={ID}": "names no channel",
    f"https://youtu.be/{ID}": "the address of a video, not of a channel",
    "https://www.youtube.com/c/": "is not the name of a channel",
    "https://www.youtube.com/": "names no channel",
}


@pytest.mark.parametrize("text", REAL_VIDEOS)
def test_every_real_form_names_its_video(text: str) -> None:
    assert read_video(text) in {ID, "-_-_-_-_-_-"}


@pytest.mark.parametrize(("text", "reason"), HOSTILE_VIDEOS.items())
def test_what_is_no_video_of_youtubes_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ContentUrlInvalidError) as raised:
        read_video(text)

    assert reason in raised.value.message
    assert raised.value.path == "url"


@pytest.mark.parametrize(("text", "expected"), REAL_CHANNELS.items())
def test_every_real_form_names_its_channel(text: str, expected: tuple[str, str]) -> None:
    ref = read_channel(text)

    assert (ref.kind, ref.name) == expected


@pytest.mark.parametrize(("text", "reason"), HOSTILE_CHANNELS.items())
def test_what_is_no_channel_of_youtubes_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ContentUrlInvalidError) as raised:
        read_channel(text)

    assert reason in raised.value.message
