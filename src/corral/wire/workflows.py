"""Pages of workflows."""

from msgspec import Struct

from corral.model.records import Workflow


class WorkflowPage(Struct, frozen=True, kw_only=True):
    """The newest version of each name; `next` is the `after` of the following page, null on the last."""

    workflows: list[Workflow]
    next: str | None
