"""Pages of workflows, and what a run of one would execute."""

from msgspec import Struct

from corral.model.records import Workflow


class WorkflowPage(Struct, frozen=True, kw_only=True):
    """The newest version of each name; `next` is the `after` of the following page, null on the last."""

    workflows: list[Workflow]
    next: str | None


class StepPlan(Struct, frozen=True, kw_only=True):
    """A step as a run would execute it. A run may give it another timeout within the bounds: the least, the greatest."""

    id: str
    title: str
    uses: str
    probability: float
    timeout_s: float
    timeout_bounds_s: tuple[float, float]


class WorkflowPlan(Struct, frozen=True, kw_only=True):
    """What a run of a workflow would execute, in order; `timeout_s` is that of the whole job."""

    timeout_s: float
    steps: list[StepPlan]
