"""The OpenAPI document at /schema: what Litestar derives, with our errors and credentials in it."""

from typing import Any, Final

import msgspec
from litestar import Request
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme

from corral.api.problems import ErrorBody

COMPONENTS: Final = Components(
    security_schemes={
        "node": SecurityScheme(type="apiKey", name="X-Node-Auth", security_scheme_in="header"),
        "operator": SecurityScheme(type="http", scheme="bearer"),
        "operatorKey": SecurityScheme(type="apiKey", name="X-Api-Key", security_scheme_in="header"),
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
    "429": "Too many wrong credentials",
    "503": "The database cannot be reached; ask again",
}
_RECIPE_BODY: Final = {
    "required": True,
    "content": {"application/json": {"schema": {"type": "object"}}, "application/yaml": {"schema": {"type": "string"}}},
}
_NODE_PATHS: Final = ("/api/nodes/register", "/api/nodes/heartbeat", "/api/nodes/pull", "/api/nodes/callback")
_PUBLIC_PATHS: Final = ("/health", "/ready")


class Document(OpenAPIRenderPlugin):
    """Serves the document as JSON."""

    def __init__(self) -> None:
        super().__init__(path=["/", "/openapi.json"], media_type="application/json")  # type: ignore[arg-type]

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:  # noqa: ARG002
        return msgspec.json.encode(complete(openapi_schema))


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """The document with every operation's errors, credentials and raw bodies."""
    (schema,), definitions = msgspec.json.schema_components([ErrorBody], ref_template="#/components/schemas/{name}")
    components = document.setdefault("components", {})
    schemas = {**components.get("schemas", {}), **definitions}
    paths = {
        path: {method: _complete_operation(path, method, each, schema) for method, each in operations.items()}
        for path, operations in document["paths"].items()
    }
    return {**document, "components": {**components, "schemas": schemas}, "paths": paths}


def _complete_operation(path: str, method: str, operation: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    responses = {status: told for status, told in operation["responses"].items() if status not in _ERRORS}
    for status, description in _ERRORS.items():
        responses[status] = {"description": description, "content": {"application/json": {"schema": schema}}}
    completed = {**operation, "responses": responses, "security": _security(path)}
    if path == "/api/workflows" and method == "post":
        completed["requestBody"] = _RECIPE_BODY
    return completed


def _security(path: str) -> list[dict[str, list[str]]]:
    operator: list[dict[str, list[str]]] = [{"operator": []}, {"operatorKey": []}]
    if path in _PUBLIC_PATHS:
        return []
    if path in _NODE_PATHS:
        return [{"node": []}]
    return [{"node": []}, *operator] if path.endswith("/drain") else operator
