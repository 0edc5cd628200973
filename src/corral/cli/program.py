"""What to type into a terminal to run this very program again."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_NAME: Final = "corral"


def name_program(*, argv: Sequence[str] | None = None, environ: Mapping[str, str] | None = None) -> str:
    """`corral` where a shell finds that, and it is us; otherwise a command that works from any directory."""
    program = Path((sys.argv if argv is None else argv)[0])
    if program.stem != _NAME or not program.is_file():
        return shlex.join([sys.executable, "-m", "corral.cli"])
    found = shutil.which(_NAME, path=(os.environ if environ is None else environ).get("PATH", os.defpath))
    return _NAME if found is not None and program.samefile(found) else shlex.quote(str(program.absolute()))
