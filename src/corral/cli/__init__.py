"""The command line: one module per command, and the only place that wires things together."""

from corral.cli.main import main

__all__ = ["main"]
