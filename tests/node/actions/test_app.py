"""Actions on apps, by what they say to the phone and how they take its answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from corral.model.errors import ActionFailedError, DeviceNotBootedError, DeviceOfflineError
from corral.node.actions.activities import FRONT_WAIT_S, Started, parse_started
from tests.node.actions.conftest import Clock, Workshop
from tests.node.actions.scripted_phone import failed

PACKAGE = "com.example.app"
RESOLVED = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true\ncom.example.app/.MainActivity\n"
IN_FRONT = "  topResumedActivity=ActivityRecord{1 u0 com.example.app/.MainActivity t9}\n"
LAUNCHER_IN_FRONT = "  topResumedActivity=ActivityRecord{1 u0 com.android.launcher3/.Launcher t1}\n"
COLD_START = """\
Starting: Intent { act=android.intent.action.MAIN cat=[android.intent.category.LAUNCHER] cmp=com.example.app/.MainActivity }
Status: ok
LaunchState: COLD
Activity: com.example.app/.MainActivity
TotalTime: 512
WaitTime: 520
Complete
"""
BROUGHT_TO_FRONT = """\
Starting: Intent { cmp=com.example.app/.MainActivity }
Warning: Activity not started, its current task has been brought to the front
Status: ok
LaunchState: UNKNOWN (0)
Activity: com.example.app/.MainActivity
TotalTime: 0
WaitTime: 3
Complete
"""
ANDROID_8 = """\
Starting: Intent { cmp=com.example.app/.MainActivity }
Status: ok
Activity: com.example.app/.MainActivity
ThisTime: 301
TotalTime: 333
WaitTime: 350
Complete
"""
WITHOUT_ACTIVITY = """\
Starting: Intent { cmp=com.example.app/.MainActivity }
Status: timeout
WaitTime: 10010
Complete
"""


@pytest.mark.parametrize(
    ("output", "started"),
    [
        (COLD_START, Started(activity="com.example.app/com.example.app.MainActivity", start_ms=512)),
        (ANDROID_8, Started(activity="com.example.app/com.example.app.MainActivity", start_ms=333)),
        (
            BROUGHT_TO_FRONT,
            Started(
                activity="com.example.app/com.example.app.MainActivity",
                warning="Activity not started, its current task has been brought to the front",
            ),
        ),
        (WITHOUT_ACTIVITY, Started()),
    ],
    ids=["cold", "android 8", "brought to the front", "slow"],
)
def test_the_report_of_a_start_is_read(output: str, started: Started) -> None:
    assert parse_started(output) == started


async def test_an_app_is_started_as_its_icon_would_and_waited_for(workshop: Workshop, clock: Clock) -> None:
    workshop.told({"resolve-activity": RESOLVED, "am start": COLD_START, "dumpsys": [LAUNCHER_IN_FRONT, "", IN_FRONT]})

    output = await workshop.perform("app.start", package=PACKAGE)

    assert output == {"activity": "com.example.app/com.example.app.MainActivity", "start_ms": 512}
    assert workshop.phone.commands[1] == (
        "am start -W -a android.intent.action.MAIN -c android.intent.category.LAUNCHER -n com.example.app/.MainActivity"
    )
    assert len(clock.sleeps) == 2


async def test_an_app_can_be_stopped_first_and_started_by_a_named_activity(workshop: Workshop) -> None:
    workshop.told({"force-stop": "", "am start": COLD_START, "dumpsys": IN_FRONT})

    await workshop.perform("app.start", package=PACKAGE, activity=".Other$1", stop_first=True)

    assert workshop.phone.commands[0] == "am force-stop com.example.app"
    assert workshop.phone.commands[1].endswith("-n 'com.example.app/.Other$1'")


async def test_an_app_that_was_running_is_brought_to_the_front(workshop: Workshop) -> None:
    workshop.told({"resolve-activity": RESOLVED, "am start": BROUGHT_TO_FRONT, "dumpsys": IN_FRONT})

    output = await workshop.perform("app.start", package=PACKAGE)

    assert output["start_ms"] is None
    assert ("info", "Activity not started, its current task has been brought to the front") in workshop.bench.lines


@pytest.mark.parametrize(
    "unresolved", ["No activity found\n", "android/com.android.internal.app.ResolverActivity\n", failed(1, "unknown")]
)
async def test_where_the_launcher_activity_is_not_told_monkey_starts_the_app(
    workshop: Workshop, unresolved: str
) -> None:
    workshop.told(
        {
            "resolve-activity": unresolved,
            "pm path": "package:/data/app/base.apk",
            "monkey": "Events injected: 1\n## Network stats: elapsed time=9ms",
            "dumpsys": IN_FRONT,
        }
    )

    output = await workshop.perform("app.start", package=PACKAGE)

    assert output == {"activity": "com.example.app/com.example.app.MainActivity", "start_ms": None}
    assert "monkey -p com.example.app -c android.intent.category.LAUNCHER 1" in workshop.phone.commands


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ({"resolve-activity": "No activity found", "pm path": failed(1)}, "com.example.app is not installed"),
        (
            {
                "resolve-activity": "No activity found",
                "pm path": "package:/a",
                "monkey": "** No activities found to run, monkey aborted.",
            },
            "has no activity that a launcher could start",
        ),
        (
            {
                "resolve-activity": RESOLVED,
                "am start": "Starting: …\nError type 3\nError: Activity class {com.example.app/.MainActivity} does not exist.",
            },
            r"am start: Error: Activity class .* does not exist",
        ),
        (
            {
                "resolve-activity": RESOLVED,
                "am start": failed(255, "java.lang.SecurityException: Permission Denial: not exported from uid 10100"),
            },
            "Permission Denial",
        ),
        (
            {"resolve-activity": RESOLVED, "am start": COLD_START, "dumpsys": LAUNCHER_IN_FRONT},
            "did not come to the front within 30 s; in front is com.android.launcher3/",
        ),
    ],
    ids=["not installed", "no launcher activity", "no such activity", "not exported", "crashed at once"],
)
async def test_an_app_that_does_not_start_is_a_failure_in_words(
    workshop: Workshop, clock: Clock, script: dict[str, str], message: str
) -> None:
    workshop.told(script)

    with pytest.raises(ActionFailedError, match=message):
        await workshop.perform("app.start", package=PACKAGE)

    assert clock.now_s <= 1000 + FRONT_WAIT_S


async def test_a_phone_that_is_still_starting_is_told_apart(workshop: Workshop) -> None:
    workshop.told({"resolve-activity": "", "pm path": "package:/a", "monkey": failed(1, "Can't find service: package")})

    with pytest.raises(DeviceNotBootedError):
        await workshop.perform("app.start", package=PACKAGE)


async def test_trouble_of_the_device_passes_through(workshop: Workshop) -> None:
    workshop.told({"": DeviceOfflineError("gone")})

    with pytest.raises(DeviceOfflineError, match="gone"):
        await workshop.perform("app.stop", package=PACKAGE)


@pytest.mark.parametrize(
    ("with_", "sdk", "options"),
    [
        ({}, "34", ("-r", "-g")),
        ({"grant_permissions": False, "allow_downgrade": True}, "34", ("-r", "-d")),
        ({"replace": False}, "34", ("-R", "-g")),
        ({"replace": False}, "26", ("-g",)),
        ({"replace": False}, "²", ("-g",)),
    ],
)
async def test_an_uploaded_file_is_installed_with_the_options_asked_for(
    workshop: Workshop, tmp_path: Path, with_: dict[str, bool], sdk: str, options: tuple[str, ...]
) -> None:
    apk = tmp_path / "cached"
    workshop.bench.inputs["app.apk"] = apk
    workshop.told({"getprop ro.build.version.sdk": sdk})

    assert await workshop.perform("app.install", file="app.apk", **with_) == {}

    assert workshop.phone.installed == [(apk, options)]


async def test_an_app_is_stopped_and_its_data_deleted(workshop: Workshop) -> None:
    workshop.told({"am force-stop": "", "pm clear": "Success\n"})

    assert await workshop.perform("app.stop", package=PACKAGE) == {}
    assert await workshop.perform("app.clear", package=PACKAGE) == {}

    assert workshop.phone.commands == ["am force-stop com.example.app", "pm clear com.example.app"]


@pytest.mark.parametrize("answer", ["Failed", failed(1, "", "Failed"), failed(1, "java.lang.SecurityException: no")])
async def test_data_that_cannot_be_deleted_is_a_failure(workshop: Workshop, answer: str) -> None:
    workshop.told({"pm clear": answer})

    with pytest.raises(ActionFailedError, match=r"could not be deleted: (Failed|.*no)"):
        await workshop.perform("app.clear", package=PACKAGE)


async def test_an_app_is_uninstalled_and_its_data_kept_if_asked(workshop: Workshop) -> None:
    workshop.told({"pm uninstall": "Success"})

    await workshop.perform("app.uninstall", package=PACKAGE)
    await workshop.perform("app.uninstall", package=PACKAGE, keep_data=True)

    assert workshop.phone.commands == ["pm uninstall com.example.app", "pm uninstall -k com.example.app"]


async def test_an_app_that_is_not_there_counts_as_uninstalled(workshop: Workshop) -> None:
    workshop.told({"pm uninstall": failed(1, "", "Failure [DELETE_FAILED_INTERNAL_ERROR]"), "pm path": failed(1)})

    assert await workshop.perform("app.uninstall", package=PACKAGE) == {}


async def test_an_app_that_stays_is_a_failure_in_the_words_of_the_device(workshop: Workshop) -> None:
    workshop.told({"pm uninstall": "Failure [DELETE_FAILED_DEVICE_POLICY_MANAGER]", "pm path": "package:/system/a.apk"})

    with pytest.raises(ActionFailedError, match="DELETE_FAILED_DEVICE_POLICY_MANAGER"):
        await workshop.perform("app.uninstall", package=PACKAGE)
