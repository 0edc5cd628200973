"""`corral` processes that begin with everything loaded: a test should wait for what a command does, not for its imports."""

from tests.warm.process import Process, start_corral

__all__ = ["Process", "start_corral"]
