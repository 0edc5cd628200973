"""Run something until the system asks it to stop."""

import asyncio
import signal
import sys
from collections.abc import Callable
from typing import Any


def run_until_stopped(main: Callable[[asyncio.Event], Any]) -> None:
    """Run a coroutine with an event that SIGTERM, SIGINT and SIGHUP set; a second one of them stops at once."""
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        try:
            runner.run(_with_signals(main))
        except asyncio.CancelledError:
            sys.exit(1)


async def _with_signals(main: Callable[[asyncio.Event], Any]) -> None:
    stopping = asyncio.Event()
    task = asyncio.ensure_future(main(stopping))

    def stop() -> None:
        if stopping.is_set():
            task.cancel()
        stopping.set()

    if sys.platform == "win32":
        signal.signal(signal.SIGINT, lambda *_: stop())
    else:
        asked = [signal.SIGTERM, signal.SIGINT]
        if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:  # a closed terminal; nohup says to go on without one
            asked.append(signal.SIGHUP)
        for each in asked:
            asyncio.get_running_loop().add_signal_handler(each, stop)
    await task


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - there is none on Windows

    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
