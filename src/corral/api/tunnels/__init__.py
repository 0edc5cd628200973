"""Tunnels to phones that somebody holds: the holder's end and the node's, joined wherever they arrive."""
