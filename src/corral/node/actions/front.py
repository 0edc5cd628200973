"""Which app is in front. Android says it in other words in every second version; whichever are there are read."""

from __future__ import annotations

import re
from typing import Final

from corral.drivers.protocol import Phone
from corral.node.actions.commands import check_booted

COMMAND: Final = (
    "dumpsys activity activities | grep -E 'ResumedActivity|mFocusedActivity'; "
    "dumpsys window | grep -E 'mCurrentFocus|mFocusedApp'"
)
_NAMES = r"(?:top|m)?ResumedActivity|mFocusedActivity|mCurrentFocus|mFocusedApp"
# `mResumedActivity: ActivityRecord{1f u0 com.a/.Main t12}` to 11, `topResumedActivity=ActivityRecord{…}` since 12,
# `mCurrentFocus=Window{9c u0 com.a/com.a.Main}`, `mFocusedApp=AppWindowToken{… token=Token{… ActivityRecord{…}}}`.
_LINE = re.compile(rf"(?<!\w)(?:{_NAMES})\s*[:=]\s*(.*)")
_COMPONENT = re.compile(r"([A-Za-z][\w.]*)/([\w.$]+)")


async def components_in_front(phone: Phone) -> list[str]:
    """The activities in front, the most certain first; none while one screen gives way to another."""
    result = await phone.shell(COMMAND)
    check_booted(result)
    return parse_front(result.text)


def parse_front(output: str) -> list[str]:
    """Every component that some line of the dumps says is resumed or focused, in full, each once."""
    found = (_COMPONENT.search(line) for line in _LINE.findall(output))
    return list(dict.fromkeys(in_full(match[1], match[2]) for match in found if match))


def in_full(package: str, activity: str) -> str:
    """`package/class` with the whole name of the class."""
    return f"{package}/{package}{activity}" if activity.startswith(".") else f"{package}/{activity}"


def package_of(component: str) -> str:
    return component.partition("/")[0]
