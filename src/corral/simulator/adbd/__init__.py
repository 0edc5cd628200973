"""The device side of the adb protocol, over TCP: what a phone's adbd speaks to an adb server."""
