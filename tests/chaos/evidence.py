"""How pieces of evidence are read and compared, by rules about phones and by rules about steps alike."""

from collections import defaultdict
from typing import Any, Final

from tests.chaos.history import History
from tests.chaos.plan import WAKE
from tests.chaos.proxy import Exchange

OK: Final = 200
CLOCK_SLACK_S: Final = 0.5
"""How far the clock of what executes commands and the proxy's may be apart."""

RESUMED_S: Final = 3.0
"""How long after its node woke up a command that was on its way may take to begin, on a machine that is busy."""


def list_told(exchange: Exchange) -> list[tuple[dict[str, Any], str]]:
    """The events of a callback that was answered, each with what became of it."""
    if "/api/nodes/callback" not in exchange.line or exchange.status != OK or not exchange.answer:
        return []
    results = exchange.answer["results"]
    # An answer names its events: a request that could not be read hides no more than what they said.
    events = exchange.request["events"] if exchange.request else results
    return list(zip(events, (result["outcome"] for result in results), strict=True))


def list_pauses(history: History) -> defaultdict[str, list[tuple[float, float]]]:
    """By nodes, when they were paused and when they woke up."""
    found: defaultdict[str, list[tuple[float, float]]] = defaultdict(list)
    for woken in history.deeds:
        for paused in history.deeds:
            if (
                (woken.kind, paused.kind) == (WAKE, "pause_node")
                and woken.part == paused.part
                and paused.began_s <= woken.ended_s <= paused.ended_s
            ):
                found[woken.part].append((paused.began_s, woken.ended_s))
    return found
