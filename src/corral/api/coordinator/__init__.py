"""The coordinator door under /v1: agents that others wrote work against it unchanged. docs/coordinator.md describes it."""
