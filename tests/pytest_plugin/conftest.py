"""A farm, and suites that others run on it."""

from tests.tunnels.conftest import adb, adb_environment, adb_port, cluster, farm_dsn, kept_database, make_rig

__all__ = ["adb", "adb_environment", "adb_port", "cluster", "farm_dsn", "kept_database", "make_rig"]
