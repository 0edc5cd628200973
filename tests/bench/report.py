"""What was measured, against what was promised."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One promise: what was found, what is asked for, and whether it is kept."""

    name: str
    found: str
    target: str
    is_kept: bool


def print_checks(checks: list[Check]) -> None:
    """Print one line for each promise."""
    rows = [
        ("", "found", "target", ""),
        *((c.name, c.found, c.target, "PASS" if c.is_kept else "FAIL") for c in checks),
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    print()
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
