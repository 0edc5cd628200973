"""The agent: everything wired together, from the lock on the state directory to the last event of a drained node.

Order of a start: lock, tell what a predecessor left untold, register, and only then heartbeat, pull and touch phones.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final
from uuid import UUID

import corral
from corral.drivers.protocol import Driver
from corral.model.errors import CorralError, RequestRefusedError, ServerUnavailableError
from corral.node.actions.registry import NodeAction
from corral.node.backoff import Backoff
from corral.node.bench import Artifacts
from corral.node.capabilities import list_capabilities
from corral.node.claiming import ClaimSteps
from corral.node.clock import Clock, boot_time
from corral.node.config import NodeConfig
from corral.node.devices import Devices
from corral.node.events import clean_text, log_event, log_line
from corral.node.files import InputFiles
from corral.node.health.keep import KeepHealthy
from corral.node.heartbeat import Beaten, BeatHeart
from corral.node.held import HeldJob, StopCause
from corral.node.inputs import TakeInputs
from corral.node.leases import Leases
from corral.node.link import Link
from corral.node.pulling import PullJobs
from corral.node.pulse import News, Pulse
from corral.node.runner import JobEnd, RunJobs
from corral.node.scans import DoScans
from corral.node.sharing import ShareTests
from corral.node.spool.deliver import DeliverEvents
from corral.node.spool.spool import Spool
from corral.node.spool.upload import UploadFiles
from corral.node.standing import Standing
from corral.node.state import StateDirectory
from corral.node.step_runner import RunSteps
from corral.node.step_work import StepWork
from corral.node.steps import TakeSteps
from corral.node.tasks import first_of, hand_over, unless
from corral.node.tunnels import OpenTunnels
from corral.node.watching import ShowScreens
from corral.node.work import Work
from corral.telemetry import logger
from corral.wire.nodes import MOST_DEVICES, Register

_TICK_S: Final = 5.0
_CONNECT_AGAIN_S: Final = 60.0
_LAST_WORDS_S: Final = 10.0
_HASTY_S: Final = 2.0
_log = logger(__name__)


class Agent:
    """One node's agent; `run` is its whole life."""

    def __init__(
        self,
        config: NodeConfig,
        *,
        drivers: Sequence[Driver],
        actions: Mapping[str, NodeAction],
        state: StateDirectory,
        spool: Spool,
        link: Link,
        clock: Clock = boot_time,
    ) -> None:
        self._config = config
        self._drivers = drivers
        self._state = state
        self._spool = spool
        self._link = link
        self._clock = clock
        self._leases = Leases(clock)
        self._pulse = Pulse(node_id=config.id, clock=clock, held=lambda: self._leases.held)
        self._devices = Devices(drivers, on_change=self._devices_changed)
        self._delivery = DeliverEvents(spool, link, on_ended=self._job_acknowledged)
        self._uploads = UploadFiles(spool, link)
        self._health = KeepHealthy(
            self._devices,
            limits=config.limits,
            clock=clock,
            may_touch=self._may_touch,
            interval_s=config.health_interval_s,
        )
        self._capabilities = list_capabilities(config, actions)
        artifacts = Artifacts(spool, self._uploads)
        steps = TakeSteps(
            spool=spool,
            artifacts=artifacts,
            files=InputFiles(link, state.files, limit_bytes=config.file_cache_bytes),
            tests=ShareTests(link, spool),
            actions=actions,
            allows_shell=config.allow_shell,
            adb_program=config.adb_program,
        )
        runner = RunJobs(
            node_id=config.id,
            spool=spool,
            devices=self._devices,
            artifacts=artifacts,
            steps=steps,
            actions=actions,
            may_touch=self._leases.is_live_for,
            check_up=self._health.check_up,
            scratch=state.scratch,
        )
        self._step_work = StepWork(
            slots=config.max_concurrency,
            leases=self._leases,
            runner=RunSteps(
                node_id=config.id,
                spool=spool,
                devices=self._devices,
                artifacts=artifacts,
                steps=steps,
                actions=actions,
                may_touch=self._leases.is_live_for,
                scratch=state.scratch,
            ),
            taken=lambda: self._work.running,
            idle_phones=self._devices.list_idle,
            on_end=self._step_ended,
            on_doubt=self._hurry,
        )
        self._work = Work(
            max_concurrency=config.max_concurrency,
            lookahead=config.lookahead,
            leases=self._leases,
            runner=runner,
            is_ready=self._devices.is_ready,
            steps=self._step_work,
            on_end=self._job_ended,
            on_doubt=self._hurry,
            clock=clock,
        )
        self._screens = ShowScreens(
            link,
            phone=self._devices.phone,
            is_held=self._work.is_held,
            may_touch=self._may_touch,
            epoch=lambda: self._pulse.epoch,
            clock=clock,
            on_end=self._screen_unwatched,
        )
        self._inputs = TakeInputs(
            find=self._work.find,
            phone=self._devices.phone,
            may_touch=self._leases.is_live_for,
            tell=self._tell_session,
            clock=clock,
        )
        self._tunnels = OpenTunnels(
            link,
            find=self._work.find,
            phone=self._devices.phone,
            may_touch=self._leases.is_live_for,
            clock=clock,
        )
        self._pulling = PullJobs(
            link,
            self._work,
            screens=self._screens,
            inputs=self._inputs,
            tunnels=self._tunnels,
            node_id=config.id,
            epoch=lambda: self._pulse.epoch,
            clock=clock,
        )
        self._claiming = ClaimSteps(
            link, self._step_work, node_id=config.id, epoch=lambda: self._pulse.epoch, clock=clock
        )
        self._scans = DoScans(drivers, self._devices, spool)
        self._heart: BeatHeart | None = None
        self._renewed = asyncio.Event()
        self._standing = Standing(clock=clock, on_forgotten=self._introduce_again, on_replaced=self._make_way)

    async def run(self, stopping: asyncio.Event) -> None:
        """Work until told to stop; then drain. Raises StaleEpochError when another agent took over.

        Cancelled, it interrupts what runs and tells the server so, if that is quickly done.
        """
        await asyncio.to_thread(shutil.rmtree, self._state.scratch, ignore_errors=True)
        lease_s = await unless(stopping, self._introduce())
        if lease_s is None:
            return
        self._heart = self._make_heart(lease_s)
        self._heart.start()
        try:
            async with asyncio.TaskGroup() as group:
                loops = [group.create_task(each) for each in self._loops()]
                await self._drain_when(stopping)
                for loop in loops:
                    loop.cancel()
        except BaseExceptionGroup as group_error:
            raise first_of(group_error) from None
        finally:
            self._screens.stop()
            self._inputs.stop()
            self._tunnels.stop()
            self._heart.stop()
            await asyncio.to_thread(self._heart.join)

    async def _introduce(self) -> float:
        """Tell what a predecessor left untold, then register: the order proves that nothing of it is still to come."""
        await self._delivery.flush()
        return await self._register()

    def _loops(self) -> list[Coroutine[None, None, None]]:
        return [
            self._tick(),
            self._fence(),
            self._delivery.run(),
            self._uploads.run(),
            self._health.run(),
            self._standing.ask(self._pulling.run),
            self._standing.ask(self._claiming.run),
            self._standing.run(),
            self._connect(),
            *(self._devices.watch(driver) for driver in self._drivers),
        ]

    def _make_heart(self, lease_s: float) -> BeatHeart:
        loop = asyncio.get_running_loop()
        secret = self._config.secret
        self._pulse.tick()
        return BeatHeart(
            base_url=self._config.server_url,
            secret=None if secret is None else secret.reveal(),
            pulse=self._pulse,
            clock=self._clock,
            lease_s=lease_s,
            on_answer=lambda beaten: hand_over(loop, lambda: self._beaten(beaten)),
            on_refusal=lambda error, sent_at: hand_over(loop, lambda: self._standing.refused(error, sent_at)),
        )

    async def _drain_when(self, stopping: asyncio.Event) -> None:
        """The agent's life; whatever ends it, what runs is finished or interrupted, and the server told if possible."""
        try:
            await stopping.wait()
            _log.info("draining: finishing what runs", running=self._work.running + self._step_work.running)
            self._step_work.drain()
            self._work.drain()
            self._pulling.nudge()
            await self._work.finish()
            await self._step_work.finish()
        except asyncio.CancelledError:
            self._interrupt(StopCause.STOPPING, also_waiting=True)
            await self._work.finish()
            await self._step_work.finish()
            await self._tell_rest(_HASTY_S)
            raise
        await self._tell_rest(_LAST_WORDS_S)

    async def _tell_rest(self, limit_s: float) -> None:
        """Tell what is left to tell, if the server is there to hear it; the spool keeps the rest."""
        try:
            async with asyncio.timeout(limit_s):
                await self._uploads.flush()
                await self._delivery.flush()
        except TimeoutError:
            _log.warning("some events could not be told; the next start tells them")

    async def _register(self) -> float:
        """Register, asking until the server answers; the lease time. Raises RequestRefusedError."""
        config, backoff = self._config, Backoff()
        request = Register(
            node_id=config.id,
            name=config.name,
            capabilities=self._capabilities,
            labels=dict(config.labels),
            max_concurrency=config.max_concurrency,
            lookahead=config.lookahead,
            version=corral.__version__,
            meta={"disk": await asyncio.to_thread(_measure_disk, self._state.path)},
            state_id=self._state.state_id,
        )
        while True:
            sent_at = self._clock()
            try:
                registration = await self._link.register(request)
            except ServerUnavailableError as error:
                if backoff.failures == 0:
                    _log.warning("waiting for the server", url=config.server_url, why=error.message)
                await asyncio.sleep(backoff.next_s())
                continue
            self._pulse.epoch = registration.epoch
            self._leases.renew(sent_at=sent_at, lease_s=registration.lease_s)
            self._standing.registered()
            _log.info("registered", node_id=config.id, epoch=registration.epoch, requeued=registration.requeued)
            return registration.lease_s

    async def _introduce_again(self) -> None:
        """What the server forgot of this node it does not know to be held either."""
        self._interrupt(StopCause.LOST, also_waiting=True)
        self._devices.forget_acknowledged()
        await self._register()
        self._devices_changed()

    def _make_way(self) -> None:
        """Another agent has taken over: no more of this one."""
        self._leases.end()
        self._screens.stop()
        self._interrupt(StopCause.LOST, also_waiting=True)

    async def _connect(self) -> None:
        """Look for the phones that the settings name, and again for as long as some are not to be found."""
        for driver in self._drivers:
            while driver.name == "adb" and self._config.adb_connect:
                try:
                    failed = await driver.discover(self._config.adb_connect)
                except CorralError as error:
                    failed = [error.message]
                for line in failed:
                    _log.warning("a device could not be connected", why=line)
                if not failed:
                    break
                await asyncio.sleep(_CONNECT_AGAIN_S)

    async def _tick(self) -> None:
        while True:
            self._pulse.tick()
            await asyncio.sleep(_TICK_S)

    async def _fence(self) -> None:
        """Stop touching phones when the lease is about to end. A machine that slept finds out here when it wakes."""
        while True:
            self._renewed.clear()
            left_s = self._leases.left_s
            if left_s > 0:
                await asyncio.sleep(min(left_s, _TICK_S))
                continue
            _log.error("the lease could not be renewed: no phone is touched until it is")
            self._screens.stop()
            self._interrupt(StopCause.FENCED, also_waiting=False)
            await self._renewed.wait()
            _log.info("the lease is renewed")

    def _interrupt(self, cause: StopCause, *, also_waiting: bool) -> None:
        self._work.interrupt(cause, also_waiting=also_waiting)
        self._step_work.interrupt(cause)

    def _may_touch(self) -> bool:
        return self._leases.is_live

    def _beaten(self, beaten: Beaten) -> None:
        """What a heartbeat's answer says. Leases that were lost are given up before the rest is renewed."""
        reply = beaten.reply
        self._work.lose(reply.lost)
        self._step_work.lose(reply.lost)
        self._leases.renew(sent_at=beaten.sent_at, lease_s=reply.lease_s, named=beaten.beat.held)
        self._renewed.set()
        self._devices.acknowledge(beaten.beat.devices, is_complete=beaten.beat.is_complete)
        for path in reply.refused:
            _log.warning("the server refused a device's report", path=path)
        self._publish()
        self._scans.take(reply.scans)
        self._work.cancel(reply.cancel)
        self._work.fill()
        self._step_work.fill()
        self._claiming.nudge()

    def _hurry(self) -> None:
        if self._heart is not None:
            self._heart.hurry()

    def _devices_changed(self) -> None:
        self._health.noticed()
        if self._publish():
            self._hurry()
        self._work.fill()
        self._claiming.nudge()

    def _publish(self) -> bool:
        """Lay ready what the next heartbeat says of devices; whether it should hurry."""
        news = self._devices.list_news()
        is_complete = self._devices.is_complete and not self._devices.is_reported and len(news) <= MOST_DEVICES
        self._pulse.news = News(news[:MOST_DEVICES], is_complete)
        return is_complete or self._devices.is_urgent(news)

    def _job_ended(self, serial: str, end: JobEnd) -> None:
        self._health.job_ended(serial, end)
        self._claiming.nudge()

    def _step_ended(self) -> None:
        self._work.fill()
        self._claiming.nudge()

    def _tell_session(self, held: HeldJob, message: str) -> None:
        lines = [log_line("warning", clean_text(message, ()))]
        self._spool.put(log_event(job_id=held.events.job_id, lease_token=held.events.lease_token, lines=lines))

    def _screen_unwatched(self) -> None:
        self._pulling.nudge()

    def _job_acknowledged(self, token: UUID) -> None:
        self._work.ended(token)
        self._step_work.ended(token)
        self._pulling.nudge()
        self._claiming.nudge()


async def run_agent(
    config: NodeConfig, stopping: asyncio.Event, *, drivers: Sequence[Driver], actions: Mapping[str, NodeAction]
) -> None:
    """Be the node that the settings describe, until told to stop. Raises StateInUseError, StaleEpochError."""
    secret = None if config.secret is None else config.secret.reveal()
    async with AsyncExitStack() as stack:
        state = stack.enter_context(StateDirectory(config.state_path, node_id=config.id))
        for driver in drivers:
            stack.push_async_callback(driver.aclose)
        link = await stack.enter_async_context(Link(base_url=config.server_url, node_id=config.id, secret=secret))
        spool = await stack.enter_async_context(Spool(state.spool, limit_bytes=config.spool_limit_bytes))
        agent = Agent(config, drivers=drivers, actions=actions, state=state, spool=spool, link=link)
        try:
            await agent.run(stopping)
        except RequestRefusedError as error:
            raise RequestRefusedError(
                f"the server refused this node: {error.message}", status=error.status, code=error.code
            ) from error


def _measure_disk(path: Path) -> dict[str, int]:
    usage = shutil.disk_usage(path)
    return {"total_bytes": usage.total, "free_bytes": usage.free}
