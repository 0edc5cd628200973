"""Reading what phones say of themselves, in the words of several Android versions."""

from __future__ import annotations

import pytest

from corral.node.health.probe import COMMAND, HealthSample, probe, read_sample
from tests.node.actions.scripted_phone import ScriptedPhone

ANDROID_14 = """\
Current Battery Service state:
  AC powered: false
  USB powered: true
  Wireless powered: false
  Dock powered: false
  Max charging current: 500000
  Max charging voltage: 5000000
  Charge counter: 3245000
  status: 2
  health: 2
  present: true
  level: 87
  scale: 100
  voltage: 4312
  temperature: 293
  technology: Li-ion
  Charging state: 0
  Charging policy: 0
  Capacity level: -1
--corral--
Filesystem      1K-blocks     Used Available Use% Mounted on
/dev/block/dm-49 112816312 48123456  64544136  43% /data
--corral--
1
"""
ANDROID_8_SAMSUNG = """\
Current Battery Service state:
  AC powered: false
  USB powered: false
  Wireless powered: false
  Max charging current: 0
  status: 3
  health: 2
  present: true
  level: 9
  scale: 100
  voltage: 3650
  current now: -212
  charge counter: 0
  temperature: 461
  technology: Li-ion
  batteryMiscEvent: 0
  mSecPlugTypeSummary: 0
  LED Charging: true
  USE_FAKE_BATTERY: false
--corral--
Filesystem            1K-blocks     Used Available Use% Mounted on
/dev/block/platform/11120000.ufs/by-name/USERDATA
                       25481656 25201656    259616  99% /data
--corral--
1
"""
ANDROID_5 = """\
Current Battery Service state:\r
  AC powered: true\r
  USB powered: false\r
  Wireless powered: false\r
  status: 5\r
  health: 2\r
  present: true\r
  level: 100\r
  scale: 100\r
  voltage: 4200\r
  temperature: 250\r
  technology: Li-poly\r
--corral--\r
Filesystem               Size     Used     Free   Blksize\r
/data                   12.0G     3.5G     8.5G   4096\r
--corral--\r
1\r
"""
NO_BATTERY = """\
Current Battery Service state:
  AC powered: true
  USB powered: false
  status: 1
  present: false
  level: 0
  scale: 100
  temperature: 0
--corral--
df: /data: Permission denied
--corral--
1
"""
FROZEN_BY_A_TEST = """\
Current Battery Service state:
  (UPDATES STOPPED -- use 'reset' to restart)
  USB powered: true
  status: 4
  present: true
  level: 50
  scale: 200
  temperature: -12
--corral--
Filesystem       Size  Used Avail Use% Mounted on
/dev/fuse        108G   12G   96G  12% /storage/emulated
--corral--
1
"""
STILL_STARTING = """\
Can't find service: battery
--corral--
Filesystem 1K-blocks Used Available Use% Mounted on
tmpfs 1900000 0 1900000 0% /data
--corral--

"""


@pytest.mark.parametrize(
    ("output", "sample"),
    [
        (
            ANDROID_14,
            HealthSample(
                battery_percent=87.0, temperature_c=29.3, is_charging=True, free_storage_mb=63031, is_booted=True
            ),
        ),
        (
            ANDROID_8_SAMSUNG,
            HealthSample(
                battery_percent=9.0, temperature_c=46.1, is_charging=False, free_storage_mb=253, is_booted=True
            ),
        ),
        (
            ANDROID_5,
            HealthSample(
                battery_percent=100.0, temperature_c=25.0, is_charging=True, free_storage_mb=8704, is_booted=True
            ),
        ),
        (NO_BATTERY, HealthSample(temperature_c=0.0, is_charging=True, is_booted=True)),
        (
            FROZEN_BY_A_TEST,
            HealthSample(
                battery_percent=25.0, temperature_c=-1.2, is_charging=False, free_storage_mb=98304, is_booted=True
            ),
        ),
        (STILL_STARTING, HealthSample(free_storage_mb=1855)),
        ("", HealthSample()),
        ("level: 900\nscale: 100\ntemperature: 99999\nlevel: x\n--corral--\n\n5%\n--corral--\n0", HealthSample()),
    ],
    ids=["14", "8, hot and full", "5", "no battery", "frozen", "still starting", "silent", "nonsense"],
)
def test_what_a_phone_says_is_read_and_what_it_does_not_say_is_none(output: str, sample: HealthSample) -> None:
    assert read_sample(output) == sample


async def test_a_probe_is_one_command() -> None:
    phone = ScriptedPhone({COMMAND: ANDROID_14})

    sample = await probe(phone)

    assert sample.battery_percent == 87.0
    assert phone.commands == [COMMAND]
