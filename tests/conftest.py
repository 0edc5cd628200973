"""How the suite is spread over processes."""

import os


def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: much of the suite waits for phones, leases and browsers."""
    return (os.cpu_count() or 1) + 1
