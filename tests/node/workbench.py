"""A runner with everything that it needs, on phones that exist in the test alone; what it tells is read from its spool."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import msgspec

from corral.drivers.protocol import ShellResult, Sighting
from corral.model.records import Grant, RunSpec
from corral.model.states import Connection
from corral.node.actions.registry import NodeAction, node_actions
from corral.node.bench import Artifacts
from corral.node.devices import Device, Devices
from corral.node.files import InputFiles
from corral.node.held import HeldJob
from corral.node.link import Link
from corral.node.runner import JobEnd, RunJobs
from corral.node.sharing import ShareTests
from corral.node.spool.spool import Spool
from corral.node.spool.store import Store
from corral.node.spool.upload import UploadFiles
from corral.node.steps import TakeSteps
from corral.workflow import BUILT_IN, parse_recipe, to_json
from corral.workflow.action_spec import ActionSpec

Does = Callable[..., Awaitable[Any]]


class FakePhone:
    """Does what the test says, and remembers what it was asked."""

    def __init__(self, handle: str) -> None:
        self.handle = handle
        self.lines: list[str] = []
        self.asked = asyncio.Event()
        self.does: Callable[[str], Awaitable[ShellResult]] = _nothing

    async def shell(self, command: str, *, max_output_bytes: int = 1 << 20) -> ShellResult:
        assert max_output_bytes > 0
        self.lines.append(command)
        self.asked.set()
        return await self.does(command)

    async def listen(self, command: str, hear: Callable[[bytes], None]) -> int:
        result = await self.shell(command)
        hear(result.stdout + result.stderr)
        return result.exit_code

    def under(self, _may_touch: Callable[[], bool], /) -> Self:
        return self

    async def screenshot(self) -> bytes:
        raise NotImplementedError

    async def push(self, source: Path, path: str, *, mode: int = 0o644) -> None:
        raise NotImplementedError

    async def pull(self, path: str, target: Path) -> None:
        raise NotImplementedError

    async def install(self, apk: Path, options: Sequence[str] = ()) -> None:
        raise NotImplementedError

    async def reboot(self) -> None:
        self.lines.append("reboot")

    async def reconnect(self) -> None:
        self.lines.append("reconnect")

    async def call(self, action: str, data: Mapping[str, Any]) -> Any:  # noqa: ANN401 - as in the protocol
        raise NotImplementedError


async def _look(_device: Device) -> None:
    pass


async def _nothing(_command: str) -> ShellResult:
    return ShellResult(0, b"", b"")


class FakeDriver:
    """Phones by handle, which appear when the test says so."""

    def __init__(self, name: str = "fake") -> None:
        self._name = name
        self.phones: dict[str, FakePhone] = {}
        self.lists: asyncio.Queue[list[Sighting]] = asyncio.Queue()
        self.discovered: list[Sequence[str]] = []

    @property
    def name(self) -> str:
        return self._name

    async def watch(self) -> AsyncGenerator[list[Sighting], None]:
        while True:
            yield await self.lists.get()

    def phone(self, handle: str) -> FakePhone:
        return self.phones.setdefault(handle, FakePhone(handle))

    async def discover(self, addresses: Sequence[str] = ()) -> list[str]:
        self.discovered.append(addresses)
        return []

    async def aclose(self) -> None:
        pass


def sighting(serial: str, connection: Connection = Connection.CONNECTED, **fields: Any) -> Sighting:  # noqa: ANN401
    return Sighting(**{"serial": serial, "handle": f"handle-{serial}", "connection": connection, **fields})


class Workbench:
    """Runs jobs of one phone."""

    def __init__(self, path: Path, spool: Spool, actions: Mapping[str, Does]) -> None:
        self.spool = spool
        self.driver = FakeDriver()
        self.devices = Devices([self.driver], on_change=lambda: None)
        self.devices.see("fake", [sighting("R58M1")])
        self.is_live = True
        self.scratch = path / "scratch"
        self.link = Link(base_url="http://127.0.0.1:9", node_id="desk", secret=None)
        self.uploads = UploadFiles(spool, self.link)
        known = dict(node_actions())
        for name, does in actions.items():
            spec = BUILT_IN[name] if name in BUILT_IN else ActionSpec(name=name, summary="A test's own.", output=None)
            known[name] = NodeAction(spec, does)
        self.specs = {name: action.spec for name, action in known.items()}
        artifacts = Artifacts(spool, self.uploads)
        files = InputFiles(self.link, path / "files", limit_bytes=1 << 20)
        self.runner = RunJobs(
            node_id="desk",
            spool=spool,
            devices=self.devices,
            artifacts=artifacts,
            steps=TakeSteps(
                spool=spool,
                artifacts=artifacts,
                files=files,
                tests=ShareTests(self.link, spool),
                actions=known,
                allows_shell=False,
            ),
            actions=known,
            may_touch=lambda _token: self.is_live,
            check_up=_look,
            scratch=self.scratch,
        )

    @property
    def phone(self) -> FakePhone:
        return self.driver.phone("handle-R58M1")

    def job(self, *steps: dict[str, Any], **fields: Any) -> HeldJob:  # noqa: ANN401 - of the run's specification
        recipe = parse_recipe({"name": "work", "steps": list(steps), **fields.pop("recipe", {})}, self.specs)
        spec = RunSpec(
            run_id=uuid4(),
            workflow_id=uuid4(),
            workflow_name="work",
            workflow_version=1,
            recipe=msgspec.json.decode(to_json(recipe)),
            params=fields.pop("params", {}),
            secret_params=fields.pop("secret_params", {}),
            overrides={},
            policy={"grace_wait_s": 0.01, **fields.pop("policy", {})},
            seed="seed",
            youtube_video_id=None,
        )
        grant = Grant(
            job_id=uuid4(),
            run_id=spec.run_id,
            device_id=uuid4(),
            serial="R58M1",
            runtime_handle=None,
            lease_token=uuid4(),
            fence=1,
            attempt=1,
            priority=0,
            position=1,
            timeout_s=fields.pop("timeout_s", 60.0),
        )
        return HeldJob(grant, spec)

    async def run(self, *steps: dict[str, Any], **fields: Any) -> JobEnd:  # noqa: ANN401 - as above
        return await self.runner.run(self.job(*steps, **fields))

    async def told(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The events so far, in order; those of one type."""
        events = await self.spool.act(_read_all)
        return [each for each in events if kind is None or each["type"] == kind]

    async def ends(self) -> list[tuple[str, str]]:
        """Each step that ended, and how."""
        return [(each["step"], each["status"]) for each in await self.told("step_finished")]

    async def text(self) -> str:
        """All that would leave the node."""
        return msgspec.json.encode(await self.told()).decode()


def _read_all(store: Store) -> list[dict[str, Any]]:
    rows = store.connection.execute("select body from events order by number")
    return [msgspec.json.decode(body) for (body,) in rows]


@asynccontextmanager
async def workbench(path: Path, **actions: Does) -> AsyncIterator[Workbench]:
    """A bench; `a_b=…` is the action `a.b`."""
    async with Spool(path / "spool", limit_bytes=1 << 24) as spool:
        bench = Workbench(path, spool, {name.replace("_", "."): does for name, does in actions.items()})
        async with bench.link:
            yield bench
