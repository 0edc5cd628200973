"""A command loads what it needs and no more: help is there at once."""

import subprocess
import sys

import pytest

_HEAVY = ("corral.engine", "corral.api", "corral.node", "litestar", "granian", "asyncpg", "obstore", "adbutils")
_SCRIPT = """
import sys
from corral.cli.main import main
sys.argv = ["corral", *{arguments!r}]
try:
    main()
except SystemExit:
    pass
print("loaded:", *[name for name in {heavy!r} if name in sys.modules], file=sys.stderr)
"""


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["runs", "--help"], ["workflow", "validate", "none.yaml"]]
)
def test_a_command_without_a_server_loads_nothing_of_one(arguments: list[str]) -> None:
    script = _SCRIPT.format(arguments=arguments, heavy=_HEAVY)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stderr.splitlines()[-1] == "loaded:"
