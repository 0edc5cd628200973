"""What the handlers of one server process share."""

from corral.api.commit import CallbackCommitter
from corral.api.coordinator.cache import OverviewCache
from corral.api.coordinator.hub import StreamHub
from corral.api.doorkeeper import Doorkeeper
from corral.api.known import KnownCredentials
from corral.api.metrics import Metrics
from corral.api.tunnels.hub import TunnelHub
from corral.api.waiting import Waiting
from corral.config import ServerConfig
from corral.content import Source
from corral.engine import Engine
from corral.engine.announce import STEPS
from corral.model.records import News
from corral.storage import Storage


class Server:
    """The engine and what stands before it. Nothing here is lost with the process but waiting."""

    def __init__(self, engine: Engine, config: ServerConfig, storage: Storage) -> None:
        self.engine = engine
        self.config = config
        self.storage = storage
        self.source = Source(config)
        self.metrics = Metrics()
        self.known = KnownCredentials(engine)
        self.doorkeeper = Doorkeeper(config, self.known)
        self.waiting = Waiting(self._list_news)
        self.claims = Waiting(self._list_step_news, hint=STEPS)
        self.committer = CallbackCommitter(engine)
        self.overview = OverviewCache(engine)
        self.streams = StreamHub(engine)
        self.tunnels = TunnelHub(engine)

    def let_go(self) -> None:
        """Answer every pull and claim as things stand, and end every stream and tunnel: the process is about to stop."""
        self.waiting.close()
        self.claims.close()
        self.streams.close()
        self.tunnels.close()

    async def _list_news(self, node_ids: list[str]) -> list[News]:
        return await self.engine.nodes.list_news(node_ids)

    async def _list_step_news(self, node_ids: list[str]) -> list[News]:
        return await self.engine.steps.list_step_news(node_ids)
