"""When a schedule is due: cron expressions of five fields, read in an IANA time zone. Pure; the clock is the caller's.

Where the clocks change, this does as Debian's cron: a schedule at fixed times (neither its minute nor its hour begins with `*`)
that falls into the hour that is left out fires at its end, once, and one in the hour that is repeated fires in the first of the
two. Schedules with a `*` go by real time: they have no hour that is left out, and both that are repeated.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final, NamedTuple, Self
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim, CronSimError

from corral.model.errors import InvalidRequestError
from corral.model.states import CatchUp

ON_TIME: Final = timedelta(minutes=1)
"""A due time is missed when so much time has gone by. Less than that apart, no schedule has two."""
_MOST_COUNTED: Final = 10_000
_FIELDS: Final = 5
_EXAMPLE: Final = "write five fields, minute hour day month weekday, as in '0 3 * * 1-5'"


class Due(NamedTuple):
    """What to do about the times that are due: those to fire, oldest first, and those that were missed, if any."""

    to_fire: list[datetime]
    missed: int
    missed_from: datetime | None
    missed_until: datetime | None


class Timetable:
    """The times of one schedule. All that come out of it are in UTC."""

    def __init__(self, cron: str, zone: ZoneInfo) -> None:
        self._cron = cron
        self._zone = zone

    @classmethod
    def parse(cls, cron: str, time_zone: str) -> Self:
        """Raises InvalidRequestError that says which of the two makes no sense, or that it would never be due."""
        timetable = cls(cron, _find_zone(time_zone))
        if len(cron.split()) != _FIELDS:
            raise InvalidRequestError(f"'{cron:.100}' is no cron expression: {_EXAMPLE}", path="cron")
        try:
            timetable.next_after(datetime(2024, 1, 1, tzinfo=UTC))
        except (CronSimError, AssertionError) as error:
            raise InvalidRequestError(f"'{cron:.100}': {str(error).lower()}; {_EXAMPLE}", path="cron") from None
        except StopIteration:
            raise InvalidRequestError(f"'{cron:.100}' is never due", path="cron") from None
        return timetable

    def next_after(self, at: datetime) -> datetime:
        """The first time after this one."""
        return next(self._forward(at))

    def next_times(self, at: datetime, *, count: int) -> list[datetime]:
        """The first times after this one."""
        times = self._forward(at)
        return [next(times) for _ in range(count)]

    def judge(self, first: datetime, now: datetime, *, catch_up: CatchUp, limit: int) -> Due:
        """Decide about the times from `first`, which is one of them and is past, until `now`.

        A time that has just come is fired. Of those that went by unseen, `catch_up` says how many of the last are fired
        after all; the others were missed. Beyond ten thousand they are no longer counted.
        """
        allowed = {CatchUp.NONE: 0, CatchUp.LAST: 1, CatchUp.ALL: limit}[catch_up]
        to_fire: list[datetime] = []
        missed, missed_from, missed_until = 0, None, None
        for time in self._backward(first, now):
            if now - time < ON_TIME:
                to_fire.append(time)
                allowed -= 1 if catch_up is CatchUp.LAST else 0
            elif allowed > 0:
                to_fire.append(time)
                allowed -= 1
            else:
                missed, missed_from, missed_until = missed + 1, time, missed_until or time
                if missed == _MOST_COUNTED:
                    break
        return Due(to_fire[::-1], missed, missed_from, missed_until)

    def _forward(self, at: datetime) -> Iterator[datetime]:
        for time in CronSim(self._cron, at.astimezone(self._zone)):
            # In a repeated hour, what the expression names may lie behind us.
            if (found := time.astimezone(UTC)) > at:
                yield found

    def _backward(self, first: datetime, now: datetime) -> Iterator[datetime]:
        """From `now` back to `first`, which is the last to come."""
        start = (now + timedelta(seconds=1)).astimezone(self._zone)
        for time in CronSim(self._cron, start, reverse=True):
            found = time.astimezone(UTC)
            if found <= first:
                break
            if found <= now:
                yield found
        yield first


def _find_zone(name: str) -> ZoneInfo:
    # Files beside the zones (localtime, right/UTC) can be opened as if they were some, and mean something else elsewhere.
    if name not in _known_zones():
        raise InvalidRequestError(
            f"'{name:.100}' is no time zone: name one of IANA's, as in Asia/Seoul", path="time_zone"
        )
    return ZoneInfo(name)


@cache
def _known_zones() -> frozenset[str]:
    return frozenset(available_timezones() - {"localtime"})
