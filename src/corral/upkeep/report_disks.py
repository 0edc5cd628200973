"""Write down how full the disks of this server are: the dashboard says when one is almost full."""

import socket

import msgspec

from corral.engine import Engine
from corral.storage import Storage
from corral.upkeep.loop import Act


def report_disks(storage: Storage) -> Act:
    """The act, for the directories of a store."""

    async def report_disks(engine: Engine) -> None:
        disks = await storage.measure_disks()
        await engine.upkeep.report_disks(socket.gethostname(), [msgspec.to_builtins(disk) for disk in disks])

    return report_disks
