"""The embedded PostgreSQL as the rest of Corral uses it."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path
from typing import Self

import asyncpg

from corral.engine.embedded.binaries import find_binaries
from corral.engine.embedded.cluster import Cluster
from corral.engine.embedded.ephemeral import make_temporary_home, remove_abandoned
from corral.model.errors import EmbeddedPostgresError

_STARTUP_TIMEOUT = timedelta(seconds=60)
_CONNECT_TIMEOUT_S = 10.0
_CONNECT_ATTEMPTS = 5


class EmbeddedPostgres:
    """A PostgreSQL that lives in `data_dir`, which must be new, empty or made by this class.

    The process that starts it owns it and stops it. Another one that starts the same directory meanwhile
    joins it and leaves it running; after an owner was killed, the next to start takes over. Data survives a
    kill of anything at any time and, if `durable`, a crash of the machine.
    """

    def __init__(
        self,
        data_dir: Path,
        *,
        bin_dir: Path | None = None,
        durable: bool = True,
        startup_timeout: timedelta = _STARTUP_TIMEOUT,
    ) -> None:
        self.data_dir = data_dir.expanduser().resolve()
        self._bin_dir = bin_dir
        self._durable = durable
        self._startup_timeout = startup_timeout
        self._cluster: Cluster | None = None

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls,
        data_dir: Path,
        *,
        bin_dir: Path | None = None,
        durable: bool = True,
        startup_timeout: timedelta = _STARTUP_TIMEOUT,
    ) -> AsyncIterator[Self]:
        """Start, and stop at the end what this process owns."""
        server = cls(data_dir, bin_dir=bin_dir, durable=durable, startup_timeout=startup_timeout)
        await server.start()
        try:
            yield server
        finally:
            await server.stop()

    @classmethod
    @contextlib.asynccontextmanager
    async def ephemeral(cls, *, bin_dir: Path | None = None, durable: bool = False) -> AsyncIterator[Self]:
        """Start in a new temporary directory, which is gone at the end.

        What a killed process left behind is removed by the next one that comes here.
        """
        if bin_dir is None:
            bin_dir = await asyncio.to_thread(find_binaries)
        await asyncio.to_thread(remove_abandoned, bin_dir)
        home = make_temporary_home()
        try:
            async with cls.open(home, bin_dir=bin_dir, durable=durable) as server:
                yield server
        finally:
            await _to_the_end(lambda: shutil.rmtree(home))

    @property
    def dsn(self) -> str:
        """The URL for the driver. It holds no secret and serves only the data's owner and root."""
        return self._started().dsn

    @property
    def owns(self) -> bool:
        """Whether this process started the server or took it over, and so will stop it."""
        return self._started().owns

    async def start(self) -> None:
        """Make the directory if need be; return when the server answers.

        Raises EmbeddedPostgresError. Cancelled, it leaves nothing running that was not running before.
        """
        if self._bin_dir is None:
            self._bin_dir = await asyncio.to_thread(find_binaries)
        cluster = Cluster(
            self.data_dir,
            bin_dir=self._bin_dir,
            durable=self._durable,
            startup_timeout=self._startup_timeout,
        )
        for attempt in range(1, _CONNECT_ATTEMPTS + 1):
            try:
                await _to_the_end(cluster.start, abandon=cluster.abandoned.set)
                await _answer(cluster)
            except asyncio.CancelledError:
                await _to_the_end(cluster.stop)
                raise
            except (OSError, asyncpg.PostgresError) as error:
                is_joined = not cluster.owns
                tail = await asyncio.to_thread(cluster.log_tail)
                await _to_the_end(cluster.stop)
                # Its owner may have stopped it between our look and our call: look again.
                if is_joined and attempt < _CONNECT_ATTEMPTS:
                    continue
                raise EmbeddedPostgresError(
                    f"PostgreSQL in {self.data_dir} does not answer: {error}\n{tail}",
                    code="embedded_postgres_start_failed",
                    path=str(self.data_dir),
                ) from error
            else:
                self._cluster = cluster
                return

    async def stop(self) -> None:
        """Stop the server if this process owns it, cutting its connections; does nothing when not started."""
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            await _to_the_end(cluster.stop)

    def _started(self) -> Cluster:
        if self._cluster is None:
            message = "the embedded PostgreSQL is not started"
            raise RuntimeError(message)
        return self._cluster


async def _answer(cluster: Cluster) -> None:
    connection = await asyncpg.connect(cluster.dsn, timeout=_CONNECT_TIMEOUT_S)
    await connection.close()


async def _to_the_end(call: Callable[[], None], *, abandon: Callable[[], None] = lambda: None) -> None:
    """Run a blocking call in a thread, and let a cancellation pass only after it has ended.

    A thread cannot be cancelled: left alone, it would go on starting a server that nobody owns.
    """
    task = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        abandon()
        while not task.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({task})
        with contextlib.suppress(EmbeddedPostgresError, OSError):
            task.result()
        raise
