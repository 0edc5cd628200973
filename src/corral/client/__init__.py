"""Corral from Python: one typed client of the server's HTTP API, for CI and for the command line.

It is synchronous, speaks HTTP like anyone else, and holds no state but its connection. docs/client.md has examples.
"""

from corral.client.client import Client
from corral.client.targets import parse_target

__all__ = ["Client", "parse_target"]
