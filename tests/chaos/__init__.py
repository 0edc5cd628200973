"""Trying to break a farm: real processes under a nemesis, and an independent checker of what became of it.

`python -m tests.chaos --minutes 10 --seed 7` does it, `make chaos` too. docs/chaos.md says what is tried and judged.
"""
