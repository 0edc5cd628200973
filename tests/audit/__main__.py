"""`python -m tests.audit`: fail on a known vulnerability in what is locked, unless requirements/audit-exceptions.toml excuses it.

Where no registry answers, nothing is known, which is said, and does not fail: a check must pass without a network.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from tests.audit.advisories import Advisory, Audit, Exemption, read_exemptions
from tests.audit.pins import read_npm_pins, read_python_pins
from tests.audit.registries import NotAnsweredError, audit_npm, audit_python, find_npm_registry, find_python_index

LIMIT_S: Final = 15.0
"""For everything that is asked."""


async def audit_all(limit_s: float = LIMIT_S) -> list[Audit]:
    """Both locks, side by side."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    npm = shutil.which("npm", path=path)
    python_pins, npm_pins = read_python_pins(), read_npm_pins()

    async def python() -> Audit:
        return await audit_python(await asyncio.to_thread(find_python_index), python_pins)

    async def node() -> Audit:
        return await audit_npm(await asyncio.to_thread(find_npm_registry, npm), npm_pins)

    return list(
        await asyncio.gather(
            within(limit_s, python, "Python", len(python_pins)), within(limit_s, node, "npm", len(npm_pins))
        )
    )


async def within(limit_s: float, ask: Callable[[], Awaitable[Audit]], what: str, count: int) -> Audit:
    """What came of asking, in this time or not at all."""
    try:
        async with asyncio.timeout(limit_s):
            return await ask()
    except TimeoutError:
        return Audit(what, 0, count, f"no answer within {limit_s:g} s")
    except NotAnsweredError as error:
        return Audit(what, 0, count, str(error))


def judge(audits: Sequence[Audit], exemptions: Sequence[Exemption], *, today: date) -> tuple[list[str], bool]:
    """What to say, and whether everything is well."""
    advisories = [advisory for audit in audits for advisory in audit.advisories]
    bad = [each for each in advisories if not any(exemption.covers(each, today=today) for exemption in exemptions)]
    excused = len(advisories) - len(bad)
    lines = [str(audit) for audit in audits]
    lines += [f"vulnerable: {each}{_late(each, exemptions)}" for each in bad]
    lines += [f"{excused} known and excused until a day, in audit-exceptions.toml"] if excused else []
    for exemption in exemptions:
        if not any(exemption.id in each.ids for each in advisories) and all(
            audit.audited == audit.of for audit in audits
        ):
            lines.append(f"nobody needs the exception for {exemption.id} of {exemption.package} any more")
    return lines, not bad


def _late(advisory: Advisory, exemptions: Sequence[Exemption]) -> str:
    ended = [each.until for each in exemptions if each.id in advisory.ids and each.package == advisory.pin.name]
    return f"; its exception ended on {max(ended)}" if ended else ""


def main() -> int:
    try:
        exemptions = read_exemptions()
    except ValueError as error:
        print(f"audit: {error}")
        return 1
    lines, is_well = judge(asyncio.run(audit_all()), exemptions, today=datetime.now(UTC).date())
    for line in lines:
        print(f"audit: {line}")
    return 0 if is_well else 1


if __name__ == "__main__":
    sys.exit(main())
