"""Whether a recipe is valid: everything wrong with it at once, each with its path.

Called when a workflow, playbook or run is created. Whether files or devices exist is for others to see.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from corral.model.errors import Problem, RecipeInvalidError
from corral.model.reading import read_count
from corral.workflow.action_spec import ActionSpec
from corral.workflow.actions import BUILT_IN
from corral.workflow.checks.graph import check_graph
from corral.workflow.checks.params import check_params
from corral.workflow.checks.steps import check_steps
from corral.workflow.checks.templates import check_templates
from corral.workflow.checks.timeouts import check_timeouts
from corral.workflow.checks.with_ import check_with
from corral.workflow.conform import Conformer
from corral.workflow.recipe import Recipe
from corral.workflow.source import read_document

_CHECKS = (check_params, check_steps, check_graph, check_timeouts, check_with, check_templates)


def parse_recipe(source: object, actions: Mapping[str, ActionSpec] = BUILT_IN) -> Recipe:
    """A valid recipe from YAML or JSON text or a decoded object; raises RecipeInvalidError with all problems."""
    conformer = Conformer()
    recipe: Recipe = conformer.build(read_document(source), Recipe, "")
    problems = merge(conformer.problems, check_recipe(recipe, actions))
    if problems:
        raise RecipeInvalidError(tidy(problems))
    return recipe


def find_problems(source: object, actions: Mapping[str, ActionSpec] = BUILT_IN) -> list[Problem]:
    """Everything wrong with a recipe; empty if it is valid."""
    try:
        parse_recipe(source, actions)
    except RecipeInvalidError as invalid:
        return list(invalid.problems)
    return []


def check_recipe(recipe: Recipe, actions: Mapping[str, ActionSpec] = BUILT_IN) -> list[Problem]:
    """What is wrong with a well-formed recipe. Empty ids and actions stand for ones already refused."""
    return [problem for check in _CHECKS for problem in check(recipe, actions)]


def merge(refused: Sequence[Problem], found: Iterable[Problem]) -> list[Problem]:
    """All problems, without what was found wrong with the stand-in for a value that was refused already."""
    places = {problem.path for problem in refused}
    return [*refused, *(problem for problem in found if problem.path not in places)]


def tidy(problems: list[Problem]) -> list[Problem]:
    """Without repetitions, and in a stable order: by place in the document, as far as the path tells."""
    return sorted(dict.fromkeys(problems), key=lambda problem: (_natural(problem.path), problem.message))


def _natural(path: str) -> list[tuple[int, str]]:
    def place(part: str) -> tuple[int, str]:
        index = read_count(part[1:-1]) if part.startswith("[") else None
        return (-1, part) if index is None else (index, "")

    return [place(part) for part in path.replace("[", ".[").split(".")]
