"""What the engine hands out, as plain data. Field names are column names."""

from corral.model.records.devices import (
    Device,
    DeviceActivity,
    DeviceJob,
    DeviceSample,
    HealthChange,
    OfferedPhone,
    Picture,
    Watch,
)
from corral.model.records.files import Artifact, ArtifactUpload, InputFile
from corral.model.records.jobs import EventResult, Grant, Job
from corral.model.records.nodes import Heartbeat, News, Node, Registration, Scan
from corral.model.records.runs import Explanation, Run, RunLogLine, RunSpec, StepTally
from corral.model.records.steps import (
    GraphStep,
    NewStep,
    Step,
    StepEnding,
    StepExchange,
    StepGrant,
    StepOutcome,
    StepResult,
)
from corral.model.records.upkeep import AuditEntry, Tick, Violation
from corral.model.records.values import Json
from corral.model.records.workflows import Command, Playbook, Workflow

__all__ = [
    "Artifact",
    "ArtifactUpload",
    "AuditEntry",
    "Command",
    "Device",
    "DeviceActivity",
    "DeviceJob",
    "DeviceSample",
    "EventResult",
    "Explanation",
    "Grant",
    "GraphStep",
    "HealthChange",
    "Heartbeat",
    "InputFile",
    "Job",
    "Json",
    "NewStep",
    "News",
    "Node",
    "OfferedPhone",
    "Picture",
    "Playbook",
    "Registration",
    "Run",
    "RunLogLine",
    "RunSpec",
    "Scan",
    "Step",
    "StepEnding",
    "StepExchange",
    "StepGrant",
    "StepOutcome",
    "StepResult",
    "StepTally",
    "Tick",
    "Violation",
    "Watch",
    "Workflow",
]
