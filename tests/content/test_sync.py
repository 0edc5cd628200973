"""Channels in sync: each video once, whoever syncs, dies or repeats himself, and whatever YouTube answers."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest
import pytest_asyncio

from corral.engine import Engine
from corral.model.contents import ContentChannel
from corral.upkeep.fetch_thumbnails import fetch_thumbnails
from corral.upkeep.start_content_runs import start_content_runs
from corral.upkeep.sync_content_channels import sync_content_channels
from tests.content.asking import make_source
from tests.content.fake_youtube import CHANNEL_ID, FakeYouTube, Reply
from tests.engine.farm import Farm

THREE_MINUTES = timedelta(minutes=3)
RUN = {"workflow": "playback", "target": {"all": True}}
RECIPE = {"name": "playback", "steps": [{"id": "look", "uses": "device.screenshot", "with": {}}]}


class Channel:
    """One channel of the fake YouTube's, on the test's database."""

    def __init__(self, farm: Farm, youtube: FakeYouTube) -> None:
        self.farm = farm
        self.engine = farm.engine
        self.youtube = youtube
        self.sync = sync_content_channels(make_source(youtube, deadline_s=5))

    async def register(self, **fields: Any) -> None:  # noqa: ANN401 - what the function takes
        await self.engine.content_channels.create_content_channel({"youtube_channel_id": CHANNEL_ID, **fields})

    async def state(self) -> ContentChannel:
        return await self.engine.content_channels.get(CHANNEL_ID)

    async def contents(self) -> list[str]:
        return [each.youtube_video_id for each in await self.engine.contents.list(limit=500)]

    async def after(self, wait: timedelta) -> None:
        """Time passes, and upkeep does what is due."""
        await self.farm.clock.advance(wait)
        await self.sync(self.engine)

    async def given_run_rule(self, **fields: Any) -> None:  # noqa: ANN401 - what the function takes
        await self.engine.workflows.create_workflow("playback", RECIPE)
        await self.register(run=RUN, **fields)
        await self.sync(self.engine)

    async def runs(self) -> list[str | None]:
        return [run.youtube_video_id for run in await self.engine.runs.list()]


@pytest.fixture
def channel(farm: Farm, youtube: FakeYouTube) -> Channel:
    return Channel(farm, youtube)


@pytest_asyncio.fixture
async def second(farm_dsn: str) -> AsyncIterator[Engine]:
    """Another server's engine, on the same database."""
    async with Engine.connect(farm_dsn, max_connections=4) as engine:
        yield engine


@pytest.mark.timeout(300)
async def test_two_servers_sync_a_day_and_every_video_appears_once(
    channel: Channel, second: Engine, youtube: FakeYouTube
) -> None:
    youtube.upload(3)
    await channel.register()

    for tick in range(480):
        if tick % 40 == 7:
            youtube.upload(2)
        if tick % 100 == 50:  # a feed that repeats itself, whatever it is told
            youtube.is_conditional = not youtube.is_conditional
        await asyncio.gather(channel.sync(channel.engine), channel.sync(second))
        await channel.farm.clock.advance(THREE_MINUTES)

    found = await channel.contents()
    assert sorted(found) == sorted(each.video_id for each in youtube.uploads)
    assert len(found) == 27
    assert len(youtube.asked("/feeds/videos.xml")) == 480
    assert await channel.farm.value("select count(*) from corral.content_channel_videos") == 27


async def test_what_was_published_last_is_listed_first(channel: Channel, youtube: FakeYouTube) -> None:
    made = youtube.upload(5)
    await channel.register()
    await channel.sync(channel.engine)

    assert await channel.contents() == made[::-1]


async def test_a_sync_that_finds_nothing_new_asks_with_the_validators(channel: Channel, youtube: FakeYouTube) -> None:
    youtube.upload()
    await channel.register()
    await channel.sync(channel.engine)

    await channel.after(THREE_MINUTES)

    first, again = youtube.asked("/feeds/videos.xml")
    assert "if-none-match" not in first.headers
    assert again.headers["if-none-match"] == '"feed-1"'
    assert again.headers["if-modified-since"] == "Thu, 01 Jan 2026 00:01:00 GMT"
    state = await channel.state()
    assert state.last_synced_at is not None
    assert state.next_sync_at == state.last_synced_at + THREE_MINUTES
    assert (state.title, state.contents, state.last_error_message) == ("Signage Lab", 1, None)


