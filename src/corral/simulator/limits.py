"""What the operating system allows this process."""

import sys


def allow_sockets(count: int) -> None:
    """Raise the limit on open files as far as it may be raised, if so many need it. Where it stays low, opening fails."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - there is none on Windows

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
