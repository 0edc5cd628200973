"""The server's loops, one file each, named for the act. One process leads; the others stand by."""
