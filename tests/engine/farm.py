"""A farm for tests: nodes and devices that do as they are told, and a clock that moves when asked."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from corral.engine import Engine
from corral.model.records import EventResult, Grant, Job, Json, Run
from tests.postgres import FROZEN_CLOCK

LEASE_TIME = timedelta(seconds=60)
BEAT = timedelta(seconds=10)
SECOND = timedelta(seconds=1)


def artifact_key(grant: Grant, *, node_id: str = "node-1", video: str = "_", number: int = 0) -> str:
    """A key that the holder of the grant may use."""
    return f"{video}/{node_id}/{grant.serial}/{grant.run_id}/20260102T030405678Z-{number:08x}.png"


class Clock:
    """The database's clock, moved by hand."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def freeze(self) -> None:
        """Let it move by `advance` alone from now on. For the beginning of a test: it leaps ahead."""
        await self._engine.database.fetch(FROZEN_CLOCK)

    async def advance(self, by: timedelta) -> None:
        await self._engine.database.fetch("update corral_test.clock set moved_by = moved_by + $1", by)


class SimulatedNode:
    """A node as the engine sees one: it pulls, reports and beats, and remembers what it holds."""

    def __init__(self, farm: "Farm", node_id: str, *, epoch: int, state_id: str | None) -> None:
        self.farm = farm
        self.engine = farm.engine
        self.node_id = node_id
        self.epoch = epoch
        self.state_id = state_id
        self.held: dict[UUID, Grant] = {}
        self._seq: dict[UUID, int] = {}

    async def pull(self, want: int = 20, *, request_id: UUID | None = None) -> list[Grant]:
        grants = await self.engine.nodes.pull_job(
            self.node_id, epoch=self.epoch, want=want, request_id=request_id or uuid4()
        )
        self.held.update({grant.lease_token: grant for grant in grants})
        return grants

    async def beat(self, *, devices: Sequence[Json] = (), held: Sequence[UUID] | None = None) -> Any:  # noqa: ANN401
        return await self.engine.nodes.heartbeat(
            self.node_id, epoch=self.epoch, held=list(self.held) if held is None else held, devices=devices
        )

    async def reboot(self, *, keeps_state: bool = True) -> "SimulatedNode":
        """The node's agent dies and a new one registers, from the same state directory or from another."""
        state_id = self.state_id if keeps_state else uuid4().hex
        return await self.farm.given_node(self.node_id, state_id=state_id)

    def event(self, grant: Grant, type_: str, /, **fields: object) -> Json:
        """An event of a lease, with the next number of its sequence."""
        seq = self._seq[grant.lease_token] = self._seq.get(grant.lease_token, 0) + 1
        return {
            "event_id": str(uuid4()),
            "job_id": str(grant.job_id),
            "lease_token": str(grant.lease_token),
            "seq": seq,
            "type": type_,
            **fields,
        }

    async def send(self, *events: Json) -> list[EventResult]:
        return await self.engine.events.apply_node_events(self.node_id, events)

    async def start(self, *grants: Grant) -> None:
        results = await self.send(*(self.event(grant, "job_started") for grant in grants))
        assert [result.outcome for result in results] == ["applied"] * len(grants)

    async def finish(self, *grants: Grant, outcome: str = "succeeded", **fields: object) -> list[EventResult]:
        results = await self.send(*(self.event(g, "job_finished", outcome=outcome, **fields) for g in grants))
        for grant in grants:
            self.held.pop(grant.lease_token, None)
        return results


class Farm:
    """The engine under test, with short ways to say what is the case."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.clock = Clock(engine)

    async def let_verdicts_open(self) -> None:
        """As if upkeep had ticked for a whole lease time already."""
        await self.engine.upkeep.tick_upkeep()
        await self.engine.database.fetch("update corral.upkeep set verdicts_from = corral.fn_now() - interval '1 day'")

    async def pass_time(self, by: timedelta, *nodes: SimulatedNode) -> None:
        """Time goes by in small steps, upkeep ticks, and the nodes given keep beating."""
        left = by
        while left > timedelta(0):
            step = min(left, timedelta(seconds=5))
            await self.clock.advance(step)
            for node in nodes:
                await node.beat()
            await self.engine.upkeep.tick_upkeep()
            left -= step

    async def run_upkeep(self) -> None:
        """One round of everything that upkeep does."""
        upkeep = self.engine.upkeep
        await upkeep.tick_upkeep()
        await upkeep.expire_leases()
        await upkeep.expire_sessions()
        await upkeep.expire_agents()
        await upkeep.expire_steps()
        await upkeep.fail_unclaimable_steps()
        await upkeep.resolve_contested()
        await upkeep.skip_unavailable()
        await upkeep.time_out_pools()
        await upkeep.time_out_jobs()
        await upkeep.resume_unfinished_work()
        await upkeep.finish_open_runs()

    async def given_node(
        self,
        node_id: str = "node-1",
        *,
        devices: int | Sequence[str] = 0,
        state_id: str | None = None,
        **fields: Any,  # noqa: ANN401 - what register_node takes
    ) -> SimulatedNode:
        state_id = state_id or uuid4().hex
        registration = await self.engine.nodes.register_node(node_id, state_id=state_id, **fields)
        node = SimulatedNode(self, node_id, epoch=registration.epoch, state_id=state_id)
        serials = devices if not isinstance(devices, int) else [f"{node_id}-{n:03d}" for n in range(1, devices + 1)]
        if serials:
            await self.engine.nodes.report_devices(
                node_id, epoch=node.epoch, devices=[{"serial": serial} for serial in serials]
            )
        return node

    async def given_workflow(self, name: str = "smoke", *, mode: str = "device") -> UUID:
        workflow = await self.engine.workflows.create_workflow(name, {"name": name, "steps": []}, mode=mode)
        return workflow.workflow_id

    async def given_run(self, target: Json | None = None, **request: object) -> Run:
        workflow_id = await self.given_workflow()
        return await self.engine.runs.create_run(workflow_id, {"target": target or {"all": True}, **request})

    async def given_leased_job(self) -> tuple[SimulatedNode, Grant]:
        """One node, one device, one run, one job, leased."""
        node = await self.given_node(devices=1)
        await self.given_run()
        (grant,) = await node.pull()
        return node, grant

    async def job(self, grant: Grant) -> Job:
        return await self.engine.jobs.get(grant.job_id)

    async def run(self, run_id: UUID) -> Run:
        return await self.engine.runs.get(run_id)

    async def value(self, query: str, *args: object) -> Any:  # noqa: ANN401
        return await self.engine.database.fetch_value(query, *args)
