"""Holding samples against limits."""

from __future__ import annotations

import pytest

from corral.node.health.gates import Limits, Verdict, judge
from corral.node.health.probe import HealthSample

FIT = HealthSample(battery_percent=80.0, temperature_c=30.0, is_charging=True, free_storage_mb=5000, is_booted=True)


def sample(**changed: float | bool | None) -> HealthSample:
    return HealthSample(**{**{name: getattr(FIT, name) for name in FIT.__struct_fields__}, **changed})


@pytest.mark.parametrize(
    ("said", "limits", "reason"),
    [
        (FIT, Limits(), None),
        (sample(battery_percent=15.0, temperature_c=45.0), Limits(), None),
        (sample(battery_percent=14.9), Limits(), "battery at 14.9 %, below 15 %"),
        (sample(temperature_c=45.1), Limits(), "battery at 45.1 °C, above 45 °C"),
        (sample(temperature_c=45.1), Limits(max_temperature_c=None), None),
        (sample(free_storage_mb=1), Limits(), None),
        (sample(free_storage_mb=1), Limits(min_free_storage_mb=500), "1 MB of storage free, below 500 MB"),
        (sample(battery_percent=None, temperature_c=None, free_storage_mb=None), Limits(min_free_storage_mb=1), None),
        (sample(is_booted=False), Limits(), "has not finished starting"),
        (
            sample(battery_percent=1.0, temperature_c=60.0),
            Limits(),
            "battery at 1 %, below 15 %; battery at 60 °C, above 45 °C",
        ),
    ],
)
def test_a_phone_is_fit_within_its_limits_and_else_the_reason_is_told(
    said: HealthSample, limits: Limits, reason: str | None
) -> None:
    assert judge(said, limits) == Verdict(is_fit=reason is None, reason=reason)
