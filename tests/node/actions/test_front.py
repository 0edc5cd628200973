"""Which app is in front, in the words of several Android versions."""

from __future__ import annotations

import pytest

from corral.model.errors import DeviceNotBootedError
from corral.node.actions.front import components_in_front, parse_front
from corral.node.actions.screen import Size, parse_size
from tests.node.actions.scripted_phone import ScriptedPhone, failed

SETTINGS = "com.android.settings/com.android.settings.Settings"


@pytest.mark.parametrize(
    ("output", "components"),
    [
        (
            (
                "    mResumedActivity: ActivityRecord{a1b2c3 u0 com.android.settings/.Settings t42}\n"
                "  mCurrentFocus=Window{9f8e u0 com.android.settings/com.android.settings.Settings}\n"
                "  mFocusedApp=AppWindowToken{1 token=Token{2 ActivityRecord{3 u0 com.android.settings/.Settings t42}}}\n"
            ),
            [SETTINGS],
        ),
        (
            "  mFocusedActivity: ActivityRecord{1 u0 com.android.settings/.Settings t1}\n",
            [SETTINGS],
        ),
        (
            (
                "    topResumedActivity=ActivityRecord{ac1 u0 com.android.settings/.Settings} t7}\n"
                "  ResumedActivity: ActivityRecord{ac1 u0 com.android.settings/.Settings t7}\n"
                "  mCurrentFocus=Window{1 u0 NotificationShade}\n"
                "  mFocusedApp=ActivityRecord{ac1 u0 com.android.settings/.Settings t7}\n"
            ),
            [SETTINGS],
        ),
        (
            "  mCurrentFocus=Window{1 u10 com.a.b/com.x.Main$Inner}\n  mFocusedApp=null\n",
            ["com.a.b/com.x.Main$Inner"],
        ),
        (
            "topResumedActivity=ActivityRecord{1 u0 com.a/.One t1}\nmCurrentFocus=Window{1 u0 com.b/com.b.Two}\n",
            ["com.a/com.a.One", "com.b/com.b.Two"],
        ),
        ("  mCurrentFocus=null\n  mFocusedApp=null\n", []),
        (
            "  mLastResumedActivity: ActivityRecord{1 u0 com.a/.A t1}\n mPausedActivity: ActivityRecord{1 u0 com.a/.B t1}\n",
            [],
        ),
        ("", []),
    ],
    ids=["8 to 9", "7", "12 and newer", "another user", "split screen", "between screens", "others", "silent"],
)
def test_resumed_and_focused_activities_are_read(output: str, components: list[str]) -> None:
    assert parse_front(output) == components


async def test_a_phone_that_is_starting_has_nothing_in_front_and_says_why() -> None:
    phone = ScriptedPhone({"dumpsys": failed(1, "Can't find service: activity")})

    with pytest.raises(DeviceNotBootedError):
        await components_in_front(phone)


@pytest.mark.parametrize(
    ("output", "size"),
    [
        ("Physical size: 1080x2340", Size(1080, 2340)),
        ("Physical size: 1440x3200\nOverride size: 1080x2400", Size(1080, 2400)),
        ("Physical size: 1080x2340\n    init=1080x2340 420dpi cur=2340x1080 app=2205x1080", Size(2340, 1080)),
        ("Physical size: 1080x2340\n    cur=640x480 app=640x480", Size(1080, 2340)),
        ("    init=720x1280 320dpi cur=720x1280 app=720x1184", Size(720, 1280)),
        ("wm: not found", None),
    ],
    ids=["plain", "override", "turned", "another display's", "no wm", "nothing"],
)
def test_the_screen_has_the_size_that_taps_are_counted_in(output: str, size: Size | None) -> None:
    assert parse_size(output) == size
