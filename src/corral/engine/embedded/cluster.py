"""One embedded cluster, in plain blocking calls; `server` puts them behind asyncio."""

import contextlib
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from corral.engine.embedded import settings
from corral.engine.embedded.account import choose_account
from corral.engine.embedded.binaries import Programs
from corral.engine.embedded.endpoint import choose_endpoint
from corral.engine.embedded.layout import LOCK, PGDATA, check_pgdata, make_pgdata, prepare_home
from corral.engine.embedded.lock import FileLock
from corral.engine.embedded.postmaster import (
    Postmaster,
    disown_pid_file,
    find_running,
    has_ended,
    processes_in,
    read_postmaster,
)
from corral.model.errors import EmbeddedPostgresError

_STARTUP_LOG = "startup.log"
_LOG_LINES = 20
_POLL_S = 0.03
_STOP_S = 30
# pg_ctl only begins the start; `_own` goes on waiting, so that it can be abandoned.
_PG_CTL_WAIT_S = 1
# pg_ctl's own words for a start that goes on, in the language that `Programs` fixes.
_STILL_STARTING = "server did not start in time"


class Cluster:
    """The server in one directory: found or started, and stopped by whoever owns it.

    The lock of the directory is the ownership. It outlives no process, so a server whose owner was killed is
    free to be taken over; whoever finds the lock taken waits for its holder's server and joins it.
    """

    def __init__(self, home: Path, *, bin_dir: Path, durable: bool, startup_timeout: timedelta) -> None:
        self.home = home
        self.pgdata = home / PGDATA
        self.owns = False
        self.abandoned = threading.Event()
        self._bin_dir = bin_dir
        self._durable = durable
        self._startup_timeout = startup_timeout
        self._lock = FileLock(home / LOCK)
        self._postmaster: Postmaster | None = None

    @property
    def dsn(self) -> str:
        """Return the URL of the running server; only after `start`."""
        if self._postmaster is None:
            message = "the embedded PostgreSQL is not started"
            raise RuntimeError(message)
        return self._endpoint.dsn(self.pgdata, self._postmaster)

    def start(self) -> None:
        """Start, take over or join the server; return when it is ready. Raises when it is not in time."""
        deadline = time.monotonic() + self._startup_timeout.total_seconds()
        try:
            prepare_home(self.home)
            self._look_around()
            while not self._lock.acquire():
                if (found := self._find_ready()) is not None:
                    self._postmaster = found
                    return
                self._wait(deadline, or_raise=self._in_use)
            self._start_as_owner(deadline)
        except PermissionError as error:
            raise EmbeddedPostgresError(
                f"{self.home} is closed to this user: {error}",
                code="embedded_postgres_unreachable",
                path=str(self.home),
            ) from error

    def stop(self) -> None:
        """Stop the server if this process owns it; otherwise only forget it."""
        postmaster, self._postmaster = self._postmaster, None
        if not self.owns:
            return
        try:
            self._shut_down("fast", "immediate")
            if postmaster is not None:
                self._endpoint.clear(postmaster)
        finally:
            self.owns = False
            self._lock.release()

    def stop_if_orphaned(self) -> bool:
        """Stop a server whose owner is gone; return False when somebody still owns it."""
        self._look_around()
        if not self._lock.acquire():
            return False
        try:
            if self.pgdata.exists() and (found := find_running(self.pgdata, self._programs)) is not None:
                self._shut_down("immediate")
                self._endpoint.clear(found)
        finally:
            self._lock.release()
        return True

    def log_tail(self) -> str:
        """Return the last lines that the server wrote since it was launched."""
        startup = self.pgdata / _STARTUP_LOG
        if not startup.exists():
            return ""
        # The server writes to its log only after its last word here: an older one is of an earlier launch.
        launched_at = startup.stat().st_mtime_ns
        logs = [
            log for log in (self.pgdata / settings.LOG_DIRECTORY).glob("*.log") if log.stat().st_mtime_ns >= launched_at
        ]
        lines = [line for log in (startup, *logs) for line in log.read_text(errors="replace").splitlines()]
        return "\n".join(lines[-_LOG_LINES:])

    def _look_around(self) -> None:
        self._account = choose_account(self.home, self.pgdata)
        self._programs = Programs.reachable(self._bin_dir, self._account)
        self._endpoint = choose_endpoint(self.home, self._account)

    def _start_as_owner(self, deadline: float) -> None:
        self.owns = True
        try:
            if self.pgdata.exists():
                check_pgdata(self.pgdata, self._bin_dir)
            else:
                make_pgdata(self.home, programs=self._programs, endpoint=self._endpoint, durable=self._durable)
            self._postmaster = self._own_or_end(deadline)
        except BaseException:
            self.owns = False
            self._lock.release()
            raise

    def _own_or_end(self, deadline: float) -> Postmaster:
        try:
            return self._own(deadline)
        except BaseException:
            # A server that is not ready in time is of no use, and nobody would be left to stop it.
            with contextlib.suppress(EmbeddedPostgresError):
                self._shut_down("immediate")
            raise

    def _own(self, deadline: float) -> Postmaster:
        """Wait for the server that runs, or for the one that it launches."""
        is_launched = False
        while True:
            found = find_running(self.pgdata, self._programs)
            if found is not None and found.is_ready:
                return found
            if found is None:
                if is_launched and not self._is_held_up_by_old_backends():
                    raise self._start_failed("PostgreSQL did not start")
                self._launch(deadline)
                is_launched = True
                if self._find_ready() is not None:
                    continue
            self._wait(deadline, or_raise=self._too_slow)

    def _launch(self, deadline: float) -> None:
        disown_pid_file(self.pgdata, self._programs)
        account = self._account
        values = {
            **settings.queue_settings(self._programs.bin_dir, durable=self._durable),
            **self._endpoint.settings(read_postmaster(self.pgdata)),
        }
        account.write_file(self.pgdata / settings.FILE, settings.render(values))
        for name, text in self._endpoint.access_rules().items():
            account.write_file(self.pgdata / name, text)
        (self.pgdata / _STARTUP_LOG).unlink(missing_ok=True)
        done = self._programs.run(
            "pg_ctl start",
            "--silent",
            "--wait",
            f"--timeout={_PG_CTL_WAIT_S}",
            f"--log={{pgdata}}/{_STARTUP_LOG}",
            pgdata=self.pgdata,
        )
        if _STILL_STARTING in done.stdout:
            self._await_appearance(deadline)

    def _await_appearance(self, deadline: float) -> None:
        """Wait until the server can be found: on a busy machine it may be younger than pg_ctl's patience."""
        while find_running(self.pgdata, self._programs) is None and time.monotonic() < deadline:
            time.sleep(_POLL_S)

    def _shut_down(self, *modes: str) -> None:
        """End the server, trying one mode after the other; one that is dead already is as good as stopped."""
        for mode in modes:
            # pg_ctl would wait for a killed server until its parent has taken notice of its end.
            if (found := find_running(self.pgdata, self._programs)) is None:
                return
            done = self._programs.run(
                "pg_ctl stop",
                "--silent",
                "--wait",
                f"--timeout={_STOP_S}",
                f"--mode={mode}",
                pgdata=self.pgdata,
            )
            if done.returncode == 0 and self._has_ended_soon(found):
                return
        raise EmbeddedPostgresError(
            f"PostgreSQL in {self.pgdata} does not stop. The end of its log:\n{self.log_tail()}",
            code="embedded_postgres_stop_failed",
            path=str(self.pgdata),
        )

    def _has_ended_soon(self, postmaster: Postmaster) -> bool:
        deadline = time.monotonic() + _STOP_S
        while not has_ended(postmaster, self.pgdata) and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        return has_ended(postmaster, self.pgdata)

    def _find_ready(self) -> Postmaster | None:
        found = find_running(self.pgdata, self._programs) if self.pgdata.exists() else None
        return found if found is not None and found.is_ready else None

    def _is_held_up_by_old_backends(self) -> bool:
        # The server's own words, in the language that the settings fix.
        return "pre-existing shared memory block" in self.log_tail()

    def _wait(self, deadline: float, *, or_raise: Callable[[], EmbeddedPostgresError]) -> None:
        if self.abandoned.wait(_POLL_S) or time.monotonic() > deadline:
            raise or_raise()

    def _in_use(self) -> EmbeddedPostgresError:
        holder = self._lock.holder()
        return EmbeddedPostgresError(
            f"{self.home} is in use by {holder}, whose PostgreSQL is not ready"
            f" after {self._startup_timeout.total_seconds():g} s:"
            f" stop {holder}, or choose another directory with --data-dir",
            code="embedded_postgres_in_use",
            path=str(self.home),
        )

    def _too_slow(self) -> EmbeddedPostgresError:
        if self._is_held_up_by_old_backends():
            pids = ", ".join(map(str, processes_in(self.pgdata))) or "unknown"
            return EmbeddedPostgresError(
                f"processes of a killed PostgreSQL still use {self.pgdata} (pids: {pids}): end them, then start again",
                code="embedded_postgres_in_use",
                path=str(self.pgdata),
            )
        return self._start_failed(f"PostgreSQL was not ready after {self._startup_timeout.total_seconds():g} s")

    def _start_failed(self, what: str) -> EmbeddedPostgresError:
        return EmbeddedPostgresError(
            f"{what}. The end of its log in {self.pgdata}:\n{self.log_tail()}",
            code="embedded_postgres_start_failed",
            path=str(self.pgdata),
        )
