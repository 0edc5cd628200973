"""`python -m tests.fuzz --minutes 10`: each reader gets nonsense for so long, from another seed in every round.

The readers' own property tests are what is run, with more examples than `make test` gives them. A failure is told
with its seed, and by hypothesis with the example, which then becomes a test.
"""

# ruff: noqa: T201 - it talks to whoever started it

import argparse
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "requests": ("tests/api/test_any_request.py",),
    "callbacks": ("tests/engine/test_any_event.py",),
    "adb-client": (
        "tests/drivers/adb/test_any_news.py",
        "tests/drivers/adb/test_connection.py",
        "tests/drivers/adb/test_parse.py",
        "tests/drivers/test_png.py",
    ),
    "adbd": tuple(f"tests/simulator/test_{name}.py" for name in ("protocol", "any_stream", "any_command")),
    "vendor": (
        *(f"tests/drivers/vendor/test_{name}.py" for name in ("any_answer", "listing", "shell")),
        "tests/simulator/test_any_frame.py",
    ),
    "phones": (
        "tests/node/actions/test_any_words.py",
        "tests/node/suites/test_instrumentation.py",
        "tests/node/suites/test_junit.py",
    ),
    "recipes": tuple(f"tests/unit/workflow/test_{name}.py" for name in ("source", "validate", "recipe", "render")),
    "addresses": (
        "tests/content/test_any_address.py",
        "tests/drivers/adb/test_discover.py",
        "tests/unit/test_targets.py",
    ),
    "keys": ("tests/storage/test_keys.py", "tests/storage/test_sniff.py"),
}


def main() -> int:
    """Exit status 0 if nothing was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", choices=[[], *TARGETS], help="all by default")
    parser.add_argument("--minutes", type=float, default=10.0, help="for each target")
    parser.add_argument("--examples", type=int, default=2_000, help="of each property in a round")
    options = parser.parse_args()
    found = [name for name in options.targets or TARGETS if not _try(name, options.minutes * 60, options.examples)]
    print(f"found something in: {', '.join(found)}" if found else "nothing was found")
    return 1 if found else 0


def _try(name: str, seconds: float, examples: int) -> bool:
    """Rounds until the time is up, or one fails."""
    began, rounds = time.monotonic(), 0
    while rounds == 0 or time.monotonic() - began < seconds:
        seed = random.SystemRandom().randrange(2**32)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *TARGETS[name], "-q", "-x", "-n0", f"--hypothesis-seed={seed}"],
            cwd=ROOT,
            env={**os.environ, "CORRAL_FUZZ_EXAMPLES": str(examples)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            print(
                f"{name}: failed with --hypothesis-seed={seed} after {rounds} rounds\n{done.stdout[-6000:]}", flush=True
            )
            return False
        rounds += 1
    took_s = time.monotonic() - began
    print(f"{name}: {rounds} rounds of {examples} examples a property in {took_s:.0f} s, nothing", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
