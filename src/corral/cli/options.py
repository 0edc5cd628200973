"""The flags that every command has which talks to a server."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from corral.client import Client
from corral.client.config import load_client_config


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Options:
    """Where the server is, and how to print."""

    json: Annotated[bool, Parameter(negative="")] = False
    """Print the API's own JSON."""
    url: str | None = None
    """The server's address; CORRAL_URL, or http://127.0.0.1:8080. The token comes from CORRAL_TOKEN or the file."""
    workspace: str | None = None
    """The workspace that runs belong to; CORRAL_WORKSPACE, or default."""
    config: Path | None = None
    """A TOML file with a [client] table; CORRAL_CONFIG, or corral.toml in the current directory."""

    def client(self) -> Client:
        """The server that the flags, the environment and the file name. Raises ConfigInvalidError."""
        flags = {"url": self.url, "workspace": self.workspace}
        return Client.from_config(load_client_config(flags, os.environ, file=self.config))


DEFAULT = Options()
