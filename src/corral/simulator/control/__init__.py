"""Steering a running simulator from another process: faults in and out, the record, the violations."""

from corral.simulator.control.client import Control

__all__ = ["Control"]
