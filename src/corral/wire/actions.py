"""What actions are given and how they may be treated, for forms."""

from typing import Literal

from msgspec import Struct

from corral.model.records import Json


class ActionContract(Struct, frozen=True, kw_only=True):
    """An action as recipes see it. `args_schema` is the JSON Schema (2020-12) of its `with`."""

    name: str
    summary: str
    modes: list[Literal["device", "distributed"]]
    args_schema: Json
    exclusive: list[list[str]]
    """Arguments of which at most one may be given."""

    repeatable: bool
    default_timeout_s: float
    """What a step gets that says nothing, in a recipe that says nothing."""

    capability: str | None


class ActionList(Struct, frozen=True, kw_only=True):
    """All actions that the server knows, by name; a step that states no bounds has these."""

    actions: list[ActionContract]
    timeout_bounds_s: list[float]
