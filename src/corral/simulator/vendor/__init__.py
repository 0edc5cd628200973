"""The same phones behind a vendor's JSON WebSocket, as its program on a node's PC offers them."""
