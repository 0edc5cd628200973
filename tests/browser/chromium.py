"""A real Chromium: one that is installed, or one that can be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_PLACES: Final = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
FLAGS: Final = [
    # A page of our own on loopback is all that it is for: it must look for nothing else.
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--disable-gpu",
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
]


def find_chromium() -> str | None:
    """The program's path, or None."""
    for name in _NAMES:
        if (path := shutil.which(name)) is not None:
            return path
    return next((place for place in (*_PLACES, *_downloaded()) if Path(place).exists()), None)


def _downloaded() -> list[str]:
    """What `playwright install chromium` left behind."""
    cache = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    return sorted(str(each) for each in cache.glob("chromium*/chrome-*/*") if each.name in {"chrome", "headless_shell"})


def main() -> None:
    """See that there is one, whatever it takes."""
    if find_chromium() is not None:
        return
    print("No Chromium on the PATH: fetching one for the browser tests")  # noqa: T201 - make shows it
    tries = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium"]
        tries += [install, ["apt-get", "update", "-q"], install]  # a fresh machine may have no lists, or old ones
    for words in tries:
        if subprocess.run(words, check=False).returncode == 0 and find_chromium() is not None:
            return
    sys.exit(
        "The browser tests need a Chromium, and none could be had: install chromium or google-chrome"
        " (on Debian and Ubuntu: apt-get install chromium)"
    )


if __name__ == "__main__":
    main()
