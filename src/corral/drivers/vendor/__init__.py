"""Phones through a vendor's group-control program, by its JSON WebSocket."""
