"""A server that says the same to whoever comes, and keeps what it was asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


@asynccontextmanager
async def saying(said: bytes) -> AsyncIterator[tuple[str, list[bytes]]]:
    """Its address, host and port, and the heads of the requests that came."""
    shown: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        shown.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(said)
        writer.write_eof()
        await reader.read()
        writer.transport.abort()

    async with (
        asyncio.TaskGroup() as answers,
        await asyncio.start_server(lambda *ends: answers.create_task(answer(*ends)), "127.0.0.1", 0) as server,
    ):
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}", shown


def redirecting(*where: str) -> bytes:
    """An answer that sends whoever asked elsewhere."""
    locations = "".join(f"Location: {each}\r\n" for each in where)
    return f"HTTP/1.1 302 Found\r\nContent-Length: 0\r\n{locations}\r\n".encode()
