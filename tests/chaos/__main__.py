"""`python -m tests.chaos`: try to break a farm, and say whether it held."""

# ruff: noqa: T201 - it talks to whoever started it

import argparse
import asyncio
import random
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tests.chaos.farm import BREAKS, Shape
from tests.chaos.plan import plan_acts
from tests.chaos.trial import Verdict, try_to_break


def main() -> int:
    """Exit status 0 if the farm held, 1 if the checker found something; the evidence is then kept.

    With a bug put in, it is the other way round: 0 if the checker noticed, 1 if it did not.
    """
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="for how long the nemesis is at it")
    parser.add_argument("--seed", type=int, help="of the story; a new one by default")
    parser.add_argument("--phones", type=int, default=16)
    parser.add_argument("--lease", type=float, default=6.0, help="seconds; what the farm's patience is measured by")
    parser.add_argument("--break", dest="broken", choices=sorted(BREAKS), help="put a bug in first: it must be found")
    parser.add_argument(
        "--keep", type=Path, help="a directory for the evidence; kept by default only if something was found"
    )
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(10**6) if options.seed is None else options.seed
    shape = Shape(phones=options.phones, lease_s=options.lease, seed=seed, broken=options.broken)
    seconds = options.minutes * 60
    planned = len(plan_acts(seed, seconds=seconds, lease_s=options.lease))
    print(f"seed {seed}: {planned} acts in {options.minutes:g} minutes, {options.phones} phones", flush=True)

    folder = Path(tempfile.mkdtemp(prefix="corral-chaos-"))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that everything which was started is ended
    verdict = asyncio.run(try_to_break(folder, shape, seconds=seconds))
    _tell(verdict)
    if options.keep is not None:
        shutil.copytree(
            folder, options.keep, ignore=shutil.ignore_patterns("database", "store", "*-disk"), dirs_exist_ok=True
        )
    is_broken = options.broken is not None
    if is_broken:
        print(f"--break {options.broken}: {'noticed' if verdict.violations else 'NOT NOTICED'}")
    if bool(verdict.violations) is is_broken:
        shutil.rmtree(folder, ignore_errors=True)
        return 0
    print(f"evidence: {folder}; again: --seed {seed}")
    return 1


def _tell(verdict: Verdict) -> None:
    acts = ", ".join(f"{name} {count}" for name, count in sorted(verdict.acts.items()))
    jobs, steps = (
        ", ".join(f"{count} {status}" for status, count in sorted(each.items()))
        for each in (verdict.jobs, verdict.steps)
    )
    print(f"acts: {acts}")
    for name, count in sorted(verdict.left_out.items()):
        print(f"LEFT OUT {name} {count}: this machine does not allow it (fill_disk needs to mount a disk of its own)")
    print(f"{verdict.runs} runs; jobs: {jobs}")
    print(f"steps: {steps}; {verdict.executions} commands of theirs began")
    print(
        f"{verdict.commands} commands on phones, {verdict.requests} requests seen, {verdict.restarts} processes restarted"
    )
    print(f"everything was over {verdict.settled_s:g} s after the last act")
    for words in verdict.violations[:50]:
        print(f"VIOLATION {words}")
    if len(verdict.violations) > 50:
        print(f"… and {len(verdict.violations) - 50} more")
    print("no violation" if not verdict.violations else f"{len(verdict.violations)} violations", flush=True)


if __name__ == "__main__":
    sys.exit(main())
