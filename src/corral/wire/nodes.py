"""The node contract: register, heartbeat, pull, callback.

Requests refuse unknown fields: a misspelt one must not be lost in silence.
"""

from typing import Annotated, Any, Final
from uuid import UUID

from msgspec import Meta, Struct, field

from corral.model.records import EventResult, Grant, Json, RunSpec, Watch
from corral.model.sessions import SessionInput
from corral.model.states import Connection, Health

LONGEST_WAIT_S: Final = 30.0
MOST_EVENTS: Final = 1000
MOST_DEVICES: Final = 1000
MOST_PICTURE_BYTES: Final = 8 * 1024 * 1024

NodeId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$")]
Epoch = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Slots = Annotated[int, Meta(ge=0, le=10_000)]
Word = Annotated[str, Meta(min_length=1, max_length=100)]
Line = Annotated[str, Meta(max_length=2_000)]
Seq = Annotated[int, Meta(ge=0, le=2**53)]
Tokens = Annotated[list[UUID], Meta(max_length=20_000)]


class Register(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A starting agent. The same `state_id` as before proves that the predecessor is dead."""

    node_id: NodeId
    name: Word | None = None
    capabilities: Annotated[list[Word], Meta(max_length=1000)] = field(default_factory=list)
    labels: Json = field(default_factory=dict)
    max_concurrency: Slots = 20
    lookahead: Slots = 20
    version: Word | None = None
    meta: Json = field(default_factory=dict)
    state_id: Word | None = None


class DeviceReport(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a node says of a device. What is left out stays as it was."""

    serial: Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:@-]{0,127}$")]
    is_node_scoped: bool = False
    connection: Connection | None = None
    health: Health | None = None
    health_reason: Line | None = None
    runtime_handle: Line | None = None
    label: Line | None = None
    model: Line | None = None
    os_version: Line | None = None
    battery: Annotated[int, Meta(ge=0, le=100)] | None = None
    temperature: Annotated[float, Meta(ge=-100, le=200)] | None = None
    meta: Json | None = None
    last_error_message: Line | None = None


class Beat(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A heartbeat: `held` names every token whose job_finished was not acknowledged yet, `devices` what changed.

    With `is_complete`, devices of this node that are not listed are gone. `draining` asks for nothing new, or takes that
    back, until the next registration; left out, it changes nothing. An operator's word on it cannot be taken back so.
    """

    node_id: NodeId
    epoch: Epoch
    held: Tokens = field(default_factory=list)
    devices: Annotated[list[DeviceReport], Meta(max_length=MOST_DEVICES)] = field(default_factory=list)
    is_complete: bool = False
    draining: bool | None = None


class Pull(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for work, which waits for it. A node has one pull open; a newer one ends the older.

    Repeating a `request_id` returns what it already got. `cancelling` names the cancels that the node has heard of,
    `known_runs` the runs whose specification it has: neither is sent again. With want = 0 only cancels answer it, and
    devices whose screens somebody looks at, but for those that `watching` names; a node that leaves it out takes no pictures.
    `inputs_taken` says how far the node came with the inputs of each lease token that has a session; left out, it takes none.
    """

    node_id: NodeId
    epoch: Epoch
    want: Slots = 1
    request_id: UUID
    wait_s: Annotated[float, Meta(ge=0, le=LONGEST_WAIT_S)] = LONGEST_WAIT_S
    cancelling: Tokens = field(default_factory=list)
    known_runs: Tokens = field(default_factory=list)
    watching: Tokens | None = None
    inputs_taken: Annotated[dict[UUID, Seq], Meta(max_length=1_000)] | None = None


class Pulled(Struct, frozen=True, kw_only=True):
    """The answer to a pull: jobs, what their runs say, tokens whose work should stop, screens to show, inputs; or nothing."""

    jobs: list[Grant]
    runs: list[RunSpec]
    cancel: list[UUID]
    watch: list[Watch] = field(default_factory=list)
    inputs: list[SessionInput] = field(default_factory=list)


class PictureFailure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why a phone gives no picture."""

    epoch: Epoch
    message: Annotated[str, Meta(min_length=1, max_length=2_000)]


class Watched(Struct, frozen=True, kw_only=True):
    """For how many seconds somebody looks at the screen; 0 where nobody does, and the next picture would be for nothing."""

    watch_s: float


class Callback(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What happened, in order. An event of the wrong shape is answered as invalid and spoils no other."""

    node_id: NodeId
    events: Annotated[list[Any], Meta(min_length=1, max_length=MOST_EVENTS)]


class CallbackReply(Struct, frozen=True, kw_only=True):
    """What became of each event, in the order given. All that are named here are committed."""

    results: list[EventResult]


class Drain(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether the node is to get nothing new."""

    draining: bool = True
