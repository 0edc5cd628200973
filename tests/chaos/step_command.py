"""The command of a step: it says when it began, uses its directory for a while, and says what it found there.

`step_command.py RECORD KIND "SECONDS s" "attempt N" ADDENDS`, with the step's lease token in LEASE_TOKEN. Each word to the
record is a single write at its end, so that none is lost or torn, whoever else writes there and is killed. The file in the
directory is empty: it must find its place on a disk that is full, too.
"""

import json
import os
import sys
import time
from pathlib import Path

SPOILED = 9
"""How it ends where its directory was not its own."""


def _when_it_was_started() -> float:
    """As the kernel says, on the clock that all processes share: what comes after may take long on a machine that is busy."""
    stat = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    ticks = int(stat[19])
    age_s = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.monotonic() - age_s


def _files() -> list[str]:
    try:
        return [path.name for path in Path().iterdir() if not path.name.startswith(".")]
    except OSError:
        return ["a directory that is gone"]


def main() -> int:
    record, kind, takes, attempt, addends = sys.argv[1:]
    sink = os.open(record, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    execution = os.urandom(8).hex()

    def tell(**word: object) -> None:
        os.write(sink, json.dumps({"execution": execution, **word}).encode() + b"\n")

    tell(
        job_id=os.environ["CORRAL_JOB_ID"],
        step=os.environ["CORRAL_STEP_ID"],
        lease_token=os.environ["LEASE_TOKEN"],
        began_s=_when_it_was_started(),
    )
    found = _files()
    try:
        Path(execution).touch()
    except OSError:
        found.append("no place")
    time.sleep(float(takes.split()[0]))
    found += _files()
    is_failure = kind == "fails" or (kind == "fails_at_first" and attempt == "attempt 1")
    status = SPOILED if found != [execution] else int(is_failure)
    tell(ended_s=time.monotonic(), status=status, found=found)
    print("OUTPUT:", json.dumps({"sum": sum(map(int, addends.split("+"))), "execution": execution}))  # noqa: T201
    return status


if __name__ == "__main__":
    sys.exit(main())
