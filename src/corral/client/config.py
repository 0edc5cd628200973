"""Where the server is, and who calls: what the command line and `Client.from_environment` can be told."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from msgspec import Meta, Struct

from corral.config import Secret, load_config
from corral.model.errors import ConfigInvalidError


class ClientConfig(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A field's name is its key in the TOML file's [client] table."""

    url: str = "http://127.0.0.1:8080"
    token: Secret | None = None
    workspace: Annotated[str, Meta(min_length=1, max_length=200)] = "default"
    timeout_s: Annotated[float, Meta(gt=0, le=3600)] = 30.0


# The server's own names for the token count, too: on its machine, one variable is enough.
ENVIRONMENT: Final[dict[str, tuple[str, ...]]] = {
    "url": ("CORRAL_URL",),
    "token": ("CORRAL_TOKEN", "CORRAL_AUTH_TOKEN", "COORDINATOR_AUTH_TOKEN"),
    "workspace": ("CORRAL_WORKSPACE",),
    "timeout_s": ("CORRAL_TIMEOUT_S",),
}


def load_client_config(
    flags: Mapping[str, Any], environ: Mapping[str, str], *, file: Path | None = None
) -> ClientConfig:
    """The settings in force; a flag that is None was not given. Raises ConfigInvalidError, naming the setting."""
    config = load_config(ClientConfig, ENVIRONMENT, flags, environ, table="client", file=file)
    check_url(config.url)
    return config


def check_url(url: str) -> None:
    """Raise ConfigInvalidError unless this can be a server's address."""
    try:
        parts = urlsplit(url)
        is_address = (
            parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        is_address = False
    if not is_address:
        raise ConfigInvalidError(f"url must be an http or https address: {url}", path="url")
