"""The dashboard: the farm at a glance."""

from datetime import timedelta
from typing import Annotated, Final

from litestar import get
from litestar.di import NamedDependency
from litestar.params import QueryParameter
from litestar.response import Response

from corral.api.server import Server

_UNITS: Final = {"h": timedelta(hours=1), "d": timedelta(days=1)}


@get("/api/dashboard")
async def get_dashboard(
    server: NamedDependency[Server],
    window: Annotated[str, QueryParameter(pattern=r"^[1-9][0-9]{0,3}[hd]$")] = "24h",
) -> Response[bytes]:
    """KPIs, hours, to-do items and what each node's devices do, over the last hours (24h) or days (7d)."""
    span = int(window[:-1]) * _UNITS[window[-1]]
    return Response(await server.engine.dashboard.get_dashboard(span), media_type="application/json")


HANDLERS: Final = [get_dashboard]
