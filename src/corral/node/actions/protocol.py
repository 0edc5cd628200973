"""What an action is given and may do. The runner makes one Bench per step; actions keep no state of their own.

An action returns its output (the record that its ActionSpec names, or a mapping), or raises: ActionFailedError and its
kin for trouble with the work, DeviceError and its kin for trouble with the phone. It is cancelled when its time is up,
and must then let go at once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal, Protocol
from uuid import UUID

from msgspec import Struct

from corral.drivers.adb.private import PrivateAdb
from corral.drivers.protocol import Phone
from corral.model.testing import Chunk, Offer
from corral.wire.testing import ToldResult
from corral.workflow.context import DeviceContext, RunContext

Level = Literal["debug", "info", "warning", "error"]
ArtifactKind = Literal["screenshot", "log", "file"]


class StoredFile(Struct, frozen=True, kw_only=True):
    """A file that is on its way to the server: the spool holds it until it has arrived."""

    path: Path
    sha256: str
    size_bytes: int


class Bench(Protocol):
    """The step's place of work."""

    @property
    def step_id(self) -> str: ...

    @property
    def run(self) -> RunContext: ...

    @property
    def device(self) -> DeviceContext: ...

    @property
    def phone(self) -> Phone: ...

    @property
    def scratch(self) -> Path:
        """The job's own directory, removed when the job ends. Paths in recipes are relative to it and stay inside."""
        ...

    @property
    def allows_shell(self) -> bool:
        """Whether this node was started with --allow-shell."""
        ...

    def log(self, level: Level, message: str) -> None:
        """A line for the job's log. Secrets are masked on the way."""
        ...

    async def store(self, path: Path, *, kind: ArtifactKind, name: str | None = None) -> StoredFile:
        """Hand a file over to the spool as an artifact of this step."""
        ...

    @property
    def adb_port(self) -> int:
        """Of the adb server that has this phone, among others. Raises NotSupportedError where its driver has none."""
        ...

    def own_adb(self) -> AbstractAsyncContextManager[PrivateAdb]:
        """An adb server for a block of this step that knows this phone alone. Raises DeviceError."""
        ...

    def report_tests(self, results: Sequence[ToldResult]) -> None:
        """Tell how tests ended, in the order in which they did. Secrets are masked on the way."""
        ...

    async def offer_tests(
        self, tests: Sequence[tuple[str, str]], *, chunk: str, test_retries: int, infra_retries: int
    ) -> Offer:
        """Say which tests (class, name) the phones of the run share in this step; the first word on it counts."""
        ...

    async def claim_tests(self, request_id: UUID) -> Chunk:
        """The next of the shared tests for this phone; waits a while for some, and then says that there are none yet."""
        ...

    async def fetch(self, file: str) -> Path:
        """An uploaded input file, by name or sha256, from the node's cache or the server. Read-only."""
        ...


Action = Callable[[Bench, Any], Awaitable[Struct | Mapping[str, Any] | None]]
"""Given the bench and the `with` as the action's own record (`ActionSpec.read_args`)."""
