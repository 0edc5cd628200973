"""Pages of workflows, and the recipes that come with Corral."""

from msgspec import Struct

from corral.model.records import Workflow
from corral.workflow import ParamSpec


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


class Preset(Struct, frozen=True, kw_only=True):
    """A recipe that comes with Corral; `text` is its YAML, which POST /api/workflows takes as it is."""

    name: str
    title: str
    description: str
    params: dict[str, ParamSpec]
    steps: int
    text: str


class PresetList(Struct, frozen=True, kw_only=True):
    """All presets, by name."""

    presets: list[Preset]
