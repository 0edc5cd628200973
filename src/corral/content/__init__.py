"""What YouTube tells of videos and channels. No database, no HTTP server; only YouTube's hosts are ever asked."""

from corral.content.addresses import ChannelRef, read_channel, read_video
from corral.content.fetch import Fetcher
from corral.content.records import Channel, Picture, Uploads, Video
from corral.content.source import Source

__all__ = ["Channel", "ChannelRef", "Fetcher", "Picture", "Source", "Uploads", "Video", "read_channel", "read_video"]
