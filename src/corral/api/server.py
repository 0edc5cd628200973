"""What the handlers of one server process share."""

from corral.api.commit import CallbackCommitter
from corral.api.coordinator.cache import OverviewCache
from corral.api.coordinator.hub import StreamHub
from corral.api.doorkeeper import Doorkeeper
from corral.api.known import KnownCredentials
from corral.api.metrics import Metrics
from corral.api.waiting import WaitingPulls
from corral.config import ServerConfig
from corral.engine import Engine
from corral.storage import Storage


class Server:
    """The engine and what stands before it. Nothing here is lost with the process but waiting."""

    def __init__(self, engine: Engine, config: ServerConfig, storage: Storage) -> None:
        self.engine = engine
        self.config = config
        self.storage = storage
        self.metrics = Metrics()
        self.known = KnownCredentials(engine)
        self.doorkeeper = Doorkeeper(config, self.known)
        self.waiting = WaitingPulls(engine)
        self.committer = CallbackCommitter(engine)
        self.overview = OverviewCache(engine)
        self.streams = StreamHub(engine)

    def let_go(self) -> None:
        """Answer every pull as things stand, and end every stream: the process is about to stop."""
        self.waiting.close()
        self.streams.close()
