"""Which of a device job's steps are taken, by how earlier ones ended. Pure; the same rules as for distributed jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct, field

from corral.model.states import FailureReason, StepStatus
from corral.workflow import PlannedStep

SkipCause = Literal["draw", "when", "upstream", "cancelled", "stopped"]


class StepEnd(Struct, frozen=True, kw_only=True):
    """How a step ended. `is_harmless`: it failed, and its recipe says to go on all the same."""

    status: StepStatus
    attempt: int = 1
    output: dict[str, Any] = field(default_factory=dict)
    skip_cause: SkipCause | None = None
    failure_reason: FailureReason | None = None
    error_message: str | None = None
    is_harmless: bool = False
    is_device_lost: bool = False
    """Whether the phone is out of reach: then no further step can be taken, whatever the recipe says."""

    @property
    def is_unmet(self) -> bool:
        """Whether it keeps its dependents from running: a harmless failure, or a step that chose not to run, does not."""
        if self.status is StepStatus.SKIPPED:
            return self.skip_cause not in ("draw", "when")
        return self.status is StepStatus.CANCELLED or (self.status is StepStatus.FAILED and not self.is_harmless)


def skipped(cause: SkipCause) -> StepEnd:
    return StepEnd(status=StepStatus.SKIPPED, skip_cause=cause)


def find_skip_cause(step: PlannedStep, ended: Mapping[str, StepEnd], *, is_device: bool = True) -> SkipCause | None:
    """Why the step is not taken after what has happened so far, if so. On a device, a failure stops whatever follows it."""
    if any(end.is_device_lost for end in ended.values()):
        return "stopped"
    if step.continue_on_failure:
        return None
    if any(ended[need].is_unmet for need in step.needs if need in ended):
        return "upstream"
    if is_device and any(end.status is StepStatus.FAILED and not end.is_harmless for end in ended.values()):
        return "stopped"
    return None


def find_failure(ended: Mapping[str, StepEnd]) -> StepEnd | None:
    """The failure that the whole job fails by: the first that is not harmless; one that lost the phone always is one."""
    for end in ended.values():
        if end.status is StepStatus.FAILED and (end.is_device_lost or not end.is_harmless):
            return end
    return None
