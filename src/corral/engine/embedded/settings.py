"""The server's settings: for a queue on a laptop or a small server."""

import os
import sys
from pathlib import Path

from corral.engine.embedded.binaries import has_lz4

FILE = "corral.conf"
LOG_DIRECTORY = "log"

_MEGABYTE = 1 << 20

_QUEUE = {
    "max_connections": "100",
    "random_page_cost": "1.1",
    "jit": "off",
    "timezone": "UTC",
    "lc_messages": "C",
    # A queue rewrites the same pages all day: rare checkpoints write each of them once, not once a minute.
    "max_wal_size": "2GB",
    "checkpoint_timeout": "15min",
    # Its dead rows are at the head of the indexes that every pull reads.
    "autovacuum_naptime": "10s",
    "autovacuum_vacuum_cost_limit": "2000",
    "autovacuum_vacuum_scale_factor": "0.05",
    "autovacuum_analyze_scale_factor": "0.05",
    # A forgotten transaction keeps every dead row alive.
    "idle_in_transaction_session_timeout": "60s",
}

# A week of logs, a file a day, without statements, parameters and the details of errors, which quote rows.
_LOG = {
    "logging_collector": "on",
    "log_directory": LOG_DIRECTORY,
    "log_filename": "postgresql-%a.log",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_truncate_on_rotation": "on",
    "log_timezone": "UTC",
    "log_statement": "none",
    "log_min_error_statement": "panic",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_error_verbosity": "terse",
}

_HEADER = "# Written by Corral at every start: your own settings go into postgresql.conf, below the include.\n"

_DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
# Commits are still handed to the kernel at once: a killed server loses none, whatever the machine may lose.
_VOLATILE = {"fsync": "off", "synchronous_commit": "on", "full_page_writes": "off"}


def queue_settings(bin_dir: Path, *, durable: bool) -> dict[str, str]:
    """Return the settings for this machine and these programs.

    Without `durable` a crash of the machine, not of the server, may lose everything.
    """
    return {
        **_QUEUE,
        **_LOG,
        **(_DURABLE if durable else _VOLATILE),
        "shared_buffers": f"{_shared_buffers_mb()}MB",
        "wal_compression": "lz4" if has_lz4(bin_dir) else "off",
    }


def render(settings: dict[str, str]) -> str:
    """Return `settings` as a configuration file."""
    lines = (f"{name} = '{_quote(value)}'\n" for name, value in sorted(settings.items()))
    return _HEADER + "".join(lines)


def _quote(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "''")


def _shared_buffers_mb() -> int:
    if sys.platform == "win32":
        return 128
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return min(max(memory // 16 // _MEGABYTE, 128), 256)
