"""Corral runs work where the hardware is: workflows on fleets of Android devices, on PostgreSQL."""

__version__ = "0.1.0"
