"""Feeding nonsense to everything that reads what others wrote; see __main__.py."""
