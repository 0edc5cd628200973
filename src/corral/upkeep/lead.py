"""Run upkeep while this process leads; stand by while another does.

The lock is the database's, so when a leader dies the next one takes over within a second or so. Two leaders for a
moment would do no harm: every act is a transaction that judges what it sees.
"""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from corral.config import ServerConfig
from corral.content import Source
from corral.engine import Engine
from corral.engine.leadership import Leadership
from corral.notify import Sender
from corral.storage import Storage
from corral.telemetry import logger
from corral.upkeep.close_idle_chains import close_idle_chains
from corral.upkeep.deliver_notifications import deliver_notifications
from corral.upkeep.expire_agents import expire_agents
from corral.upkeep.expire_leases import expire_leases
from corral.upkeep.expire_scans import expire_scans
from corral.upkeep.expire_sessions import expire_sessions
from corral.upkeep.expire_steps import expire_steps
from corral.upkeep.fail_unclaimable_steps import fail_unclaimable_steps
from corral.upkeep.fetch_thumbnails import fetch_thumbnails
from corral.upkeep.finish_open_runs import finish_open_runs
from corral.upkeep.fire_schedules import fire_schedules
from corral.upkeep.loop import Loop
from corral.upkeep.notify_returned_nodes import notify_returned_nodes
from corral.upkeep.purge_agents import purge_agents
from corral.upkeep.purge_artifacts import purge_artifacts
from corral.upkeep.purge_events import purge_events
from corral.upkeep.purge_firings import purge_firings
from corral.upkeep.purge_logs import purge_logs
from corral.upkeep.purge_notifications import purge_notifications
from corral.upkeep.purge_pictures import purge_pictures
from corral.upkeep.purge_runs import purge_runs
from corral.upkeep.purge_samples import purge_samples
from corral.upkeep.purge_task_claims import purge_task_claims
from corral.upkeep.report_disks import report_disks
from corral.upkeep.resolve_contested import resolve_contested
from corral.upkeep.resume_unfinished_work import resume_unfinished_work
from corral.upkeep.skip_unavailable import skip_unavailable
from corral.upkeep.start_content_runs import start_content_runs
from corral.upkeep.sweep_storage import sweep_storage
from corral.upkeep.sync_content_channels import sync_content_channels
from corral.upkeep.tick_upkeep import tick_upkeep
from corral.upkeep.time_out_jobs import time_out_jobs
from corral.upkeep.time_out_pools import time_out_pools
from corral.upkeep.trim_stream import trim_stream

_CANDIDACY_S: Final = 1.0
_MINUTE: Final = timedelta(minutes=1)
_HOUR: Final = timedelta(hours=1)
_log = logger(__name__)


class Upkeep:
    """This process's part in upkeep. `run` it as a task; cancel it to stop."""

    def __init__(self, engine: Engine, *, loops: Sequence[Loop]) -> None:
        self._engine = engine
        self._loops = loops
        self.is_leading = asyncio.Event()

    async def run(self) -> None:
        """Stand by, lead, stand by again, for ever."""
        async with Leadership(self._engine.database.dsn) as leadership:
            while True:
                try:
                    if await leadership.try_to_lead():
                        await self._lead(leadership)
                except Exception as error:  # noqa: BLE001 - the top of a loop: whatever happens, stand again
                    _log.warning("cannot stand for upkeep", error=str(error))
                leadership.resign()
                await asyncio.sleep(_CANDIDACY_S)

    async def _lead(self, leadership: Leadership) -> None:
        _log.info("this process leads upkeep")
        tasks = [asyncio.create_task(loop.run(self._engine), name=loop.name) for loop in self._loops]
        self.is_leading.set()
        try:
            await leadership.lost()
            _log.warning("this process no longer leads upkeep")
        finally:
            self.is_leading.clear()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def list_loops(config: ServerConfig, storage: Storage) -> list[Loop]:
    """Everything that upkeep does, by these settings."""
    acts = (
        tick_upkeep,
        expire_leases,
        expire_sessions,
        expire_agents,
        resolve_contested,
        skip_unavailable,
        time_out_pools,
        time_out_jobs,
        expire_steps,
        fail_unclaimable_steps,
        resume_unfinished_work,
        finish_open_runs,
        expire_scans,
        start_content_runs,
        fire_schedules,
        notify_returned_nodes,
    )
    loops = [Loop(act=act) for act in acts]
    source, sender = Source(config), Sender(allow_private=config.webhook_allow_private)
    loops += [Loop(act=sync_content_channels(source)), Loop(act=fetch_thumbnails(source))]
    loops.append(Loop(act=deliver_notifications(sender, public_url=config.public_url)))
    loops += [Loop(act=sweep_storage(storage), every=_HOUR), Loop(act=report_disks(storage), every=_MINUTE)]
    loops += [Loop(act=trim_stream, every=_MINUTE), Loop(act=purge_pictures, every=_MINUTE)]
    purges = (
        (purge_agents, config.event_retention_days),
        (purge_events, config.event_retention_days),
        (purge_task_claims, config.event_retention_days),
        (purge_firings, config.event_retention_days),
        (purge_notifications, config.event_retention_days),
        (purge_logs, config.log_retention_days),
        (purge_samples, config.sample_retention_days),
        (purge_artifacts, config.artifact_retention_days),
        (close_idle_chains, config.run_retention_days),
        (purge_runs, config.run_retention_days),
    )
    every = timedelta(hours=config.retention_interval_hours)
    loops += [Loop(act=purge(timedelta(days=days)), every=every) for purge, days in purges if days > 0]
    return loops
