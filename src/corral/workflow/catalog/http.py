"""Requests from the node."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, field

from corral.workflow.action_spec import ANYWHERE, ActionSpec, Args, Output

StatusCode = Annotated[int, Meta(ge=100, le=599)]


class RequestArgs(Args, frozen=True, kw_only=True):
    url: Annotated[
        str,
        Meta(
            pattern=r"^https?://[^\s]+$",
            max_length=4000,
            description="The address.",
            extra={"expected": "an address that starts with http:// or https://"},
        ),
    ]
    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    json: Annotated[Any, Meta(description="The body, sent as JSON.")] = None
    body: Annotated[Annotated[str, Meta(max_length=100_000)] | None, Meta(description="The body, sent as text.")] = None
    expect_status: Annotated[
        list[StatusCode] | None,
        Meta(description="The status codes that count as success; by default 200 to 299."),
    ] = None


class RequestOutput(Output, frozen=True, kw_only=True):
    status: int
    headers: dict[str, str]
    body: str
    json: Any


ACTIONS = (
    ActionSpec(
        name="http.request",
        summary="Send an HTTP request from the node.",
        args=RequestArgs,
        output=RequestOutput,
        modes=ANYWHERE,
        exclusive=(("json", "body"),),
    ),
)
