"""Contents and content channels, as operators ask for them and are told of them."""

from datetime import datetime
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from corral.model.contents import Content, ContentChannel, ContentHour
from corral.model.records import Artifact, Json, Run
from corral.wire.runs import Text

Address = Annotated[str, Meta(min_length=1, max_length=4096)]
SyncEvery = Annotated[float, Meta(ge=60, le=86400)]
RunCap = Annotated[int, Meta(ge=1, le=1000)]


class ContentRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A video, by any form of its address or by its id."""

    url: Address


class ContentPreview(Struct, frozen=True, kw_only=True):
    """What YouTube tells of a video that may not be registered; `thumbnail` is the picture itself, as a data: URL."""

    youtube_video_id: str
    title: str | None
    youtube_channel_id: str | None
    channel_title: str | None
    duration_s: float | None
    published_at: datetime | None
    thumbnail: str | None
    is_registered: bool


class ContentPage(Struct, frozen=True, kw_only=True):
    """Contents, newest first; `next` is the `before` of the following page, null on the last."""

    contents: list[Content]
    next: str | None


class ContentView(Struct, frozen=True, kw_only=True):
    """A content, its latest runs, and the newest picture of each device from them."""

    content: Content
    runs: list[Run]
    screenshots: list[Artifact]


class ContentHours(Struct, frozen=True, kw_only=True):
    """How many contents were new in each hour, oldest first."""

    hours: list[ContentHour]


class ChannelRun(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What is run on each new video of a channel. Secret params cannot be kept here."""

    workflow: Text
    version: Annotated[int, Meta(ge=1, le=2**31 - 1)] | None = None
    target: Json = field(default_factory=lambda: {"all": True})
    params: Json = field(default_factory=dict)
    overrides: Json = field(default_factory=dict)
    policy: Json = field(default_factory=dict)
    workspace: Text = "default"


class ContentChannelRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A channel, by its address, @handle or id; and how it is synced."""

    channel: Address
    sync_every_s: SyncEvery = 180.0
    run: ChannelRun | None = None
    run_cap: RunCap = 10


class ContentChannelChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is to change; the rest stays. `run` null runs nothing on new videos any more."""

    sync_every_s: SyncEvery | UnsetType = UNSET
    is_paused: bool | UnsetType = UNSET
    run: ChannelRun | UnsetType | None = UNSET
    run_cap: RunCap | UnsetType = UNSET


class ContentChannelPage(Struct, frozen=True, kw_only=True):
    """Content channels by id; `next` is the `after` of the following page, null on the last."""

    content_channels: list[ContentChannel]
    next: str | None
