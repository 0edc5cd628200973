"""Asking YouTube: with a key and without, on its good days and its bad ones."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from corral.config import Secret, ServerConfig
from corral.content import ChannelRef, Source
from corral.content.feed import read_feed
from corral.content.words import read_duration, read_time, tidy
from corral.model.errors import ContentNotFoundError, YouTubeUnavailableError
from tests.content.asking import make_source
from tests.content.fake_youtube import API_KEY, CHANNEL_ID, HANDLE, FakeYouTube, Reply, refusal

BY_HANDLE = ChannelRef("handle", HANDLE)


async def test_oembed_tells_title_channel_and_picture(youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()

    video = await make_source(youtube).find_video(video_id)

    assert (video.title, video.channel_title) == ("Playback reel 1", "Signage Lab")
    assert video.thumbnail_url == f"https://i.ytimg.com/vi/{video_id}/hqdefault.jpg"
    assert video.duration is None
    assert [each.path for each in youtube.requests] == ["/oembed"]


async def test_the_data_api_tells_duration_and_date_too(youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()

    video = await make_source(youtube, has_key=True).find_video(video_id)

    assert video.duration == timedelta(minutes=3, seconds=33)
    assert video.published_at == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)
    assert video.youtube_channel_id == CHANNEL_ID


async def test_the_key_is_in_no_address(youtube: FakeYouTube) -> None:
    youtube.upload()

    await make_source(youtube, has_key=True).list_uploads(CHANNEL_ID)

    assert all(API_KEY not in each.path + str(each.query) for each in youtube.requests)


@pytest.mark.parametrize("has_key", [False, True])
async def test_a_video_that_is_not_there_is_not_found(youtube: FakeYouTube, *, has_key: bool) -> None:
    with pytest.raises(ContentNotFoundError) as raised:
        await make_source(youtube, has_key=has_key).find_video("nosuchvideo")

    assert raised.value.code == "content_not_found"


@pytest.mark.parametrize("status", [401, 403])
async def test_a_private_video_is_said_to_be_so(youtube: FakeYouTube, status: int) -> None:
    youtube.ail("/oembed", Reply(status, b"Unauthorized"))

    with pytest.raises(ContentNotFoundError, match="private") as raised:
        await make_source(youtube).find_video("dQw4w9WgXcQ")

    assert raised.value.code == "content_closed"


@pytest.mark.parametrize("reason", ["quotaExceeded", "dailyLimitExceeded", "rateLimitExceeded"])
async def test_a_used_up_quota_is_said_plainly(youtube: FakeYouTube, reason: str) -> None:
    youtube.ail("/youtube/v3/", refusal(403, reason))

    with pytest.raises(YouTubeUnavailableError, match="quota of the YouTube Data API is used up") as raised:
        await make_source(youtube, has_key=True).find_video("dQw4w9WgXcQ")

    assert raised.value.code == "youtube_quota_exceeded"


async def test_a_wrong_key_is_said_plainly_and_not_repeated(youtube: FakeYouTube) -> None:
    config = ServerConfig(youtube_url=youtube.url, youtube_api_key=Secret("another-key-altogether"))

    with pytest.raises(YouTubeUnavailableError, match=r"API_KEY_INVALID.*check CORRAL_YOUTUBE_API_KEY") as raised:
        await Source(config).find_video("dQw4w9WgXcQ")

    assert raised.value.code == "youtube_refused"
    assert "another-key" not in raised.value.message


@pytest.mark.parametrize("ref", [BY_HANDLE, ChannelRef("user", HANDLE), ChannelRef("custom", HANDLE)])
@pytest.mark.parametrize("has_key", [False, True])
async def test_a_channel_is_found_by_every_kind_of_name(
    youtube: FakeYouTube, ref: ChannelRef, *, has_key: bool
) -> None:
    channel = await make_source(youtube, has_key=has_key).find_channel(ref)

    assert (channel.youtube_channel_id, channel.title) == (CHANNEL_ID, "Signage Lab")


@pytest.mark.parametrize("has_key", [False, True])
@pytest.mark.parametrize("ref", [ChannelRef("handle", "nobody"), ChannelRef("id", "UC" + "0" * 22)])
async def test_a_channel_that_is_not_there_is_not_found(
    youtube: FakeYouTube, ref: ChannelRef, *, has_key: bool
) -> None:
    with pytest.raises(ContentNotFoundError):
        await make_source(youtube, has_key=has_key).find_channel(ref)


async def test_a_page_without_the_channels_id_says_what_to_do(youtube: FakeYouTube) -> None:
    youtube.ail("/@", Reply(200, b"<html>Before you continue to YouTube</html>"))

    with pytest.raises(YouTubeUnavailableError, match="register it by its id"):
        await make_source(youtube).find_channel(BY_HANDLE)


@pytest.mark.parametrize(("has_key", "most"), [(False, 15), (True, 50)])
async def test_uploads_come_newest_first_and_only_if_they_changed(
    youtube: FakeYouTube, *, has_key: bool, most: int
) -> None:
    made = youtube.upload(60)
    source = make_source(youtube, has_key=has_key)

    told = await source.list_uploads(CHANNEL_ID)
    assert told.videos is not None
    assert [video.youtube_video_id for video in told.videos] == made[: -most - 1 : -1]
    assert told.videos[0].published_at == datetime(2026, 1, 1, 1, 0, tzinfo=UTC)

    again = await source.list_uploads(CHANNEL_ID, etag=told.etag, last_modified=told.last_modified)
    assert again.videos is None
    assert again.etag == told.etag


async def test_a_stumble_is_tried_again(youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()
    youtube.ail("/oembed", Reply(503))

    async def recover(_seconds: float) -> None:
        youtube.recover()

    source = make_source(youtube)
    source._fetcher._pause = recover

    assert (await source.find_video(video_id)).title == "Playback reel 1"
    assert len(youtube.requests) == 2


TROUBLES: dict[str, tuple[Reply | None, str]] = {
    "500": (Reply(500, b"oops"), "YouTube answered 500"),
    "429": (Reply(429), "YouTube answered 429"),
    "404": (Reply(404, b"Not Found"), "no feed of channel"),
    "garbage": (Reply(200, b"\x00\xff<<<garbage>>>"), "it is not a feed"),
    "html": (Reply(200, b"<html><body>Sorry</body></html>"), "it is not a feed"),
    "empty": (Reply(200), "it is not a feed"),
    "json": (Reply(200, b'{"items": []}'), "it is not a feed"),
    "nothing": (None, "did not answer within"),
    "redirect": (Reply(302, headers={"location": "http://evil.example/"}), "a redirect, which is not followed"),
    "flood": (Reply(200, b"x" * (2 * 1024 * 1024 + 1)), "more than 2097152 bytes"),
    "cut short": (Reply(200, b"<feed", {"content-length": "5000"}), "cannot be reached"),
}


@pytest.mark.parametrize("trouble", TROUBLES)
async def test_a_feed_in_trouble_says_what_it_is(youtube: FakeYouTube, trouble: str) -> None:
    reply, message = TROUBLES[trouble]
    youtube.ail("/feeds/", reply)

    with pytest.raises((YouTubeUnavailableError, ContentNotFoundError)) as raised:
        await make_source(youtube, deadline_s=0.3 if reply is None else 20).list_uploads(CHANNEL_ID)

    assert message in raised.value.message


async def test_nobody_there_is_said_plainly() -> None:
    with pytest.raises(YouTubeUnavailableError, match="cannot be reached"):
        await Source(ServerConfig(youtube_url="http://127.0.0.1:9")).find_video("dQw4w9WgXcQ")


@pytest.mark.parametrize("body", [b"null", b"[]", b"not json", b'{"items": 5}', b'{"items": [7]}'])
async def test_an_api_that_speaks_otherwise_is_not_believed(youtube: FakeYouTube, body: bytes) -> None:
    youtube.ail("/youtube/v3/", Reply(200, body))

    with pytest.raises(YouTubeUnavailableError, match="not its own"):
        await make_source(youtube, has_key=True).find_video("dQw4w9WgXcQ")


async def test_a_picture_is_one_by_its_first_bytes(youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()

    picture = await make_source(youtube).fetch_thumbnail(video_id)

    assert picture.content_type == "image/png"  # whatever its header says


@pytest.mark.parametrize(
    "reply",
    [Reply(200, b"<svg onload=alert(1)>", {"content-type": "image/jpeg"}), Reply(200, b"\xff\xd8\xff" * 100_000)],
)
async def test_what_is_no_small_picture_is_refused(youtube: FakeYouTube, reply: Reply) -> None:
    youtube.ail("/vi/", reply)

    with pytest.raises(YouTubeUnavailableError):
        await make_source(youtube).fetch_thumbnail("dQw4w9WgXcQ")


def test_a_feed_keeps_what_is_fit_and_drops_the_rest() -> None:
    body = b"""<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns="http://www.w3.org/2005/Atom">
      <title>A &lt;b&gt; C</title>
      <entry><yt:videoId>dQw4w9WgXcQ</yt:videoId><title>One\n two &#x202e; &amp; three</title></entry>
      <entry><yt:videoId>../../etc/pw</yt:videoId><title>No id</title></entry><entry><title>None at all</title></entry></feed>"""

    title, videos = read_feed(body, channel_id=CHANNEL_ID)

    assert title == "A <b> C"
    assert [(video.youtube_video_id, video.title) for video in videos] == [("dQw4w9WgXcQ", "One two & three")]


def test_a_feed_opens_no_file_and_no_address(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2", encoding="utf-8")
    body = f"""<?xml version="1.0"?><!DOCTYPE feed [<!ENTITY x SYSTEM "{secret.as_uri()}">]>
      <feed xmlns="http://www.w3.org/2005/Atom"><title>A &x; B</title></feed>"""

    title, _ = read_feed(body.encode(), channel_id=CHANNEL_ID)

    assert "hunter2" not in str(title)
    with pytest.raises(YouTubeUnavailableError):
        read_feed(str(secret).encode(), channel_id=CHANNEL_ID)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("PT3M33S", 213),
        ("PT1H", 3600),
        ("P1DT2H3M4S", 93784),
        ("P1W", 604800),
        ("P0D", None),
        ("3:33", None),
        (5, None),
    ],
)
def test_durations_are_read_as_the_api_writes_them(text: object, seconds: int | None) -> None:
    duration = read_duration(text)

    assert (None if duration is None else duration.total_seconds()) == seconds


@pytest.mark.parametrize("text", ["", "yesterday", "2026-01-01T00:00:00", None, 7])
def test_what_is_no_instant_is_none(text: object) -> None:
    assert read_time(text) is None


def test_text_is_tidied() -> None:
    assert tidy("  a\x00\n b\u202e ") == "a b"
    assert tidy("x" * 1000) == "x" * 500
    assert tidy(None) is None
