"""The OpenAPI document as a page to read: plain HTML, no scripts, nothing from elsewhere."""

from html import escape
from typing import Any

from litestar import MediaType, Request
from litestar.openapi.plugins import OpenAPIRenderPlugin

from corral.api.document import complete


class Page(OpenAPIRenderPlugin):
    """Serves the page."""

    def __init__(self) -> None:
        super().__init__(path="/page", media_type=MediaType.HTML)

    def render(self, request: Request[Any, Any, Any], openapi_schema: dict[str, Any]) -> bytes:  # noqa: ARG002
        return render_page(complete(openapi_schema)).encode()


def render_page(document: dict[str, Any]) -> str:
    """Every call with what it takes and answers, then every shape with its fields."""
    title = escape(f"{document['info']['title']} {document['info']['version']}")
    calls = "".join(
        _call(method, path, operation)
        for path, operations in sorted(document["paths"].items())
        for method, operation in operations.items()
    )
    shapes = "".join(_shape(name, shape) for name, shape in sorted(document["components"]["schemas"].items()))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><h1>{title}</h1>'
        f'<p><a href="/schema">OpenAPI</a></p><h2>Calls</h2>{calls}<h2>Shapes</h2>{shapes}</html>'
    )


def _call(method: str, path: str, operation: dict[str, Any]) -> str:
    credentials = " or ".join(name for option in operation["security"] for name in option) or "none"
    credentials += f" of a role of at least {operation['x-role']}" if "x-role" in operation else ""
    takes = [f"{each['name']} ({each['in']})" for each in operation.get("parameters", [])]
    takes += [_type(body["schema"]) for body in operation.get("requestBody", {}).get("content", {}).values()]
    answers = [
        f"{status} {' '.join(_type(body['schema']) for body in answer.get('content', {}).values())}"
        for status, answer in operation["responses"].items()
        if status < "4"
    ]
    return (
        f"<h3>{method.upper()} {escape(path)}</h3><p>{escape(operation.get('description', ''))}</p>"
        f"<p>Credential: {escape(credentials)}. Takes: {', '.join(takes) or 'nothing'}."
        f" Answers: {', '.join(answers)}.</p>"
    )


def _shape(name: str, shape: dict[str, Any]) -> str:
    required = set(shape.get("required", []))
    rows = "".join(
        f"<tr><td>{escape(field)}{'' if field in required else ' (optional)'}</td><td>{_type(told)}</td></tr>"
        for field, told in shape.get("properties", {}).items()
    )
    description = escape(shape.get("description", ""))
    return f'<h3 id="{escape(name)}">{escape(name)}</h3><p>{description}</p><table>{rows}</table>'


def _type(schema: dict[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rsplit("/", 1)[1])
        return f'<a href="#{name}">{name}</a>'
    for key in ("oneOf", "anyOf"):
        if key in schema:
            return " or ".join(_type(option) for option in schema[key])
    if "enum" in schema:
        return " | ".join(escape(str(value)) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    kind = schema.get("type", "anything")
    return escape(" or ".join(kind) if isinstance(kind, list) else str(kind))
