"""The order of steps: who needs whom, who is upstream, and where it goes in circles.

Steps are named by their position, since ids may be missing or double while a recipe is still being checked.
"""

from __future__ import annotations

from collections.abc import Sequence

from corral.workflow.recipe import StepSpec


class StepGraph:
    """The needs of a recipe's steps, as positions. Needs that name no step are left out."""

    def __init__(self, steps: Sequence[StepSpec]) -> None:
        self._ids = [step.id for step in steps]
        positions: dict[str, int] = {}
        for position, step in enumerate(steps):
            positions.setdefault(step.id, position)
        self.positions = positions
        self._upstream: dict[int, set[int]] = {}
        self.needs = [self._needs_of(step, position) for position, step in enumerate(steps)]

    def _needs_of(self, step: StepSpec, position: int) -> list[int]:
        if step.needs is None:
            return [position - 1] if position else []
        return [self.positions[name] for name in dict.fromkeys(step.needs) if name in self.positions]

    def needs_by_id(self, position: int) -> list[str]:
        """The ids that a step needs, the implied one included."""
        return [self._ids[need] for need in self.needs[position]]

    def upstream(self, position: int) -> set[int]:
        """Every step that has ended before this one starts."""
        if position not in self._upstream:
            self._upstream[position] = self._find_upstream(position)
        return self._upstream[position]

    def _find_upstream(self, position: int) -> set[int]:
        found: set[int] = set()
        waiting = list(self.needs[position])
        while waiting:
            need = waiting.pop()
            if need in found:
                continue
            found.add(need)
            if need in self._upstream:  # worked out before, and all of it
                found |= self._upstream[need]
            else:
                waiting.extend(self.needs[need])
        return found

    def cycles(self) -> list[list[int]]:
        """One cycle for each knot of steps that wait for each other, from its first step back to itself."""
        found: list[list[int]] = []
        knotted: set[int] = set()
        for position in range(len(self.needs)):
            upstream = self.upstream(position)
            if position in upstream and position not in knotted:
                knotted |= {each for each in upstream if position in self.upstream(each)}
                found.append(self._way_back(position))
        return found

    def _way_back(self, start: int) -> list[int]:
        """The shortest way from a step along its needs back to itself."""
        came_from: dict[int, int] = {}
        waiting = [start]
        while start not in came_from:
            step = waiting.pop(0)
            for need in self.needs[step]:
                if need not in came_from:
                    came_from[need] = step
                    waiting.append(need)
        way = [start, came_from[start]]
        while way[-1] != start:
            way.append(came_from[way[-1]])
        return way[::-1]

    def names(self, positions: Sequence[int]) -> str:
        """`a → b → a`."""
        return " → ".join(self._ids[position] for position in positions)
