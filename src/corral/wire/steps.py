"""Steps of distributed runs: claiming them, and looking at their graph."""

from typing import Annotated, Final, Literal
from uuid import UUID

from msgspec import Meta, Struct, field

from corral.model.records import GraphStep, Job, Json, OfferedPhone, RunSpec
from corral.wire.nodes import LONGEST_WAIT_S, Epoch, NodeId, Tokens

MOST_STEPS: Final = 200
"""How many steps one claim may ask for: each is rendered before it is handed out."""

Serial = Annotated[str, Meta(min_length=1, max_length=128)]


class Claim(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for ready steps that the node is capable of, which waits for one. A newer claim of a node ends the older.

    Repeating a `request_id` returns what it already got. `phones` are the serials of those of the node's phones that a
    step could use now. `cancelling` names the cancels that the worker has heard of: they are not told again.
    """

    node_id: NodeId
    epoch: Epoch
    want: Annotated[int, Meta(ge=1, le=MOST_STEPS)] = 1
    request_id: UUID
    wait_s: Annotated[float, Meta(ge=0, le=LONGEST_WAIT_S)] = LONGEST_WAIT_S
    phones: Annotated[list[Serial], Meta(max_length=1000)] = field(default_factory=list)
    cancelling: Tokens = field(default_factory=list)


class ClaimedRun(Struct, frozen=True, kw_only=True):
    """What a step may want to know of its run."""

    name: str
    workflow: str
    workflow_version: int
    youtube_video_id: str | None
    policy: Json


class ClaimedStep(Struct, frozen=True, kw_only=True):
    """A step that is leased to the worker, with everything that it needs: its templates are rendered already.

    Any of `secrets` must not be told or logged. `phones` are those of the offered phones that the step may use.
    """

    job_id: UUID
    run_id: UUID
    step: str
    action: str | None
    title: str | None
    with_: Json = field(name="with")
    attempt: int
    lease_token: UUID
    timeout_s: float
    run: ClaimedRun
    secrets: list[str] = field(default_factory=list)
    phones: list[OfferedPhone] = field(default_factory=list)


class Claimed(Struct, frozen=True, kw_only=True):
    """The answer to a claim: steps, tokens whose work should stop; or nothing: then claim again.

    `runs` holds the specification of each local job among the steps (`whole-job`), which its worker takes as a whole.
    """

    steps: list[ClaimedStep]
    runs: list[RunSpec]
    cancel: list[UUID]


class Graph(Struct, frozen=True, kw_only=True):
    """The steps of a distributed run and what they need, with their states. `version` is the run's."""

    run_id: UUID
    mode: Literal["device", "distributed", "local"]
    version: int
    job: Job | None
    steps: list[GraphStep]
