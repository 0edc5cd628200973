"""A PostgreSQL of Corral's own, kept in a directory.

It runs PostgreSQL's programs as they are, for one operating-system account, and reaches nothing but the
directory that it is given. It does not supervise: a server that dies while in use is started again by the
next start, never behind the caller's back. It does not upgrade a directory to a newer PostgreSQL.
"""

from corral.engine.embedded.binaries import find_binaries
from corral.engine.embedded.server import EmbeddedPostgres

__all__ = ["EmbeddedPostgres", "find_binaries"]
