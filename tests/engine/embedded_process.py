"""Another process that uses an embedded PostgreSQL: `python embedded_process.py '{"data_dir": …}'`.

It says what it got in one line of JSON, then waits for the end of its standard input to stop.
"""

# ruff: noqa: T201  it answers on its standard output

import asyncio
import concurrent.futures.thread  # noqa: F401  asyncio's, loaded before it may be out of reach: see main
import json
import os
import pwd
import sys
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import asyncpg

from corral.engine.embedded import EmbeddedPostgres
from corral.model.errors import EmbeddedPostgresError


def become(name: str) -> None:
    entry = pwd.getpwnam(name)
    os.setgroups([])
    os.setgid(entry.pw_gid)
    os.setuid(entry.pw_uid)


def opened(order: dict[str, Any]) -> AbstractAsyncContextManager[EmbeddedPostgres]:
    bin_dir = Path(order["bin_dir"])
    if order.get("data_dir") is None:
        return EmbeddedPostgres.ephemeral(bin_dir=bin_dir)
    return EmbeddedPostgres.open(Path(order["data_dir"]), bin_dir=bin_dir, durable=False)


async def main(order: dict[str, Any]) -> None:
    # Only now: the interpreter and its packages may lie where that user cannot read them.
    if order.get("user") is not None:
        become(order["user"])
    try:
        async with opened(order) as server:
            connection = await asyncpg.connect(server.dsn)
            await connection.close()
            print(
                json.dumps({"dsn": server.dsn, "owns": server.owns, "data_dir": str(server.data_dir)}),
                flush=True,
            )
            await asyncio.to_thread(sys.stdin.read)
    except EmbeddedPostgresError as error:
        print(json.dumps({"code": error.code, "message": error.message}), flush=True)


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.argv[1])))
