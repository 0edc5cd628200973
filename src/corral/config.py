"""Settings: flags over environment over a TOML file, parsed once into one record; the server's own, and how others load theirs.

Nothing else reads the environment. A secret never shows itself: it is masked wherever a setting is printed.
"""

import os
import re
import sys
import tomllib
from collections.abc import Mapping
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeVar, get_origin
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from corral.model.errors import ConfigInvalidError

C = TypeVar("C", bound=Struct)
Port = Annotated[int, Meta(ge=0, le=65535)]


class Secret:
    """Text that is masked when printed; `reveal` is the only way to it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return "Secret('***')"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)


class ServerConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Everything that `corral server` can be told. A field's name is its key in the TOML file's [server] table."""

    host: str = "127.0.0.1"
    port: Port = 8080
    workers: Annotated[int, Meta(ge=1, le=256)] = 1
    database_url: Secret | None = None
    database_connections: Annotated[int, Meta(ge=2, le=1000)] = 16
    data_dir: str = ""
    ephemeral: bool = False
    storage_url: Secret | None = None
    direct_downloads: bool = False
    node_secret: Secret | None = None
    operator_token: Secret | None = None
    require_enrolled_nodes: bool = False
    auth_failure_limit: Annotated[int, Meta(ge=1)] = 10
    trusted_proxy: str = ""
    peer_host: str = ""
    event_retention_days: Annotated[int, Meta(ge=0)] = 30
    log_retention_days: Annotated[int, Meta(ge=0)] = 30
    sample_retention_days: Annotated[int, Meta(ge=0)] = 14
    artifact_retention_days: Annotated[int, Meta(ge=0)] = 0
    run_retention_days: Annotated[int, Meta(ge=0)] = 0
    retention_interval_hours: Annotated[float, Meta(gt=0)] = 24.0
    public_url: str = ""
    webhook_allow_private: bool = False
    max_body_bytes: Annotated[int, Meta(ge=1024)] = 8 * 1024 * 1024
    max_artifact_bytes: Annotated[int, Meta(ge=1)] = 64 * 1024 * 1024
    max_file_bytes: Annotated[int, Meta(ge=1)] = 2 * 1024 * 1024 * 1024
    youtube_api_key: Secret | None = None
    youtube_url: str = ""
    log_format: Literal["text", "json"] = "text"
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @property
    def data_path(self) -> Path:
        return Path(self.data_dir).expanduser() if self.data_dir else default_data_dir()

    @property
    def storage_location(self) -> str:
        """The URL or path of the store: a directory beside the database's, unless another was named."""
        return self.storage_url.reveal() if self.storage_url is not None else self.default_storage_location

    @property
    def default_storage_location(self) -> str:
        """The path of the store where none was named."""
        return str(self.data_path / "objects")

    @property
    def secrets(self) -> list[str]:
        """What must never be logged."""
        found = (self.node_secret, self.operator_token, self.database_url, self.youtube_api_key)
        return [secret.reveal() for secret in found if secret is not None]


