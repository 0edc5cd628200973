"""Checks of the order of steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from corral.model.errors import Problem
from corral.workflow.action_spec import ActionSpec
from corral.workflow.graph import StepGraph
from corral.workflow.paths import at_index, at_key, did_you_mean
from corral.workflow.recipe import Recipe


def check_graph(recipe: Recipe, _actions: Mapping[str, ActionSpec]) -> Iterator[Problem]:
    """Problems of needs: unknown steps, circles, and steps that a device would execute in the wrong order."""
    graph = StepGraph(recipe.steps)
    yield from _check_needs(recipe, graph)
    cycles = graph.cycles()
    for cycle in cycles:
        path = at_key(at_index("steps", cycle[0]), "needs")
        yield Problem(path, f"goes in a circle: {graph.names(cycle)}")
    if recipe.mode == "device" and not cycles:
        yield from _check_order(graph)


def _check_needs(recipe: Recipe, graph: StepGraph) -> Iterator[Problem]:
    known = {step.id for step in recipe.steps if step.id}
    for position, step in enumerate(recipe.steps):
        path = at_key(at_index("steps", position), "needs")
        for index, name in enumerate(step.needs or ()):
            if name and name not in graph.positions:
                yield Problem(at_index(path, index), f"there is no step '{name}'{did_you_mean(name, known)}")
            if name and name in (step.needs or ())[:index]:
                yield Problem(at_index(path, index), f"'{name}' appears twice")


def _check_order(graph: StepGraph) -> Iterator[Problem]:
    for position, needs in enumerate(graph.needs):
        for need in needs:
            if need > position:
                path = at_key(at_index("steps", position), "needs")
                yield Problem(path, f"'{graph.names([need])}' comes later, and a device takes steps in order")