async def test_nothing_is_synced_before_it_is_due(channel: Channel, youtube: FakeYouTube) -> None:
    await channel.register(sync_every_s=600)
    await channel.sync(channel.engine)
    await channel.after(timedelta(minutes=9))
    assert len(youtube.requests) == 1

    await channel.after(timedelta(minutes=1))

    assert len(youtube.requests) == 2


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (Reply(404, b"Not Found"), f"YouTube has no feed of channel {CHANNEL_ID}"),
        (Reply(500, b"oops"), "YouTube answered 500 when asked for a feed"),
        (Reply(200, b"\xffgarbage"), "YouTube's feed of the channel cannot be read: it is not a feed"),
        (Reply(200, b""), "YouTube's feed of the channel cannot be read: it is not a feed"),
        (None, "did not answer within 0.3 s"),
    ],
    ids=["404", "500", "garbage", "empty", "nothing"],
)
async def test_a_feed_in_trouble_is_survived_and_shown(
    channel: Channel, youtube: FakeYouTube, reply: Reply | None, message: str
) -> None:
    youtube.upload()
    await channel.register()
    await channel.sync(channel.engine)
    before = await channel.state()
    channel.sync = sync_content_channels(make_source(youtube, deadline_s=0.3 if reply is None else 20))
    youtube.ail("/feeds/", reply)

    await channel.after(THREE_MINUTES)

    broken = await channel.state()
    assert message in (broken.last_error_message or "")
    assert (broken.sync_failures, broken.last_synced_at, broken.contents) == (1, before.last_synced_at, 1)
    assert broken.last_error_at is not None

    youtube.recover()
    youtube.upload()
    await channel.after(timedelta(minutes=8))

    mended = await channel.state()
    assert (mended.sync_failures, mended.last_error_message, mended.contents) == (0, None, 2)


async def test_a_channel_that_keeps_failing_is_asked_ever_less_often(channel: Channel, youtube: FakeYouTube) -> None:
    youtube.ail("/feeds/", Reply(404))
    await channel.register()
    waits = []
    for _ in range(12):
        await channel.sync(channel.engine)
        state = await channel.state()
        assert state.next_sync_at is not None
        assert state.last_error_at is not None
        waits.append((state.next_sync_at - state.last_error_at) / THREE_MINUTES)
        await channel.farm.clock.advance(state.next_sync_at - state.last_error_at)

    assert all(2 ** (n + 1) <= wait <= 1.2 * 2 ** (n + 1) for n, wait in enumerate(waits[:6]))
    assert all(120 <= wait <= 144 for wait in waits[7:])  # six hours, and a little
    assert len(set(waits[7:])) > 1


async def test_a_server_that_dies_with_a_sync_loses_it_and_its_late_word_changes_nothing(
    channel: Channel, second: Engine, youtube: FakeYouTube
) -> None:
    (video_id,) = youtube.upload()
    await channel.register()
    (claimed,) = await second.content_channels.claim_content_channels()
    await channel.sync(channel.engine)
    assert await channel.contents() == []  # it is the other's

    await channel.after(timedelta(minutes=2))

    assert await channel.contents() == [video_id]
    late: dict[str, Any] = {"videos": [{"youtube_video_id": "neverpublsh"}], "etag": "old"}
    assert await second.content_channels.finish_content_sync(claimed, late) is None
    assert not await second.content_channels.fail_content_sync(claimed, "too late")
    assert await channel.contents() == [video_id]
    assert (await channel.state()).last_error_message is None


async def test_a_paused_channel_is_left_alone_until_it_is_resumed(channel: Channel, youtube: FakeYouTube) -> None:
    await channel.register()
    await channel.sync(channel.engine)
    await channel.engine.content_channels.update_content_channel(CHANNEL_ID, {"is_paused": True})
    youtube.upload()
    await channel.after(timedelta(hours=1))
    assert await channel.contents() == []

    await channel.engine.content_channels.update_content_channel(CHANNEL_ID, {"is_paused": False})
    await channel.sync(channel.engine)

    assert len(await channel.contents()) == 1


async def test_a_deleted_content_does_not_come_back(channel: Channel, youtube: FakeYouTube) -> None:
    first, other = youtube.upload(2)
    await channel.register()
    await channel.sync(channel.engine)
    await channel.engine.contents.delete_content(first)
    youtube.is_conditional = False

    await channel.after(THREE_MINUTES)

    assert await channel.contents() == [other]


