"""Probability that can be replayed: a draw depends on the run's seed, the device and the step alone."""

from __future__ import annotations

import hashlib


def draw(seed: str, device_serial: str, step_id: str) -> float:
    """A number in [0, 1), for ever the same for the same arguments. Without a device, the serial is empty.

    The first 53 bits of a SHA-256, so that every value is an exact float and none is rounded up to 1.
    """
    digest = hashlib.sha256(f"{seed}|{device_serial}|{step_id}".encode()).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def executes(probability: float, drawn: float) -> bool:
    """Whether a step with this probability executes on this draw: always at 1, never at 0."""
    return drawn < probability
