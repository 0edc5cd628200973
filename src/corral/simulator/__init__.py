"""A fleet of simulated phones that the real adb cannot tell from real ones, with faults on demand.

It speaks the device side of adb and the vendor's WebSocket, keeps a record of every command, and judges nothing but
whether two jobs met on one phone. It never reaches beyond the loopback interface, and executes nothing on its host.
"""

from corral.simulator.fleet import Fleet

__all__ = ["Fleet"]
