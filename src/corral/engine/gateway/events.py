"""Events: what nodes report. One bad event never spoils its batch."""

from collections.abc import Sequence

from corral.engine.database import Database, to_records
from corral.model.errors import InvalidRequestError
from corral.model.records import EventResult, Json
from corral.model.states import EventOutcome


class Events:
    """The callback."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def apply_node_events(self, node_id: str, events: Sequence[Json]) -> list[EventResult]:
        """Apply one callback. Answers every event, in the order given, after the commit."""
        return (await self.apply_callbacks([(node_id, events)]))[0]

    async def apply_callbacks(self, callbacks: Sequence[tuple[str, Sequence[Json]]]) -> list[list[EventResult]]:
        """Apply callbacks of many nodes in one transaction; if that fails, each alone; failing that, each event."""
        batches = [[{**event, "node_id": node_id} for event in events] for node_id, events in callbacks]
        try:
            results = await self._apply([event for batch in batches for event in batch])
        except InvalidRequestError:
            if len(batches) > 1:
                return [(await self.apply_callbacks([callback]))[0] for callback in callbacks]
            return [[await self._apply_alone(event) for event in batches[0]]]
        answers, start = [], 0
        for batch in batches:
            answers.append(results[start : start + len(batch)])
            start += len(batch)
        return answers

    async def _apply(self, events: Sequence[Json]) -> list[EventResult]:
        rows = await self._database.fetch("select * from corral.fn_apply_node_events($1)", list(events))
        return to_records(rows, EventResult)

    async def _apply_alone(self, event: Json) -> EventResult:
        try:
            return (await self._apply([event]))[0]
        except InvalidRequestError as error:
            event_id = event.get("event_id")
            return EventResult(
                event_id=event_id if isinstance(event_id, str) else None,
                outcome=EventOutcome.INVALID,
                message=error.message,
            )
