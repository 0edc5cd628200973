"""The client: one attribute per noun."""

import os
from pathlib import Path
from types import TracebackType
from typing import Self

from corral.client.artifacts import Artifacts
from corral.client.audit import Audit
from corral.client.commands import Commands
from corral.client.config import ClientConfig, load_client_config
from corral.client.content_channels import ContentChannels
from corral.client.contents import Contents
from corral.client.dashboard import Dashboards
from corral.client.devices import Devices
from corral.client.files import Files
from corral.client.nodes import Nodes
from corral.client.operators import Operators
from corral.client.playbooks import Playbooks
from corral.client.runs import Runs
from corral.client.scans import Scans
from corral.client.schedules import Schedules
from corral.client.sessions import Sessions
from corral.client.transport import Transport
from corral.client.webhooks import Webhooks
from corral.client.workflows import Workflows
from corral.wire.credentials import Session
from corral.wire.health import Liveness


class Client:
    """A Corral server. Usable as a context manager; every call raises an error of `corral.model.errors`.

    Calls that only read, and those that do no harm when repeated, are retried `retries` times with growing pauses.
    A call that gets no answer at all raises ServerUnavailableError.
    """

    def __init__(
        self,
        base_url: str = "http://127.0.0.1:8080",
        *,
        token: str | None = None,
        workspace: str = "default",
        timeout_s: float = 30.0,
        retries: int = 3,
    ) -> None:
        self._transport = Transport(base_url, token=token, timeout_s=timeout_s, retries=retries)
        self.workflows = Workflows(self._transport)
        self.runs = Runs(self._transport, workspace=workspace)
        self.sessions = Sessions(self._transport)
        self.devices = Devices(self._transport)
        self.nodes = Nodes(self._transport)
        self.scans = Scans(self._transport)
        self.commands = Commands(self._transport)
        self.playbooks = Playbooks(self._transport)
        self.dashboard = Dashboards(self._transport)
        self.artifacts = Artifacts(self._transport)
        self.files = Files(self._transport)
        self.contents = Contents(self._transport)
        self.content_channels = ContentChannels(self._transport)
        self.schedules = Schedules(self._transport)
        self.webhooks = Webhooks(self._transport)
        self.audit = Audit(self._transport)
        self.operators = Operators(self._transport)

    @classmethod
    def from_environment(cls, *, file: Path | None = None) -> Self:
        """The server that CORRAL_URL and CORRAL_TOKEN name, or the [client] table of corral.toml, or this machine's.

        Raises ConfigInvalidError.
        """
        return cls.from_config(load_client_config({}, os.environ, file=file))

    @classmethod
    def from_config(cls, config: ClientConfig) -> Self:
        """The server that the settings name."""
        return cls(
            config.url,
            token=None if config.token is None else config.token.reveal(),
            workspace=config.workspace,
            timeout_s=config.timeout_s,
        )

    @property
    def base_url(self) -> str:
        return self._transport.base_url

    def health(self) -> Liveness:
        """Whether the server lives, and its version. Needs no token."""
        return self._transport.get("/health", Liveness)

    def whoami(self) -> Session:
        """Who the token says that we are, and in which role."""
        return self._transport.get("/api/session", Session)

    def close(self) -> None:
        """Let go of the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
