"""The OpenAPI document at /schema: what Litestar derives, with our errors and credentials in it."""

from typing import Any, Final

import msgspec
from litestar import Request
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme

from corral.api.doorkeeper import COOKIE
from corral.api.doors import DOORS, Door
from corral.api.routes.commands import CommandBody
from corral.api.routes.playbooks import PlaybookBody
from corral.storage.sniff import CONTENT_TYPES
from corral.wire import coordinator
from corral.wire.problems import ErrorBody
from corral.wire.views import Dashboard, Monitor

COMPONENTS: Final = Components(
    security_schemes={
        "node": SecurityScheme(type="apiKey", name="X-Node-Auth", security_scheme_in="header"),
        "operator": SecurityScheme(type="http", scheme="bearer"),
        "operatorKey": SecurityScheme(type="apiKey", name="X-Api-Key", security_scheme_in="header"),
        "session": SecurityScheme(type="apiKey", name=COOKIE, security_scheme_in="cookie"),
    }
)
# Any endpoint may answer these; a closer list per endpoint would only go stale.
_ERRORS: Final = {
    "400": "What was asked for makes no sense; path names the offending value",
    "401": "No credential, or a wrong one",
    "403": "Not for this kind of caller, or not from there",
    "404": "The thing named does not exist",
    "405": "Not with this method",
    "409": "Not in the present state",
    "413": "The body is too large",
    "415": "The body is of a kind that is not read here",
    "424": "YouTube, which had to be asked, did not tell",
    "429": "Too many wrong credentials",
    "503": "The database or the store cannot be reached; ask again",
}
_RECIPE_BODY: Final = {
    "required": True,
    "content": {"application/json": {"schema": {"type": "object"}}, "application/yaml": {"schema": {"type": "string"}}},
}
# Bodies that the recipe language reads, and answers that SQL writes: Litestar sees neither.
_BODIES: Final[dict[tuple[str, str], type]] = {
    ("post", "/api/commands"): CommandBody,
    ("post", "/api/commands/validate"): CommandBody,
    ("put", "/api/commands/{command_id}"): CommandBody,
    ("post", "/api/playbooks"): PlaybookBody,
    ("post", "/api/playbooks/validate"): PlaybookBody,
    ("put", "/api/playbooks/{playbook_id}"): PlaybookBody,
    ("post", "/v1/agents/heartbeat"): coordinator.HeartbeatBody,
    ("post", "/v1/channels"): coordinator.ChannelBody,
    ("post", "/v1/chains"): coordinator.ChainBody,
    ("put", "/v1/chains/{chain_id}"): coordinator.ChainChange,
    ("post", "/v1/tasks"): coordinator.TaskBody,
    ("put", "/v1/tasks/{task_id}"): coordinator.TaskChange,
    ("post", "/v1/tasks/claim"): coordinator.ClaimBody,
    ("post", "/v1/tasks/assign"): coordinator.AssignBody,
    ("post", "/v1/tasks/complete"): coordinator.EndBody,
    ("post", "/v1/tasks/fail"): coordinator.EndBody,
    ("post", "/v1/events"): coordinator.EventBody,
}
_ANSWERS: Final[dict[tuple[str, str], type]] = {
    ("get", "/api/runs/{run_id}"): Monitor,
    ("get", "/api/dashboard"): Dashboard,
    ("get", "/v1/dashboard"): coordinator.Overview,
}
_PUT_ARTIFACT: Final = "/api/artifacts/{video}/{node_id}/{serial}/{run_id}/{name}"
_RAW_BODIES: Final = {
    ("put", _PUT_ARTIFACT),
    ("put", "/api/files/{ref}"),
    ("put", "/api/nodes/{node_id}/pictures/{device_id}"),
    ("patch", "/api/files/uploads/{upload_id}"),
}
_BYTES: Final = {"type": "string", "format": "binary"}
_ANY_CONTENT: Final = {content_type: {"schema": _BYTES} for content_type in CONTENT_TYPES}
# Answers besides the first one, by status; those that are not JSON have a type of their own.
_AGAIN: Final = {"200": "It is stored already"}
_UNCHANGED: Final = {"304": "Nothing changed since the ETag that was sent"}
_CONTENT: Final = {
    "206": "The range that was asked for",
    "304": "The caller has it already",
    "307": "The store itself serves it, at this location",
}
_PICTURE: Final = {"304": "The caller has it already, and the wait is over"}
_MORE: Final[dict[tuple[str, str], dict[str, str]]] = {
    ("get", "/api/runs/{run_id}"): _UNCHANGED,
    ("get", "/api/runs/{run_id}/steps"): _UNCHANGED,
    ("put", _PUT_ARTIFACT): _AGAIN,
    ("post", "/api/artifacts/uploads/{upload_id}/accept"): _AGAIN,
    ("post", "/api/files"): _AGAIN,
    ("get", "/api/artifacts/{artifact_id}/content"): _CONTENT,
    ("get", "/api/files/{ref}/content"): _CONTENT,
    ("post", "/v1/events"): {"200": "Its key was used before"},
    ("get", "/api/devices/{device_id}/picture"): _PICTURE,
}


