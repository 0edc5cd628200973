"""Everything that `corral node` can be told. docs/node.md says what each setting is for."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit

from msgspec import Meta, Struct, field

from corral.config import Port, Secret, default_data_dir, load_config
from corral.model.errors import ConfigInvalidError
from corral.node.health.gates import Limits

NO_DRIVER: Final = "none"
"""Said in the place of drivers: this node works without phones."""

_NODE_ID: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
_UNFIT: Final = re.compile(r"[^A-Za-z0-9._-]")


class NodeConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A field's name is its key in the TOML file's [node] table, and in CORRAL_NODE_… of the environment."""

    server_url: str = "http://127.0.0.1:8080"
    node_id: str = ""
    name: str | None = None
    secret: Secret | None = None
    max_concurrency: Annotated[int, Meta(ge=1, le=1000)] = 20
    lookahead: Annotated[int, Meta(ge=0, le=1000)] = 20
    drivers: list[str] = field(default_factory=lambda: ["adb"])
    adb_path: str | None = None
    adb_port: Port | None = None
    adb_connect: list[str] = field(default_factory=list)
    vendor_url: str = "ws://127.0.0.1:22222"
    allow_shell: bool = False
    data_dir: str = ""
    state_dir: str = ""
    spool_limit_bytes: Annotated[int, Meta(ge=1 << 20)] = 1 << 30
    file_cache_bytes: Annotated[int, Meta(ge=1 << 20)] = 8 << 30
    min_battery_percent: Annotated[float, Meta(ge=0, le=100)] = 15.0
    max_temperature_c: Annotated[float, Meta(ge=0, le=150)] = 45.0
    min_free_storage_mb: Annotated[int, Meta(ge=0)] = 0
    health_interval_s: Annotated[float, Meta(ge=1)] = 60.0
    labels: dict[str, str] = field(default_factory=dict)
    capabilities: list[str] = field(default_factory=list)
    log_format: Literal["text", "json"] = "text"
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def id(self) -> str:
        """The node's id: the machine's name, unless one is given."""
        return self.node_id or _UNFIT.sub("-", socket.gethostname().partition(".")[0])[:63].strip("-._") or "node"

    @property
    def adb_program(self) -> Path | None:
        """The adb program that was named; None finds one."""
        return Path(self.adb_path).expanduser() if self.adb_path else None

    @property
    def data_path(self) -> Path:
        return Path(self.data_dir).expanduser() if self.data_dir else default_data_dir()

    @property
    def state_path(self) -> Path:
        return Path(self.state_dir).expanduser() if self.state_dir else self.data_path / f"node-{self.id}"

    @property
    def limits(self) -> Limits:
        """What a phone must keep to; 0 MB of storage is no limit."""
        return Limits(
            min_battery_percent=self.min_battery_percent,
            max_temperature_c=self.max_temperature_c,
            min_free_storage_mb=self.min_free_storage_mb or None,
        )

    @property
    def secrets(self) -> list[str]:
        """What must never be logged."""
        return [] if self.secret is None else [self.secret.reveal()]


ENVIRONMENT: Final[dict[str, tuple[str, ...]]] = {
    **{name: (f"CORRAL_NODE_{name.upper()}",) for name in NodeConfig.__struct_fields__},
    "node_id": ("CORRAL_NODE_ID",),
    "secret": ("CORRAL_NODE_TOKEN", "NODE_AGENT_SHARED_SECRET"),
    "data_dir": ("CORRAL_NODE_DATA_DIR", "CORRAL_DATA_DIR"),
    "log_format": ("CORRAL_NODE_LOG_FORMAT", "CORRAL_LOG_FORMAT"),
    "log_level": ("CORRAL_NODE_LOG_LEVEL", "CORRAL_LOG_LEVEL"),
}


def load_node_config(flags: Mapping[str, Any], environ: Mapping[str, str], *, file: Path | None = None) -> NodeConfig:
    """The settings in force; a flag that is None was not given. Raises ConfigInvalidError, naming the setting."""
    config = load_config(NodeConfig, ENVIRONMENT, flags, environ, table="node", file=file)
    url = urlsplit(config.server_url)
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ConfigInvalidError(f"server_url must be an http or https address: {config.server_url}", path="server_url")
    if _NODE_ID.fullmatch(config.id) is None:
        message = "node_id must be 1 to 63 letters, digits, dots, dashes or underscores"
        raise ConfigInvalidError(message, path="node_id")
    if not config.drivers:
        raise ConfigInvalidError("a node needs at least one driver, or none by that word", path="drivers")
    if NO_DRIVER in config.drivers and len(config.drivers) > 1:
        raise ConfigInvalidError(f"{NO_DRIVER} is said alone", path="drivers")
    return config
