"""Tasks that a test left running."""

import asyncio
from typing import Any, Final

_PATIENCE_S: Final = 5.0


async def end_tasks(tasks: set[asyncio.Task[Any]]) -> None:
    """Cancel all of them but this one, and wait until they have ended."""
    tasks = tasks - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=_PATIENCE_S)
