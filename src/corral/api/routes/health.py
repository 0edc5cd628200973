"""Whether the server lives, whether it can serve, and what it measures."""

from typing import Final

from litestar import MediaType, get
from litestar.di import NamedDependency
from litestar.response import Response

import corral
from corral.api.server import Server
from corral.wire.health import Liveness


@get("/health")
async def get_health() -> Liveness:
    """Whether the process lives; says nothing of the database."""
    return Liveness(status="ok", version=corral.__version__)


@get("/ready")
async def get_ready(server: NamedDependency[Server]) -> Liveness:
    """Whether the database answers and is migrated, and the store can be reached: 503 if not."""
    await server.engine.check_migrated()
    await server.storage.check()
    return Liveness(status="ok", version=corral.__version__)


@get("/metrics", media_type=MediaType.TEXT)
async def get_metrics(server: NamedDependency[Server]) -> Response[bytes]:
    """Measures of this process, in Prometheus' text format."""
    return Response(server.metrics.render(), media_type="text/plain; version=0.0.4; charset=utf-8")


HANDLERS: Final = [get_health, get_ready, get_metrics]