# Which variables set a field; the first one that is set wins.
ENVIRONMENT: Final[dict[str, tuple[str, ...]]] = {
    "host": ("CORRAL_HOST",),
    "port": ("CORRAL_PORT", "COORDINATOR_PORT"),
    "workers": ("CORRAL_WORKERS",),
    "database_url": ("CORRAL_DATABASE_URL", "COORDINATOR_DATABASE_URL", "DATABASE_URL"),
    "database_connections": ("CORRAL_DATABASE_CONNECTIONS",),
    "data_dir": ("CORRAL_DATA_DIR",),
    "ephemeral": ("CORRAL_EPHEMERAL",),
    "storage_url": ("CORRAL_STORAGE_URL",),
    "direct_downloads": ("CORRAL_DIRECT_DOWNLOADS",),
    "node_secret": ("NODE_AGENT_SHARED_SECRET",),
    "operator_token": ("CORRAL_AUTH_TOKEN", "COORDINATOR_AUTH_TOKEN"),
    "require_enrolled_nodes": ("CORRAL_REQUIRE_ENROLLED_NODES",),
    "auth_failure_limit": ("CORRAL_AUTH_FAILURE_LIMIT",),
    "trusted_proxy": ("CORRAL_TRUSTED_PROXY",),
    "peer_host": ("CORRAL_PEER_HOST",),
    "event_retention_days": ("CORRAL_EVENT_RETENTION_DAYS", "COORDINATOR_EVENT_RETENTION_DAYS"),
    "log_retention_days": ("CORRAL_LOG_RETENTION_DAYS",),
    "sample_retention_days": ("CORRAL_SAMPLE_RETENTION_DAYS",),
    "artifact_retention_days": ("CORRAL_ARTIFACT_RETENTION_DAYS",),
    "run_retention_days": ("CORRAL_RUN_RETENTION_DAYS",),
    "retention_interval_hours": ("CORRAL_RETENTION_INTERVAL_HOURS", "COORDINATOR_RETENTION_INTERVAL_HOURS"),
    "public_url": ("CORRAL_PUBLIC_URL",),
    "webhook_allow_private": ("CORRAL_WEBHOOK_ALLOW_PRIVATE",),
    "max_body_bytes": ("CORRAL_MAX_BODY_BYTES",),
    "max_artifact_bytes": ("CORRAL_MAX_ARTIFACT_BYTES",),
    "max_file_bytes": ("CORRAL_MAX_FILE_BYTES",),
    "youtube_api_key": ("CORRAL_YOUTUBE_API_KEY",),
    "youtube_url": ("CORRAL_YOUTUBE_URL",),
    "log_format": ("CORRAL_LOG_FORMAT",),
    "log_level": ("CORRAL_LOG_LEVEL",),
}
CONFIG_FILE: Final = "CORRAL_CONFIG"
DEFAULT_FILE: Final = "corral.toml"
TABLES: Final = ("server", "node", "client")
_MIN_SECRET_LENGTH: Final = 8


def load_server_config(
    flags: Mapping[str, Any], environ: Mapping[str, str], *, file: Path | None = None
) -> ServerConfig:
    """The settings in force; a flag that is None was not given. Raises ConfigInvalidError, naming the setting."""
    config = load_config(ServerConfig, ENVIRONMENT, flags, environ, table="server", file=file)
    _check(config)
    return config


def load_config(
    kind: type[C],
    environment: Mapping[str, tuple[str, ...]],
    flags: Mapping[str, Any],
    environ: Mapping[str, str],
    *,
    table: str,
    file: Path | None,
) -> C:
    """A record of settings from its table of the file, its variables and its flags, the later over the earlier."""
    found = find_settings(kind, environment, flags, environ, table=table, file=file)
    return kind(**{field: setting.value for field, setting in found.items()})


class Setting(Struct, frozen=True):
    """A value that somebody set, and where: `flag`, the variable's name, or the file's."""

    value: Any
    source: str


def find_settings(
    kind: type[Struct],
    environment: Mapping[str, tuple[str, ...]],
    flags: Mapping[str, Any],
    environ: Mapping[str, str],
    *,
    table: str,
    file: Path | None,
) -> dict[str, Setting]:
    """What was set, by field; a field that is not here has its default. Raises ConfigInvalidError."""
    path = find_file(environ, file=file)
    found = {} if path is None else _read_file(kind, path, table=table)
    for field, names in environment.items():
        name = next((each for each in names if environ.get(each, "") != ""), None)
        if name is not None:
            found[field] = Setting(_convert(kind, field, environ[name], source=name), name)
    for field, value in flags.items():
        if value is not None:
            found[field] = Setting(_convert(kind, field, value, source=field), "flag")
    return found


def find_file(environ: Mapping[str, str], *, file: Path | None = None) -> Path | None:
    """The settings file: the one that is named, or that CORRAL_CONFIG names, or corral.toml where we stand, if any."""
    if file is not None:
        return file
    if environ.get(CONFIG_FILE):
        return Path(environ[CONFIG_FILE])
    return Path(DEFAULT_FILE) if Path(DEFAULT_FILE).is_file() else None


def to_bytes(config: ServerConfig) -> bytes:
    """The settings with their secrets, for a worker process of this one and nobody else."""
    return msgspec.json.encode(config, enc_hook=_reveal)


def from_bytes(text: bytes) -> ServerConfig:
    """What `to_bytes` wrote."""
    return msgspec.json.decode(text, type=ServerConfig, dec_hook=_conceal)


def default_data_dir() -> Path:
    """/var/lib/corral for root, the user's own data directory otherwise."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", str(Path.home()))) / "corral"
    if os.geteuid() == 0:
        return Path("/var/lib/corral")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "corral"


def is_loopback(host: str) -> bool:
    """Whether the name or address is this machine's own."""
    if host == "localhost":
        return True
    try:
        address = ip_address(host)
        return (getattr(address, "ipv4_mapped", None) or address).is_loopback
    except ValueError:
        return False


