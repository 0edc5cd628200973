"""`corral server` with a bug that the checker must find: events are applied in one transaction and recorded in a later one.

`server_process.py [corral's arguments]`. Whatever comes between the two makes the server forget what it applied: its own end, or
the same events sent once more. The functions of the database must not record (see `BREAKS` in farm.py).
"""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

from corral.cli.main import main
from corral.engine.gateway.events import Events
from corral.model.errors import CorralError
from corral.model.records import EventResult, Json

_LATER_S: Final = 2.0
_RECORD: Final = """
    insert into corral.node_events (node_id, event_id, job_id, seq, type, outcome, message, received_at, payload)
    select e.body ->> 'node_id', (e.body ->> 'event_id')::uuid, (e.body ->> 'job_id')::uuid, (e.body ->> 'seq')::bigint,
           e.body ->> 'type', t.outcome, t.message, corral.fn_now(),
           case when e.body ->> 'type' not in ('log', 'test_results') or t.outcome <> 'applied'
                then e.body - '{node_id,event_id,job_id,lease_token,seq,type}'::text[] end
      from jsonb_array_elements($1) with ordinality as e (body, ord)
      join unnest($2::text[], $3::text[]) with ordinality as t (outcome, message, ord) using (ord)
     where t.outcome in ('applied', 'stale')
    on conflict (node_id, event_id) do nothing
"""
_apply: Final = Events._apply
_recording: Final[set[asyncio.Task[None]]] = set()


async def _apply_and_record_later(self: Events, events: Sequence[Json]) -> list[EventResult]:
    results = await _apply(self, events)
    task = asyncio.create_task(_record(self, list(events), results))
    _recording.add(task)
    task.add_done_callback(_recording.discard)
    return results


async def _record(told: Events, events: list[Json], results: list[EventResult]) -> None:
    await asyncio.sleep(_LATER_S)
    outcomes, messages = [str(result.outcome) for result in results], [result.message for result in results]
    with contextlib.suppress(CorralError, OSError):
        await told._database.fetch(_RECORD, events, outcomes, messages)


if __name__ == "__main__":
    Events._apply = _apply_and_record_later  # type: ignore[method-assign]
    main()
