"""One of several server processes. Its parent tells it its settings on standard input; when that ends, so does it."""

import asyncio
import os
import sys

from corral.cli.serve import serve
from corral.cli.until_stopped import run_until_stopped
from corral.config import ServerConfig, from_bytes
from corral.telemetry import configure_logs

_STDIN = 0


def main() -> None:
    """Read the settings and serve."""
    config = from_bytes(sys.stdin.buffer.readline())
    configure_logs(log_format=config.log_format, level=config.log_level, secrets=config.secrets)
    run_until_stopped(lambda stopping: _serve(config, stopping))


async def _serve(config: ServerConfig, stopping: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()

    def read() -> None:
        if not os.read(_STDIN, 4096):  # the parent is gone
            loop.remove_reader(_STDIN)
            stopping.set()

    loop.add_reader(_STDIN, read)
    await serve(config, stopping)


if __name__ == "__main__":
    main()
