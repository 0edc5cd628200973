"""Puts the built web UI into wheels and source distributions."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class BuildUi(BuildHookInterface[Any]):
    """Builds the UI, except for an editable install, which is of a checkout: there, `make ui` does."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - hatch's signature
        if version != "editable":
            runpy.run_path(str(Path(self.root) / "ui" / "build.py"))["build"]()
