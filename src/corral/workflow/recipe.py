"""The records of a recipe and their canonical form. Whether a recipe makes sense is for `validate` to say."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field

from corral.workflow.conform import fields_of
from corral.workflow.limits import (
    DEFAULT_JOB_TIMEOUT_S,
    DEFAULT_TIMEOUT_S,
    DEFAULT_UPLOAD_TIMEOUT_S,
    MAX_PARAMS,
    MAX_STEPS,
)
from corral.workflow.words import (
    Capability,
    Description,
    Identifier,
    Mode,
    OnFailure,
    ParamType,
    Probability,
    Retries,
    Seconds,
    Slug,
    TimeoutBounds,
    Title,
    With,
)


class ParamSpec(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A parameter that a run may set."""

    type: ParamType
    description: Description = ""
    default: str | int | float | bool | UnsetType | None = UNSET
    required: Annotated[bool | None, Meta(description="By default, a parameter without a default is required.")] = None
    choices: Annotated[list[str] | None, Meta(description="The values of an enum.")] = None
    secret: Annotated[
        bool, Meta(description="Kept out of logs, views and the UI. Text only, never with a default.")
    ] = False

    @property
    def is_required(self) -> bool:
        """Whether a run must give it."""
        return self.required if self.required is not None else self.default is UNSET


class Backoff(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How long to wait before each retry: initial, then times the factor, up to the maximum."""

    initial_s: Annotated[float, Meta(ge=0, le=3600)] = 1.0
    factor: Annotated[float, Meta(ge=1, le=10)] = 2.0
    max_s: Annotated[float, Meta(ge=0, le=3600)] = 30.0
    jitter: Annotated[
        float, Meta(ge=0, le=1, description="By how much of itself each wait is shorter or longer, at random.")
    ] = 0.0

    def delay_s(self, retry: int, luck: float = 0.5) -> float:
        """The wait before the given retry, counted from 1; `luck`, from 0 to 1, is where in its jitter it lies."""
        return min(self.max_s, self.initial_s * self.factor ** (retry - 1)) * (1 + self.jitter * (2 * luck - 1))


class Defaults(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What steps take when they state nothing themselves."""

    timeout_s: Seconds = DEFAULT_TIMEOUT_S
    upload_timeout_s: Seconds = DEFAULT_UPLOAD_TIMEOUT_S
    on_failure: OnFailure = "stop"
    retries: Annotated[Retries | None, Meta(description="Used by steps whose on_failure is retry; 1 if not given.")] = (
        None
    )
    backoff: Backoff = field(default_factory=Backoff)


class StepSpec(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One step: an action, what it is given, and what happens around it."""

    id: Identifier
    uses: Annotated[str, Meta(min_length=1, max_length=100, description="The action, such as app.start.")]
    title: Title = ""
    with_: Annotated[With, Meta(description="What the action is given; values may be templates.")] = field(
        default_factory=dict, name="with"
    )
    needs: Annotated[
        list[Identifier] | None,
        Meta(description="Steps that come first. By default the step before this one; [] starts at once."),
    ] = None
    when: Annotated[str | bool | None, Meta(description="An expression; the step is skipped if it is false.")] = None
    for_each: Annotated[
        list[Any] | str | None,
        Meta(description="Distributed only: repeat for each item of a list, or of a template that yields one."),
    ] = None
    sequential: Annotated[bool, Meta(description="With for_each: one item after the other, not side by side.")] = False
    probability: Probability = 1.0
    timeout_s: Seconds | None = None
    timeout_bounds_s: TimeoutBounds | None = None
    on_failure: OnFailure | None = None
    retries: Retries | None = None
    backoff: Backoff | None = None
    continue_on_failure: Annotated[
        bool | None,
        Meta(description="Dependents run although this step failed; it runs although a need failed."),
    ] = None
    repeatable: Annotated[
        bool | None,
        Meta(description="Whether it may be repeated when its outcome is unknown; by default the action says."),
    ] = None
    requires: Annotated[
        list[Capability], Meta(description="Capabilities that a node must have, besides the action's.")
    ] = field(default_factory=list)


class Recipe(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A workflow's steps and everything that they need."""

    name: Slug
    mode: Annotated[
        Mode,
        Meta(description="device: once per phone. distributed: each step on any node. local: all on one node."),
    ] = "device"
    title: Title = ""
    description: Description = ""
    params: Annotated[dict[Identifier, ParamSpec], Meta(max_length=MAX_PARAMS)] = field(default_factory=dict)
    timeout_s: Annotated[Seconds, Meta(description="The whole job.")] = DEFAULT_JOB_TIMEOUT_S
    repeatable: Annotated[bool, Meta(description="Whether a job lost with its node is run again.")] = True
    defaults: Defaults = field(default_factory=Defaults)
    steps: Annotated[list[StepSpec], Meta(min_length=1, max_length=MAX_STEPS)]


def to_json(recipe: Recipe) -> str:
    """The canonical form: keys sorted, defaults left out. Equal recipes have equal text."""
    return msgspec.json.encode(_without_defaults(recipe), order="sorted").decode()


def from_json(text: str | bytes) -> Recipe:
    """A recipe from its canonical form, as stored; only for what has been validated before."""
    return msgspec.json.decode(text, type=Recipe)


def canonical_hash(recipe: Recipe) -> str:
    """The SHA-256 of the canonical form, in hex."""
    return hashlib.sha256(to_json(recipe).encode()).hexdigest()


def _without_defaults(value: Any) -> Any:
    """Records as objects of what differs from the defaults, by value (msgspec would go by identity)."""
    if isinstance(value, list):
        return [_without_defaults(item) for item in value]
    if isinstance(value, dict):
        return {key: _without_defaults(item) for key, item in value.items()}
    if not isinstance(value, Struct):
        return value
    members = {each.encode_name: (getattr(value, each.name), each) for each in fields_of(type(value)).values()}
    return {name: _without_defaults(member) for name, (member, each) in members.items() if member != default_of(each)}


def default_of(each: msgspec.structs.FieldInfo) -> Any:
    """What a field has when nothing is said."""
    return each.default if each.default_factory is msgspec.NODEFAULT else each.default_factory()
