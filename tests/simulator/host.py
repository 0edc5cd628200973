"""An adb server that does as it is told, for what the real one never does."""

import asyncio
from typing import Self

from corral.drivers.adb.packets import CLSE, CNXN, OKAY, OPEN, VERSION_UNCHECKED, WRTE, Packet, encode, read_packet

HELLO = Packet(CNXN, VERSION_UNCHECKED, 1 << 20, b"host::features=shell_v2\0")


class Host:
    """One connection to a phone."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.is_checked = True

    @classmethod
    async def connect(cls, address: str) -> Self:
        name, port = address.split(":")
        return cls(*await asyncio.open_connection(name, int(port)))

    async def send(self, *packets: Packet) -> None:
        for packet in packets:
            self.writer.write(encode(packet, is_checked=self.is_checked))
        await self.writer.drain()

    async def receive(self) -> Packet:
        async with asyncio.timeout(20):
            return await read_packet(self.reader, is_checked=lambda: self.is_checked)

    async def ends(self) -> bool:
        """Whether the phone drops the line, whatever it says before."""
        async with asyncio.timeout(20):
            try:
                while await self.reader.read(65536):
                    pass
            except ConnectionError:
                pass
        return True

    async def greet(self) -> Packet:
        await self.send(HELLO)
        answer = await self.receive()
        self.is_checked = False
        return answer

    async def run(self, line: str, number: int = 1) -> bytes:
        """A command by the first shell protocol, acknowledged as adb does."""
        await self.send(Packet(OPEN, number, 0, f"shell:{line}\0".encode()))
        output = b""
        while True:
            packet = await self.receive()
            if packet.command == WRTE:
                output += packet.payload
                await self.send(Packet(OKAY, number, packet.arg0))
            elif packet.command == CLSE:
                return output
