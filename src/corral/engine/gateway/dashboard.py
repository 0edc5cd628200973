"""The dashboard: the farm at a glance."""

from datetime import timedelta

from corral.engine.database import Database

DAY = timedelta(days=1)


class Dashboard:
    """KPIs, hours, to-do items and nodes, read from statistics and small indexes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def get_dashboard(self, window: timedelta = DAY) -> bytes:
        """The view of docs/dashboard.md, as JSON ready to be sent.

        Raises InvalidRequestError unless the window is between an hour and 31 days.
        """
        dashboard: bytes = await self._database.fetch_value(
            "select convert_to(corral.fn_get_dashboard($1)::text, 'UTF8')", window
        )
        return dashboard
