"""The coordinator's dashboard: everything at a glance."""

from typing import Final

from litestar import get
from litestar.di import NamedDependency
from litestar.response import Response

from corral.api.server import Server


@get("/v1/dashboard")
async def get_overview(server: NamedDependency[Server]) -> Response[bytes]:
    """Agents, channels, chains, tasks and the last events: what their lists would show, at most a second ago."""
    return Response(await server.overview.get(), media_type="application/json")


HANDLERS: Final = [get_overview]
