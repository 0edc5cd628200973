"""Graphs of steps that need no phone, and the recipes that are made of them. Decided by dice alone."""

import random
import sys
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

CAPABILITIES: Final = {"north": "red", "south": "blue", "east": "red", "west": "blue"}
"""What each node has that its neighbour with the same phones has not."""

Kind = Literal["works", "fails", "fails_at_first", "chooses_not_to"]
_KINDS: Final[dict[Kind, int]] = {"works": 14, "fails": 2, "fails_at_first": 3, "chooses_not_to": 1}
_COMMAND: Final = Path(__file__).with_name("step_command.py")
_SOON: Final = {"initial_s": 0.2, "factor": 1}


class GraphStep(Struct, frozen=True, kw_only=True):
    """A step whose result is its number and the results of what it needs, added up."""

    name: str
    number: int
    needs: list[str]
    kind: Kind
    goes_on: bool
    """Whether what needs it runs although it failed, and it runs although what it needs failed."""

    takes_s: float
    capability: str | None = None


def make_graph(dice: random.Random) -> list[GraphStep]:
    """5 to 12 steps: the first few are ready at once, each other one needs some of those before it."""
    count = dice.randint(5, 12)
    at_once = dice.randint(3, count - 1)
    return [
        GraphStep(
            name=f"s{place}",
            number=1 << place,
            needs=[]
            if place < at_once
            else sorted(f"s{each}" for each in dice.sample(range(place), dice.randint(1, 3))),
            kind=dice.choices(list(_KINDS), list(_KINDS.values()))[0],
            goes_on=dice.random() < 0.3,
            takes_s=round(dice.uniform(0, 2), 2),
            capability=dice.choice([None, None, None, "red", "blue"]),
        )
        for place in range(count)
    ]


def make_recipe(name: str, graph: list[GraphStep], record: Path) -> dict[str, Any]:
    """The graph as a recipe whose commands append to a record what they did."""
    return {"name": name, "mode": "distributed", "steps": [_describe(step, record) for step in graph]}


def _describe(step: GraphStep, record: Path) -> dict[str, Any]:
    addends = [f"{{{{ steps.{need}.output.sum|default(0) }}}}" for need in step.needs]
    command = [sys.executable, "-I", "-S", str(_COMMAND), str(record), step.kind, f"{step.takes_s} s"]
    described: dict[str, Any] = {
        "id": step.name,
        "uses": "shell.run",
        "with": {"command": [*command, "attempt {{ run.attempt }}", "+".join([str(step.number), *addends, "0"])]},
        "needs": step.needs,
        "timeout_s": 120,
        "continue_on_failure": step.goes_on,
    }
    if step.kind == "fails_at_first":
        described |= {"retries": 20, "backoff": _SOON}
    if step.kind == "chooses_not_to":
        described["when"] = "run.attempt > 1000"
    if step.capability is not None:
        described["requires"] = [step.capability]
    return described
