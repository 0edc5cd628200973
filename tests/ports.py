"""Ports for those who must be told theirs before they listen."""

import random
import socket
from pathlib import Path
from typing import Final

_LOWEST: Final = 10_000
_USUAL_START: Final = 32_768
_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_CHANCE: Final = random.SystemRandom()


def free_port() -> int:
    """A port that nobody has, below those that the system gives away to whoever connects or asks for any: it stays free."""
    for port in _CHANCE.sample(range(_LOWEST, _first_given_away()), k=1000):
        with socket.socket() as probe:
            # As servers bind: what a killed one left to time out does not count.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("no port is free")


def _first_given_away() -> int:
    start = int(_RANGE.read_text().split()[0]) if _RANGE.exists() else _USUAL_START
    return start if start > _LOWEST + 1000 else _USUAL_START
