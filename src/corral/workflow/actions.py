"""The registry of actions: those that Corral ships, and those of installed extensions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Final

from corral.model.errors import ActionClashError
from corral.workflow.action_spec import ActionSpec
from corral.workflow.catalog import CATALOG

ENTRY_POINT_GROUP: Final = "corral.actions"
_PLACE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*\Z")
_NAME = re.compile(r"[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)*\Z")


class ActionRegistry(Mapping[str, ActionSpec]):
    """Actions by name. Immutable: `extended` makes a larger one."""

    def __init__(self, specs: Iterable[ActionSpec]) -> None:
        self._specs: dict[str, ActionSpec] = {}
        for spec in specs:
            if not _NAME.match(spec.name):
                raise ActionClashError(f"'{spec.name}' is not an action's name: use lower-case words joined by dots")
            if spec.name in self._specs:
                raise ActionClashError(f"two actions are named {spec.name}")
            self._specs[spec.name] = spec

    def extended(self, specs: Iterable[ActionSpec]) -> ActionRegistry:
        """A registry with these as well; raises ActionClashError if a name is taken."""
        return ActionRegistry([*self._specs.values(), *specs])

    def __getitem__(self, name: str) -> ActionSpec:
        return self._specs[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._specs)

    def __len__(self) -> int:
        return len(self._specs)


BUILT_IN: Final = ActionRegistry(CATALOG)


@cache
def installed_actions() -> ActionRegistry:
    """The built-in actions and those of installed extensions; raises ActionClashError, naming the culprit."""
    return load_actions(entry_points(group=ENTRY_POINT_GROUP))


def load_actions(points: Iterable[EntryPoint]) -> ActionRegistry:
    """The built-in actions and those that entry points offer: each an ActionSpec or an iterable of them."""
    registry = BUILT_IN
    for point in sorted(points, key=lambda each: (each.name, each.value)):
        try:
            registry = registry.extended(_offered(point))
        except ActionClashError as clash:
            raise ActionClashError(f"the extension {point.name} ({point.value}): {clash.message}") from None
    return registry


def _offered(point: EntryPoint) -> list[ActionSpec]:
    offer = point.load()
    specs = [offer] if isinstance(offer, ActionSpec) else list(offer) if isinstance(offer, Iterable) else [offer]
    for spec in specs:
        if not isinstance(spec, ActionSpec):
            raise ActionClashError(f"offers {type(spec).__name__}, which is not an ActionSpec")
        if spec.runs is not None and not _PLACE.match(spec.runs):
            raise ActionClashError(f"{spec.name} runs '{spec.runs}', which is not of the form module:function")
    return specs
