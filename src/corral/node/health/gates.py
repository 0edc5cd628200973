"""Whether a phone is fit for work, by what it said of itself. Pure. What is unknown never stops anybody."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from corral.node.health.probe import HealthSample


class Limits(Struct, frozen=True, kw_only=True):
    """What a phone must keep to; None for no limit."""

    min_battery_percent: float | None = 15.0
    max_temperature_c: float | None = 45.0
    min_free_storage_mb: int | None = None


class Verdict(Struct, frozen=True, kw_only=True):
    """Whether the phone may work, and in words why not."""

    is_fit: bool
    reason: str | None = None


def judge(sample: HealthSample, limits: Limits) -> Verdict:
    """Hold a sample against the limits. Exactly at a limit is fit."""
    reasons = list(_reasons(sample, limits))
    return Verdict(is_fit=not reasons, reason="; ".join(reasons) or None)


def _reasons(sample: HealthSample, limits: Limits) -> Iterator[str]:
    if not sample.is_booted:
        yield "has not finished starting"
    battery, least = sample.battery_percent, limits.min_battery_percent
    if battery is not None and least is not None and battery < least:
        yield f"battery at {battery:g} %, below {least:g} %"
    heat, most = sample.temperature_c, limits.max_temperature_c
    if heat is not None and most is not None and heat > most:
        yield f"battery at {heat:g} °C, above {most:g} °C"
    free, least_free = sample.free_storage_mb, limits.min_free_storage_mb
    if free is not None and least_free is not None and free < least_free:
        yield f"{free} MB of storage free, below {least_free} MB"
