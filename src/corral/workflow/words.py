"""The annotated types that recipes, playbooks and actions share."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from corral.workflow.limits import MAX_RETRIES, TIMEOUT_LIMITS_S

Identifier = Annotated[
    str,
    Meta(
        pattern=r"^[a-z][a-z0-9_]{0,62}$",
        description="Lower-case letters, digits and underscores, starting with a letter.",
        extra={"expected": "lower-case letters, digits and _, starting with a letter (at most 63)"},
    ),
]
Slug = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
        description="Letters, digits, dots, dashes and underscores.",
        extra={"expected": "letters, digits, '.', '-' and '_', starting with a letter or digit (at most 100)"},
    ),
]
Capability = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$",
        extra={"expected": "a capability: letters, digits and . _ : / -"},
    ),
]
Title = Annotated[str, Meta(max_length=200)]
Description = Annotated[str, Meta(max_length=4000)]
Seconds = Annotated[float, Meta(ge=TIMEOUT_LIMITS_S[0], le=TIMEOUT_LIMITS_S[1])]
Probability = Annotated[float, Meta(ge=0, le=1, description="How likely the step is to execute, drawn per device.")]
Retries = Annotated[int, Meta(ge=0, le=MAX_RETRIES)]
TimeoutBounds = Annotated[
    list[Seconds],
    Meta(min_length=2, max_length=2, description="The least and greatest timeout that a run may ask for."),
]

Mode = Literal["device", "distributed", "local"]
OnFailure = Literal["stop", "continue", "retry"]
ParamType = Literal["string", "int", "number", "boolean", "enum"]
With = dict[str, Any]
