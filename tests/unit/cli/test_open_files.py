"""How many connections a server takes."""

import subprocess
import sys

import pytest

ASK = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))
from corral.cli.open_files import most_connections
print(most_connections(), resource.getrlimit(resource.RLIMIT_NOFILE)[0])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize(("soft", "hard", "connections"), [(512, 2_000, 1_744), (2_000, 2_000, 1_744), (200, 200, 64)])
def test_the_limit_of_open_files_is_raised_as_far_as_it_may_be(soft: int, hard: int, connections: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASK.format(soft=soft, hard=hard)], capture_output=True, text=True, check=True
    )

    assert done.stdout.split() == [str(connections), str(hard)]
