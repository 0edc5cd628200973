"""`corral config`: the settings in force, and where each came from."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from cyclopts import Parameter
from msgspec import Struct

from corral.cli.output import make_console, make_table, print_json
from corral.client import config as client_config
from corral.client.config import ClientConfig, load_client_config
from corral.config import ENVIRONMENT, Secret, ServerConfig, find_file, find_settings, load_server_config
from corral.node import config as node_config
from corral.node.config import NodeConfig, load_node_config

Table = Literal["server", "node", "client"]
_KINDS: Final[dict[str, tuple[type[Struct], Mapping[str, tuple[str, ...]]]]] = {
    "server": (ServerConfig, ENVIRONMENT),
    "node": (NodeConfig, node_config.ENVIRONMENT),
    "client": (ClientConfig, client_config.ENVIRONMENT),
}
_CHECKS: Final = {"server": load_server_config, "node": load_node_config, "client": load_client_config}
_MASK: Final = "***"
_TEMPORARY: Final = "a temporary directory"


class Line(Struct, frozen=True):
    """One setting; `source` is flag, a variable, a file or default."""

    table: str
    setting: str
    value: Any
    source: str


def configuration(
    table: Table | None = None,
    /,
    *,
    all: Annotated[bool, Parameter(negative="")] = False,  # noqa: A002 - the flag's name
    config: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> None:
    """Print the settings in force, and where each came from: a variable, the file, or the default. Secrets are masked.

    Parameters
    ----------
    table
        Only these: server, node or client.
    all
        Those that are at their default, too.
    config
        The TOML file; CORRAL_CONFIG, or corral.toml in the current directory.
    json
        Print JSON; always with the defaults.
    """
    tables = [table] if table else list(_KINDS)
    lines = [line for name in tables for line in list_settings(name, os.environ, file=config)]
    if json:
        print_json({"settings": lines})
        return
    shown = [line for line in lines if all or line.source != "default"]
    console = make_console()
    file = find_file(os.environ, file=config)
    console.print(f"file: {file.absolute() if file else 'none'}", style="dim", soft_wrap=True)
    grid = make_table("setting", "value", "from")
    for line in shown:
        grid.add_row(f"{line.table}.{line.setting}", _text(line.value), line.source)
    if shown:
        console.print(grid)
    if hidden := len(lines) - len(shown):
        console.print(f"{hidden} settings at their default: --all shows them", style="dim")


def list_settings(table: str, environ: Mapping[str, str], *, file: Path | None = None) -> list[Line]:
    """Every setting of a table. Raises ConfigInvalidError for what the server, node or client would refuse."""
    kind, environment = _KINDS[table]
    loaded: Struct = _CHECKS[table]({}, environ, file=file)
    found = find_settings(kind, environment, {}, environ, table=table, file=file)
    values = {**msgspec.structs.asdict(loaded), **_resolved(loaded), **{name: found[name].value for name in found}}
    return [
        Line(
            table=table,
            setting=field.name,
            value=_masked(values[field.name]),
            source=found[field.name].source if field.name in found else "default",
        )
        for field in msgspec.structs.fields(kind)
    ]


def _resolved(loaded: Struct) -> dict[str, str]:
    """What stands in for settings whose default depends on the computer, or on other settings."""
    match loaded:
        case ServerConfig(ephemeral=True):
            return {"data_dir": _TEMPORARY, "storage_url": _TEMPORARY}
        case ServerConfig():
            return {"data_dir": str(loaded.data_path), "storage_url": loaded.default_storage_location}
        case NodeConfig():
            paths = {"data_dir": str(loaded.data_path), "state_dir": str(loaded.state_path)}
            return {"node_id": loaded.id, "name": loaded.id, **paths}
        case _:
            return {}


def _masked(value: object) -> object:
    return _MASK if isinstance(value, Secret) else value


def _text(value: object) -> str:
    if value is None or value == "":
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)
