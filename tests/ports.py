"""Ports for those who must be told theirs before they listen."""

import random
import socket
import sys
from pathlib import Path
from typing import Final

_LOWEST: Final = 10_000
_USUAL_START: Final = 32_768
_RANGE: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_CHANCE: Final = random.SystemRandom()
_claims: list[socket.socket] = []


def free_port() -> int:
    """A port that nobody has, below those that the system gives away to whoever connects or asks for any: it stays free.

    No other process of tests is told the same while this one lives, whether or not somebody listens there yet.
    """
    for port in _CHANCE.sample(range(_LOWEST, _first_given_away()), k=1000):
        if _is_free(port) and _claim(port):
            return port
    raise AssertionError("no port is free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # As servers bind: what a killed one left to time out does not count.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _claim(port: int) -> bool:
    """Take the port's name among the sockets that are no files, which goes with this process."""
    if sys.platform != "linux":
        return True
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0corral-tests-port-{port}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def _first_given_away() -> int:
    start = int(_RANGE.read_text().split()[0]) if _RANGE.exists() else _USUAL_START
    return start if start > _LOWEST + 1000 else _USUAL_START
