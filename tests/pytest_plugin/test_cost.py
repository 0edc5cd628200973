"""What the plugin costs those who do not use it."""

import subprocess
import sys

LOOK = """
import sys
import pytest
import corral.pytest_plugin
print(sorted(name for name in sys.modules if name.startswith(("corral.", "httpx", "msgspec", "websockets"))))
"""


def test_loading_the_plugin_loads_nothing_of_corral() -> None:
    printed = subprocess.run([sys.executable, "-c", LOOK], capture_output=True, text=True, check=True).stdout

    assert printed.strip() == "['corral.pytest_plugin']"
