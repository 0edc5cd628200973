"""The commands of the simulated phones. Importing this package fills the table; a new family adds its line here."""

from corral.simulator.shell.commands import (
    activities,
    display,
    dumps,
    encoding,
    files,
    flow,
    keys,
    packages,
    properties,
    settings,
    text,
)

__all__ = [
    "activities",
    "display",
    "dumps",
    "encoding",
    "files",
    "flow",
    "keys",
    "packages",
    "properties",
    "settings",
    "text",
]
