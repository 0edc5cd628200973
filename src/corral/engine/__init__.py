"""The engine: PostgreSQL as the single source of truth, and a typed way to it.

    async with Engine.connect(dsn) as engine:
        await engine.migrate()
        node = await engine.nodes.register_node("node-1")

Every state change is a SQL function under sql/functions; the Python above it is thin. Nothing but this
package imports the database driver, and tables are not an interface: functions and views are.
"""

from corral.engine.engine import Engine

__all__ = ["Engine"]
