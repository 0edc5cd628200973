"""How many files this process may have open, connections included."""

import contextlib
import sys
from typing import Final

_SPARE: Final = 256
"""For the database, the store, and files that are read and written."""

_LEAST: Final = 64
_MOST: Final = 65_536
_WINDOWS: Final = 8_192

if sys.platform == "win32":

    def most_connections() -> int:
        """So many as the system has no trouble with."""
        return _WINDOWS

else:
    import resource

    def most_connections() -> int:
        """How many connections may be open at a time, after the limit of open files was raised as far as this process may."""
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = _MOST + _SPARE if hard == resource.RLIM_INFINITY else min(hard, _MOST + _SPARE)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            with contextlib.suppress(ValueError, OSError):  # some systems have a lower limit that they do not name
                resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
                soft = wanted
        limit = _MOST if soft == resource.RLIM_INFINITY else soft - _SPARE
        return max(_LEAST, min(limit, _MOST))