async def test_contents_stay_when_their_channel_goes(channel: Channel, youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()
    await channel.register()
    await channel.sync(channel.engine)

    await channel.engine.content_channels.delete_content_channel(CHANNEL_ID)

    assert (await channel.engine.contents.get(video_id)).found_by is None


async def test_a_video_that_somebody_registered_first_gets_its_channel(channel: Channel, youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()
    await channel.engine.contents.register_content({"youtube_video_id": video_id, "title": "Old title"}, actor="ann")
    await channel.register()

    await channel.sync(channel.engine)

    content = await channel.engine.contents.get(video_id)
    assert (content.title, content.found_by, content.created_by) == ("Playback reel 1", CHANNEL_ID, "ann")
    assert await channel.contents() == [video_id]


async def test_nothing_runs_on_new_videos_unless_somebody_says_so(channel: Channel, youtube: FakeYouTube) -> None:
    await channel.register()
    await channel.sync(channel.engine)
    youtube.upload()
    await channel.after(THREE_MINUTES)

    await start_content_runs(channel.engine)

    assert await channel.runs() == []


async def test_two_servers_start_one_run_on_each_new_video_and_none_on_the_backlog(
    channel: Channel, second: Engine, youtube: FakeYouTube
) -> None:
    await channel.farm.given_node(devices=2)
    youtube.upload(4)
    await channel.given_run_rule()
    new = youtube.upload(3)
    await channel.after(THREE_MINUTES)

    await asyncio.gather(*(start_content_runs(engine) for engine in (channel.engine, second) for _ in range(3)))
    await channel.after(THREE_MINUTES)
    await start_content_runs(second)

    runs = await channel.engine.runs.list()
    assert sorted(str(run.youtube_video_id) for run in runs) == new
    assert {(run.source_type, run.source_id, run.total_jobs) for run in runs} == {("content_channel", CHANNEL_ID, 2)}
    assert {run.name for run in runs} == {"Playback reel 5", "Playback reel 6", "Playback reel 7"}
    assert (await channel.state()).runs_started == 3


async def test_a_run_whose_server_died_before_fanning_it_out_is_the_only_one(
    channel: Channel, second: Engine, youtube: FakeYouTube
) -> None:
    await channel.farm.given_node(devices=2)
    await channel.given_run_rule()
    youtube.upload()
    await channel.after(THREE_MINUTES)
    (due,) = await channel.engine.content_channels.list_due_content_runs()
    workflow = await channel.engine.workflows.find("playback")
    run_id = await channel.farm.value(
        "select corral.fn_start_content_run($1, $2, $3, '{}')", CHANNEL_ID, due.youtube_video_id, workflow.workflow_id
    )  # and the server died

    await start_content_runs(second)
    await second.upkeep.resume_unfinished_work()

    (run,) = await second.runs.list()
    assert (run.run_id, run.total_jobs) == (run_id, 2)
    assert await second.content_channels.start_content_run(due, workflow.workflow_id, {}) is None


async def test_no_more_runs_than_the_cap_start_within_a_day(channel: Channel, youtube: FakeYouTube) -> None:
    await channel.given_run_rule(run_cap=2)
    youtube.upload(5)
    await channel.after(THREE_MINUTES)
    await start_content_runs(channel.engine)

    assert len(await channel.runs()) == 2
    assert (await channel.state()).last_run_error == "the channel had its 2 runs within 24 hours"

    (later,) = youtube.upload()
    await channel.after(timedelta(days=1))
    await start_content_runs(channel.engine)

    assert (await channel.runs())[0] == later
    assert len(await channel.runs()) == 3


async def test_a_run_that_cannot_be_says_why(channel: Channel, youtube: FakeYouTube) -> None:
    await channel.given_run_rule()
    needy = {**RECIPE, "params": {"package": {"type": "string"}}}
    await channel.engine.workflows.create_workflow("playback", needy)
    youtube.upload()
    await channel.after(THREE_MINUTES)

    await start_content_runs(channel.engine)

    assert await channel.runs() == []
    assert (await channel.state()).last_run_error == "params.package: is required"
    assert await channel.engine.content_channels.list_due_content_runs() == []


async def test_a_rule_that_is_taken_back_starts_nothing(channel: Channel, youtube: FakeYouTube) -> None:
    await channel.given_run_rule()
    youtube.upload()
    await channel.after(THREE_MINUTES)
    await channel.engine.content_channels.update_content_channel(CHANNEL_ID, {"run": None})

    await start_content_runs(channel.engine)

    assert await channel.runs() == []


async def test_pictures_are_fetched_once_and_given_up_after_five_tries(channel: Channel, youtube: FakeYouTube) -> None:
    (video_id,) = youtube.upload()
    await channel.register()
    await channel.sync(channel.engine)
    fetch = fetch_thumbnails(make_source(youtube))
    youtube.ail("/vi/", Reply(404))
    for _ in range(8):
        await fetch(channel.engine)
        await channel.farm.clock.advance(timedelta(hours=1))
    assert len([each for each in youtube.requests if each.path.startswith("/vi/")]) == 5
    assert (await channel.engine.contents.get(video_id)).thumbnail is None

    youtube.recover()
    (other,) = youtube.upload()
    await channel.after(THREE_MINUTES)
    await fetch(channel.engine)
    await fetch(channel.engine)

    assert (await channel.engine.contents.get(other)).thumbnail == f"/api/contents/{other}/thumbnail"
    assert (await channel.engine.contents.get_thumbnail(other)).content.startswith(b"\x89PNG")
    assert len(youtube.asked(f"/vi/{other}/mqdefault.jpg")) == 1


async def test_hours_count_what_is_new_and_not_the_backlog(channel: Channel, youtube: FakeYouTube) -> None:
    minute = int(await channel.farm.value("select extract(minute from corral.fn_now())"))
    await channel.farm.clock.advance(timedelta(minutes=90 - minute))  # the middle of an hour: none ends meanwhile
    youtube.upload(5)
    await channel.register()
    await channel.sync(channel.engine)
    await channel.engine.contents.register_content({"youtube_video_id": "dQw4w9WgXcQ"})
    youtube.upload(2)
    await channel.after(timedelta(hours=1))

    hours = await channel.engine.contents.list_content_hours(timedelta(hours=6))

    assert [hour.contents for hour in hours] == [0, 0, 0, 0, 1, 2]
