"""The coordinator door's words, as plain data: what agents, channels, chains and tasks look like to whoever asks there."""

from datetime import datetime
from enum import StrEnum
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from corral.model.states import AgentStatus


class TaskStatus(StrEnum):
    """A task, and a chain of them. `locked` was set aside by a person, and only a person moves it on."""

    QUEUED = "queued"
    IN_PROGRESS = "in_progress"
    DONE = "done"
    FAILED = "failed"
    LOCKED = "locked"


class Topic(StrEnum):
    """What a stream tells of."""

    AGENTS = "agents"
    CHANNELS = "channels"
    CHAINS = "chains"
    TASKS = "tasks"
    EVENTS = "events"


class Agent(Struct, frozen=True, kw_only=True):
    """Whoever claims tasks. Online while it was heard within 30 seconds."""

    id: str
    name: str
    status: AgentStatus
    current_task_id: str | None
    last_seen: datetime | None
    meta: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    worker_status: Literal["online", "offline"]


class Channel(Struct, frozen=True, kw_only=True):
    """A FIFO that agents claim tasks from, and how many tasks it has in which state."""

    id: UUID
    name: str
    description: str | None
    created_at: datetime
    waiting: int
    in_progress: int
    done: int
    failed: int


class Chain(Struct, frozen=True, kw_only=True):
    """Tasks that are done one after the other."""

    id: UUID
    channel_id: UUID
    name: str
    description: str | None
    status: TaskStatus
    owner_agent_id: str | None
    created_at: datetime
    updated_at: datetime


class Task(Struct, frozen=True, kw_only=True):
    """What an agent does. `reason` says why it failed; `done_at` is when it ended, in either way."""

    id: UUID
    chain_id: UUID
    sequence: int
    channel_id: UUID
    title: str
    description: str | None
    status: TaskStatus
    priority: int
    assigned_agent_id: str | None
    created_at: datetime
    claimed_at: datetime | None
    done_at: datetime | None
    updated_at: datetime
    reason: str | None


class AgentEvent(Struct, frozen=True, kw_only=True):
    """What an agent told."""

    id: UUID
    agent_id: str | None
    task_id: str | None
    type: str
    payload: Any
    idempotency_key: str | None
    created_at: datetime


class Place(Struct, frozen=True, order=True):
    """A place in the stream of changes: behind the change that was told last."""

    written_by: int
    change_id: int


class Change(Struct, frozen=True):
    """An object that changed, or is gone."""

    written_by: int
    change_id: int
    topic: Topic
    object_id: str
    is_gone: bool

    @property
    def place(self) -> Place:
        return Place(self.written_by, self.change_id)
