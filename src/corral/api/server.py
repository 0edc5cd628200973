"""What the handlers of one server process share."""

from corral.api.commit import CallbackCommitter
from corral.api.doorkeeper import Doorkeeper
from corral.api.known import KnownCredentials
from corral.api.metrics import Metrics
from corral.api.waiting import WaitingPulls
from corral.config import ServerConfig
from corral.content import Source
from corral.engine import Engine
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
        self.waiting = WaitingPulls(engine)
        self.committer = CallbackCommitter(engine)
