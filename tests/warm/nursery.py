"""A process that has loaded all of Corral, and forks a `corral` for each request: own arguments, environment, directory, streams.

It is told over one socket, a message for each process: how to begin, as JSON, and four descriptors (standard input,
output and error, and a line back). On that line go the process's id and, when it has ended, its exit status. Whoever
closes the line has no use for the process any more, and it is killed.
"""

import atexit
import gc
import importlib
import json
import os
import selectors
import signal
import socket
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

import corral
from corral.api import app
from corral.cli.main import main
from corral.config import ServerConfig
from tests.warm.process import NUMBER

_MESSAGE_BYTES = 2**18
_NOT_FOR_ALL = {"pytest_plugin", "__main__"}


def attend(requests: socket.socket) -> None:
    """Until whoever asks is gone."""
    waiting = selectors.DefaultSelector()
    waiting.register(requests, selectors.EVENT_READ)
    children: dict[int, _Child] = {}
    while True:
        for key, _ in waiting.select():
            if key.data is not None:
                key.data(waiting)
                continue
            message, descriptors, _, _ = socket.recv_fds(requests, _MESSAGE_BYTES, 4)
            if not message:
                for child in children.values():
                    child.kill()
                return
            child = _bear(json.loads(message), descriptors)
            child.watch(waiting)
            children = {pid: each for pid, each in children.items() if not each.has_ended} | {child.pid: child}


def _bear(request: dict[str, Any], descriptors: list[int]) -> "_Child":
    *streams, line = descriptors
    if (pid := os.fork()) == 0:
        os.close(line)
        _live(request, streams)
    for stream in streams:
        os.close(stream)
    return _Child(pid, socket.socket(fileno=line))


class _Child:
    """A process that was begun here, until it ends."""

    def __init__(self, pid: int, line: socket.socket) -> None:
        self.pid = pid
        self.has_ended = False
        self._line = line
        self._end = os.pidfd_open(pid)

    def watch(self, waiting: selectors.BaseSelector) -> None:
        self._tell(self.pid)
        waiting.register(self._end, selectors.EVENT_READ, self._bury)
        waiting.register(self._line, selectors.EVENT_READ, self._abandon)

    def _bury(self, waiting: selectors.BaseSelector) -> None:
        _, status = os.waitpid(self.pid, 0)
        self.has_ended = True
        self._tell(os.waitstatus_to_exitcode(status))
        waiting.unregister(self._end)
        with suppress(KeyError):  # it was abandoned before
            waiting.unregister(self._line)
        os.close(self._end)
        self._line.close()

    def _abandon(self, waiting: selectors.BaseSelector) -> None:
        self.kill()
        waiting.unregister(self._line)

    def kill(self) -> None:
        if not self.has_ended:
            signal.pidfd_send_signal(self._end, signal.SIGKILL)

    def _tell(self, number: int) -> None:
        with suppress(OSError):
            self._line.sendall(NUMBER.pack(number))


def _live(request: dict[str, Any], streams: list[int]) -> NoReturn:
    """Be that process, to its end."""
    status: object = 1
    try:
        for descriptor, stream in enumerate(streams):
            os.dup2(stream, descriptor)
        os.closerange(3, 2**12)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the process lives
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", buffering=1, errors="backslashreplace", closefd=False)  # noqa: SIM115
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ.clear()
        os.environ.update(request["environment"])
        os.chdir(request["directory"])
        sys.argv = ["corral", *request["arguments"]]
        try:
            main()
            status = 0
        except SystemExit as end:
            status = end.code
        if isinstance(status, str):
            print(status, file=sys.stderr)  # noqa: T201 - as the interpreter does
        atexit._run_exitfuncs()  # os._exit would leave out what the command registered
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:  # noqa: BLE001 - as the interpreter does at the end of a process
        traceback.print_exc()
    finally:
        os._exit(status if isinstance(status, int) else int(status is not None))


def load_all() -> None:
    home = Path(corral.__file__).parent
    for file in sorted(home.rglob("*.py")):
        if not _NOT_FOR_ALL.intersection(words := file.relative_to(home).with_suffix("").parts):
            importlib.import_module(".".join(("corral", *words)).removesuffix(".__init__"))
    app._load_litestar(ServerConfig().max_body_bytes)
    gc.collect()
    gc.freeze()  # pages that are not written to stay shared


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal's Ctrl-C is for the tests; their end is ours
    load_all()
    if len([*Path("/proc/self/task").iterdir()]) != 1:
        raise SystemExit("something that Corral loads starts threads: no process can be forked safely")
    attend(socket.socket(fileno=int(sys.argv[1])))
