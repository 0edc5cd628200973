"""The dashboard: the farm at a glance."""

from typing import Annotated, Final

from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.response import Response

from corral.api.server import Server
from corral.api.window import WINDOW, read_window


@get("/api/dashboard")
async def get_dashboard(
    server: NamedDependency[Server],
    window: Annotated[str, QueryParameter(pattern=WINDOW)] = "24h",
) -> Response[bytes]:
    """KPIs, hours, to-do items and what each node's devices do, over the last hours (24h) or days (7d)."""
    return Response(await server.engine.dashboard.get_dashboard(read_window(window)), media_type="application/json")


HANDLERS: Final = [get_dashboard]
