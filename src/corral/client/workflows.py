"""Workflows: versioned, immutable recipes."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from corral.client.paging import each_of
from corral.client.transport import Transport, part
from corral.model.records import Workflow
from corral.wire.workflows import WorkflowPage


class Workflows:
    """`client.workflows`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def push(self, recipe: Path | str | bytes | Mapping[str, Any]) -> Workflow:
        """Store a recipe (a file's path, YAML or JSON text, or an object) as the next version of its name.

        The same recipe again is not a new version. Raises RecipeInvalidError with every problem.
        """
        content, kind = _read(recipe)
        answer = self._transport.ask(
            "POST", "/api/workflows", content=content, headers={"content-type": kind}, is_repeatable=True
        )
        return self._transport.decode(answer, Workflow)

    def get(self, name: str, version: int | None = None) -> Workflow:
        """One version, or the newest. Raises NotFoundError."""
        tail = "" if version is None else f"/{version}"
        return self._transport.get(f"/api/workflows/{part(name)}{tail}", Workflow)

    def list(self, *, most: int | None = None) -> Iterator[Workflow]:
        """The newest version of each, by name."""

        def ask(after: str | None) -> "tuple[list[Workflow], str | None]":
            page = self._transport.get("/api/workflows", WorkflowPage, {"after": after})
            return page.workflows, page.next

        return each_of(ask, most=most)


def _read(recipe: Path | str | bytes | Mapping[str, Any]) -> tuple[bytes, str]:
    if isinstance(recipe, Path):
        return recipe.read_bytes(), "application/yaml"
    if isinstance(recipe, str):
        return recipe.encode(), "application/yaml"
    if isinstance(recipe, bytes):
        return recipe, "application/yaml"
    return msgspec.json.encode(recipe), "application/json"
