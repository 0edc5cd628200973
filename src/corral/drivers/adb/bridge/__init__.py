"""One phone's adb, and nothing else, for somebody who is not this node's adb server.

A bridge speaks the device's side of the adb protocol on a line (a TCP connection, a tunnel) and opens what it is asked
for on the phone, through the node's adb server. It lets through a closed list of services, all of them on the phone.
"""

from corral.drivers.adb.bridge.bridge import serve_bridge
from corral.drivers.adb.bridge.line import Line
from corral.drivers.adb.bridge.port import bridge_port
from corral.drivers.adb.bridge.reach import AdbReach, reach_by_adb

__all__ = ["AdbReach", "Line", "bridge_port", "reach_by_adb", "serve_bridge"]
