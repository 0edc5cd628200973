"""Ports to listen on: whether one is free, and what to do where it is not."""

import contextlib
import socket
import sys
from typing import Final

import httpx

from corral.config import is_loopback
from corral.model.errors import ConfigInvalidError

LOOPBACK: Final = "127.0.0.1"
_ANSWER_S: Final = 2.0


def claim_port(host: str, port: int) -> int:
    """A port that is free: the one given, or any if it is 0. Raises ConfigInvalidError, which says what to do."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        if sys.platform != "win32":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise ConfigInvalidError(_in_use(host, port, error), path="port") from error
        claimed: int = probe.getsockname()[1]
    return claimed


def _in_use(host: str, port: int, error: OSError) -> str:
    told = f"cannot listen on {host}:{port}: {error.strerror}"
    if is_corral_at(host, port):
        return f"{told}. A Corral server runs there already: open it, or choose another port with --port"
    return f"{told}. Choose another port with --port, or any free one with --port 0"


def is_corral_at(host: str, port: int) -> bool:
    """Whether it is a Corral server that listens there, on this computer."""
    with contextlib.suppress(httpx.HTTPError, ValueError):
        health = httpx.get(f"http://{url_host(host)}:{port}/health", timeout=_ANSWER_S).json()
        return isinstance(health, dict) and "version" in health
    return False


def url_host(host: str) -> str:
    """The host as a URL of this computer's own names it."""
    if not is_loopback(host):
        return "127.0.0.1"  # from this computer, whatever else it listens on
    return f"[{host}]" if ":" in host else host
