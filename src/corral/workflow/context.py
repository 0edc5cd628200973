"""What templates can see. Nodes fill these records in; validation refuses any name that is not in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, field

StepStatus = Literal["succeeded", "failed", "skipped"]


class DeviceContext(Struct, frozen=True, kw_only=True):
    """`device.*`, in device mode only."""

    serial: Annotated[str, Meta(description="The hardware serial.")]
    index: Annotated[int, Meta(description="The device's stable number.")]
    node_id: Annotated[str, Meta(description="The node that the device is on.")]
    label: Annotated[str, Meta(description="The label given by an operator, or nothing.")] = ""
    model: Annotated[str, Meta(description="The model name, if known.")] = ""
    os_version: Annotated[str, Meta(description="The Android version, if known.")] = ""
    tags: Annotated[list[str], Meta(description="The device's tags.")] = field(default_factory=list)


class RunContext(Struct, frozen=True, kw_only=True):
    """`run.*`."""

    run_id: Annotated[str, Meta(description="The run.")]
    job_id: Annotated[str, Meta(description="This job of the run.")]
    attempt: Annotated[int, Meta(description="1, and more after a node was lost.")] = 1
    name: Annotated[str, Meta(description="The run's name.")] = ""
    workflow: Annotated[str, Meta(description="The workflow's name.")] = ""
    workflow_version: Annotated[int | None, Meta(description="The workflow's version.")] = None
    node_id: Annotated[str, Meta(description="The node that executes this step.")] = ""
    youtube_video_id: Annotated[str, Meta(description="The video that the run is about, or nothing.")] = ""


class StepContext(Struct, frozen=True, kw_only=True):
    """`steps.<id>.*`, for steps that have ended."""

    status: Annotated[StepStatus, Meta(description="How the step ended.")]
    output: Annotated[
        dict[str, Any], Meta(description="What the action yielded; empty if it was skipped or failed.")
    ] = field(default_factory=dict)


class Context(Struct, frozen=True, kw_only=True):
    """Everything that one step's templates can see."""

    run: RunContext
    device: DeviceContext | None = None
    params: Mapping[str, Any] = field(default_factory=dict)
    secret_params: Mapping[str, str] = field(default_factory=dict)
    steps: Mapping[str, StepContext] = field(default_factory=dict)
    item: Any = None
    """The current item, in a step with for_each."""


ROOTS = ("params", "steps", "device", "run", "item")