def _read_file(kind: type[Struct], path: Path, *, table: str) -> dict[str, Setting]:
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigInvalidError(f"cannot read {path}: {error}", path=str(path)) from error
    for unknown in document.keys() - set(TABLES):
        raise ConfigInvalidError(f"{path}: unknown table or key {unknown}", path=unknown)
    told = document.get(table, {})
    if not isinstance(told, dict):
        raise ConfigInvalidError(f"{path}: {table} must be a table", path=table)
    for field in told.keys() - set(kind.__struct_fields__):
        raise ConfigInvalidError(f"{path}: unknown setting {table}.{field}", path=f"{table}.{field}")
    return {
        field: Setting(_convert(kind, field, value, source=f"{table}.{field}"), str(path))
        for field, value in told.items()
    }


def _convert(kind: type[Struct], field: str, value: object, *, source: str) -> Any:  # noqa: ANN401 - the field decides
    hint = next(each.type for each in msgspec.structs.fields(kind) if each.name == field)
    if isinstance(value, str) and get_origin(hint) is list:  # a variable holds one text
        value = [word.strip() for word in value.split(",") if word.strip()]
    if isinstance(value, str) and get_origin(hint) is dict:
        value = dict(word.strip().partition("=")[::2] for word in value.split(",") if word.strip())
    try:
        return msgspec.convert(value, hint, strict=False, dec_hook=_conceal)
    except msgspec.ValidationError as error:
        raise ConfigInvalidError(f"{source}: {error}", path=source) from None


def _check(config: ServerConfig) -> None:
    for name, secret in (("NODE_AGENT_SHARED_SECRET", config.node_secret), ("operator_token", config.operator_token)):
        if secret is not None and len(secret.reveal()) < _MIN_SECRET_LENGTH:
            raise ConfigInvalidError(f"{name} is shorter than {_MIN_SECRET_LENGTH} characters", path=name)
    if config.node_secret is not None and config.node_secret == config.operator_token:
        raise ConfigInvalidError("the node secret and the operator token must differ", path="operator_token")
    if config.ephemeral and config.database_url is not None:
        raise ConfigInvalidError("an ephemeral database and a database URL exclude one another", path="ephemeral")
    if config.public_url and not re.fullmatch(r"https?://[^\s/?#@]+(/[^\s?#]*)?", config.public_url):
        raise ConfigInvalidError("public_url must be a URL as in https://corral.example.com", path="public_url")
    if config.trusted_proxy:
        try:
            ip_network(config.trusted_proxy)
        except ValueError as error:
            raise ConfigInvalidError(f"trusted_proxy: {error}", path="trusted_proxy") from None
    _check_youtube(config)
    if not is_loopback(config.host):
        missing = [
            name
            for name, is_missing in (
                ("NODE_AGENT_SHARED_SECRET", config.node_secret is None and not config.require_enrolled_nodes),
                ("COORDINATOR_AUTH_TOKEN", config.operator_token is None),
            )
            if is_missing
        ]
        if missing:
            message = f"refusing to listen on {config.host} without secrets: set {' and '.join(missing)}"
            raise ConfigInvalidError(message, path="host")


def _check_youtube(config: ServerConfig) -> None:
    """The one place that stands in for YouTube's hosts is a plain address; a key is a line of plain characters."""
    try:
        url = urlsplit(config.youtube_url)
        is_plain = url.scheme in {"http", "https"} and bool(url.hostname) and not (url.query or url.fragment)
        is_plain = is_plain and "@" not in url.netloc and (url.port or 1) > 0
    except ValueError:
        is_plain = False
    if config.youtube_url and not is_plain:
        raise ConfigInvalidError(
            "youtube_url must be http(s)://host[:port], without anything secret", path="youtube_url"
        )
    key = config.youtube_api_key
    if key is not None and not (key.reveal().isascii() and key.reveal().isprintable()):
        raise ConfigInvalidError("youtube_api_key holds characters that no key has", path="youtube_api_key")


def _reveal(value: object) -> str:
    if isinstance(value, Secret):
        return value.reveal()
    raise NotImplementedError


def _conceal(kind: type, value: object) -> Secret:
    if kind is Secret and isinstance(value, Secret):
        return value
    if kind is Secret and isinstance(value, str):
        return Secret(value)
    raise NotImplementedError
