"""The engine as a library: connect, migrate, then one attribute per noun."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from corral.engine import backup, migrate
from corral.engine.announce import Announcements
from corral.engine.database import Database
from corral.engine.gateway.agents import Agents
from corral.engine.gateway.artifacts import Artifacts
from corral.engine.gateway.audit import Audit
from corral.engine.gateway.chains import Chains
from corral.engine.gateway.changes import Changes
from corral.engine.gateway.channels import Channels
from corral.engine.gateway.commands import Commands
from corral.engine.gateway.content_channels import ContentChannels
from corral.engine.gateway.contents import Contents
from corral.engine.gateway.credentials import Credentials
from corral.engine.gateway.dashboard import Dashboard
from corral.engine.gateway.device_history import DeviceHistory
from corral.engine.gateway.devices import Devices
from corral.engine.gateway.events import Events
from corral.engine.gateway.files import Files
from corral.engine.gateway.jobs import Jobs
from corral.engine.gateway.node_tokens import NodeTokens
from corral.engine.gateway.nodes import Nodes
from corral.engine.gateway.operators import Operators
from corral.engine.gateway.pictures import Pictures
from corral.engine.gateway.playbooks import Playbooks
from corral.engine.gateway.reservations import Reservations
from corral.engine.gateway.runs import Runs
from corral.engine.gateway.scans import Scans
from corral.engine.gateway.schedules import Schedules
from corral.engine.gateway.sessions import Sessions
from corral.engine.gateway.steps import Steps
from corral.engine.gateway.tasks import Tasks
from corral.engine.gateway.tests import Tests
from corral.engine.gateway.tunnels import Tunnels
from corral.engine.gateway.upkeep import Upkeep
from corral.engine.gateway.webhooks import Webhooks
from corral.engine.gateway.workflows import Workflows


class Engine:
    """Everything that Corral knows and decides, behind one database. Holds no state but announcements on their way."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.announcements = Announcements(database)
        self.nodes = Nodes(database)
        self.devices = Devices(database)
        self.device_history = DeviceHistory(database)
        self.pictures = Pictures(database)
        self.workflows = Workflows(database)
        self.commands = Commands(database)
        self.playbooks = Playbooks(database, self.commands)
        self.runs = Runs(database, self.announcements)
        self.reservations = Reservations(database, self.runs, self.announcements)
        self.jobs = Jobs(database)
        self.steps = Steps(database, self.announcements)
        self.tunnels = Tunnels(database)
        self.agents = Agents(database, self.announcements)
        self.channels = Channels(database, self.announcements)
        self.chains = Chains(database, self.announcements)
        self.tasks = Tasks(database, self.announcements)
        self.changes = Changes(database)
        self.events = Events(database)
        self.tests = Tests(database)
        self.artifacts = Artifacts(database)
        self.files = Files(database)
        self.scans = Scans(database)
        self.schedules = Schedules(database, workflows=self.workflows, files=self.files, runs=self.runs)
        self.webhooks = Webhooks(database)
        self.dashboard = Dashboard(database)
        self.contents = Contents(database)
        self.content_channels = ContentChannels(database, self.runs)
        self.credentials = Credentials(database)
        self.node_tokens = NodeTokens(database, self.announcements)
        self.operators = Operators(database, self.announcements)
        self.sessions = Sessions(database, self.announcements)
        self.audit = Audit(database)
        self.upkeep = Upkeep(database, self.runs, self.reservations, self.announcements)

    @classmethod
    @asynccontextmanager
    async def connect(cls, dsn: str, *, max_connections: int = 16) -> "AsyncIterator[Engine]":
        """An engine for the length of a block. Raises DatabaseUnavailableError."""
        database = await Database.open(dsn, max_connections=max_connections)
        engine = cls(database)
        try:
            yield engine
        finally:
            await engine.announcements.flush()
            await database.close()

    async def migrate(self) -> list[str]:
        """Bring the database to this version's schema; many may call it at once. Raises DatabaseNotReadyError."""
        return await migrate.migrate(self.database)

    async def describe_database(self) -> backup.DatabaseState:
        """Version, size, schema, and who else of Corral is connected."""
        return await backup.describe_database(self.database)

    async def backup_database(self, file: Path) -> None:
        """Write a consistent copy of everything but stored objects, while work goes on."""
        await backup.backup_database(self.database, file)

    async def restore_database(self, file: Path, *, replaces: bool = False) -> list[str]:
        """Bring back a copy and migrate it. Raises ConflictError where a farm or a server is in the way."""
        await backup.restore_database(self.database, file, replaces=replaces)
        return await self.migrate()

    async def check_migrated(self) -> None:
        """Raise DatabaseNotReadyError unless the schema is this version's."""
        await migrate.check_migrated(self.database)
