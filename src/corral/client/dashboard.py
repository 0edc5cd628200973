"""The dashboard: the farm at a glance."""

from corral.client.transport import Transport
from corral.wire.views import Dashboard


class Dashboards:
    """`client.dashboard`."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(self, window: str = "24h") -> Dashboard:
        """KPIs, hours, to-do items and what each node's devices do, over hours ("24h") or days ("7d")."""
        return self._transport.get("/api/dashboard", Dashboard, {"window": window})
