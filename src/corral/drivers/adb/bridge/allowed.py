"""What may be asked of a phone through a bridge: a closed list. Whatever reaches beyond the phone is not on it.

`host:…` speaks to the adb server, which has all the other phones; `reverse:…` would let the phone, and by it whoever
holds the phone, connect to the node's own ports; `tcpip:` and `usb:` would take the phone away from its node.
"""

from __future__ import annotations

import re
from typing import Final

_WITH_ARGUMENTS: Final = frozenset(
    {b"shell", b"exec", b"sync", b"abb", b"abb_exec", b"framebuffer", b"log", b"jdwp", b"reboot", b"remount"}
)
_ALONE: Final = frozenset(
    {b"root:", b"unroot:", b"remount:", b"track-jdwp", b"track-app", b"disable-verity:", b"enable-verity:"}
)
_SOCKET_ON_PHONE: Final = re.compile(rb"tcp:\d{1,5}|local(abstract|reserved|filesystem)?:[^\0]+", re.DOTALL)

FEATURES: Final = (
    "shell_v2",
    "cmd",
    "stat_v2",
    "ls_v2",
    "fixed_push_mkdir",
    "fixed_push_symlink_timestamp",
    "apex",
    "abb",
    "abb_exec",
    "remount_shell",
    "track_app",
    "sendrecv_v2",
    "sendrecv_v2_brotli",
    "sendrecv_v2_lz4",
    "sendrecv_v2_zstd",
    "sendrecv_v2_dry_run_send",
)
"""What of a phone's abilities goes through a bridge: what its services do. Not how packets are sent (`delayed_ack`)."""


def is_allowed(service: bytes) -> bool:
    """Whether a bridge opens this service."""
    name, colon, _ = service.partition(b":")
    family = name.split(b",", 1)[0]
    return (
        service in _ALONE
        or (bool(colon) and family in _WITH_ARGUMENTS)
        or _SOCKET_ON_PHONE.fullmatch(service) is not None
    )