class Document(OpenAPIRenderPlugin):
    """Serves the document as JSON."""

    def __init__(self) -> None:
        super().__init__(path=["/", "/openapi.json"], media_type="application/json")  # type: ignore[arg-type]

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:  # noqa: ARG002
        return msgspec.json.encode(complete(openapi_schema))


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """The document with every operation's errors, credentials and raw bodies."""
    (schema,), definitions = msgspec.json.schema_components([ErrorBody], ref_template="#/components/schemas/{name}")
    told = [*_BODIES.values(), *_ANSWERS.values()]
    raw, more = msgspec.json.schema_components(told, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(told, raw, strict=True))
    components = document.setdefault("components", {})
    schemas = {**components.get("schemas", {}), **more, **definitions}
    paths = {
        path: {
            method: _complete_operation((method, path), each, error=schema, schema_of=schema_of)
            for method, each in operations.items()
        }
        for path, operations in document["paths"].items()
    }
    return {**document, "components": {**components, "schemas": schemas}, "paths": paths}


def _complete_operation(
    key: tuple[str, str], operation: dict[str, Any], *, error: dict[str, Any], schema_of: dict[type, dict[str, Any]]
) -> dict[str, Any]:
    method, path = key
    door = DOORS[method.upper(), path]
    responses = {status: told for status, told in operation["responses"].items() if status not in _ERRORS}
    for status, description in _ERRORS.items():
        responses[status] = {"description": description, "content": {"application/json": {"schema": error}}}
    completed = {**operation, "responses": responses, "security": _security(door)}
    if door.role is not None:
        completed["x-role"] = str(door.role)
    if key == ("post", "/api/workflows"):
        completed["requestBody"] = _RECIPE_BODY
    if key in _BODIES:
        content = {"application/json": {"schema": schema_of[_BODIES[key]]}}
        completed["requestBody"] = {"required": True, "content": content}
    if key in _ANSWERS:
        content = {"application/json": {"schema": schema_of[_ANSWERS[key]]}}
        responses["200"] = {"description": "The document, as the database wrote it", "content": content}
    if key in _RAW_BODIES:
        completed["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": _BYTES}}}
    if key == ("get", "/v1/stream"):
        content = {"text/event-stream": {"schema": {"type": "string"}}}
        responses["200"] = {"description": "Server-sent events, until either side ends it", "content": content}
    if key == ("get", "/api/runs/{run_id}/junit"):
        content = {"application/xml": {"schema": {"type": "string"}}}
        responses["200"] = {"description": "JUnit XML", "content": content}
    _add_more(key, responses, error)
    if "204" in responses:  # whatever Litestar makes of a Response: there is nothing in it
        responses["204"] = {"description": "Done"}
    return completed


def _add_more(key: tuple[str, str], responses: dict[str, Any], error: dict[str, Any]) -> None:
    """What Litestar cannot know of an answer: other statuses, and bytes."""
    if _MORE.get(key) is _CONTENT:
        responses["200"] = {"description": "The bytes", "content": _ANY_CONTENT}
        responses["416"] = {"description": "No such range", "content": {"application/json": {"schema": error}}}
    if _MORE.get(key) is _PICTURE:
        shown = {content_type: {"schema": _BYTES} for content_type in ("image/png", "image/jpeg")}
        responses["200"] = {"description": "The picture", "content": shown}
    for status, description in _MORE.get(key, {}).items():
        responses[status] = {"description": description}
        if status == "200":
            responses[status]["content"] = responses["201"]["content"]
        elif status == "206":
            responses[status]["content"] = _ANY_CONTENT


def _security(door: Door) -> list[dict[str, list[str]]]:
    names = ["node"] if door.nodes else []
    names += ["operator", "operatorKey", "session"] if door.role is not None else []
    return [{name: []} for name in names]
