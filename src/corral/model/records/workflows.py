"""Workflows, and what people build them of."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from corral.model.records.values import Json


class Workflow(Struct, frozen=True):
    """A versioned, immutable recipe of steps."""

    workflow_id: UUID
    name: str
    version: int
    mode: str
    recipe: Json
    created_by: str | None
    created_at: datetime


class Command(Struct, frozen=True):
    """A command asset: a reusable step. `revision` counts its changes."""

    command_id: UUID
    name: str
    title: str | None
    description: str | None
    uses: str
    with_params: Json
    params: Json
    timeout_s: float | None
    timeout_bounds_s: list[float] | None
    on_failure: str | None
    retries: int | None
    repeatable: bool | None
    tags: list[str]
    revision: int
    used_by: list[str]
    created_at: datetime
    updated_at: datetime


class Playbook(Struct, frozen=True):
    """An ordered choice of command assets, and the workflow version that it was compiled to.

    Outdated when one of its commands was changed since.
    """

    playbook_id: UUID
    name: str
    title: str | None
    description: str | None
    timeout_s: float | None
    defaults: Json
    steps: list[Json]
    workflow_id: UUID
    workflow_version: int
    is_outdated: bool
    created_at: datetime
    updated_at: datetime
