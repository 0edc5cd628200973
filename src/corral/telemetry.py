"""Structured logs: `[run_id=… node_id=… device_serial=…] message`, or JSON, one line each, never a secret.

`bound` says what the lines of a block are about, `bind` fills in what the block found out; `logger` writes them.
"""

import logging
import re
import sys
from collections.abc import Iterable
from typing import IO, Any, Final

import structlog
from structlog.contextvars import bind_contextvars, bound_contextvars
from structlog.types import EventDict, Processor, WrappedLogger

CONTEXT: Final = ("request_id", "actor", "run_id", "node_id", "device_serial")
_MASK: Final = "***"
_SECRET_NAMES: Final = re.compile(r"secret|token|password|authorization|api_key|dsn|database_url", re.IGNORECASE)
_TOKEN: Final = re.compile(r"\bcrl[nos]_[A-Za-z0-9_-]+")
_PASSWORD_IN_URL: Final = re.compile(r"(\w+://[^:/@\s]*:)[^@/\s]+@")

bound = bound_contextvars
bind = bind_contextvars


def logger(name: str) -> Any:  # noqa: ANN401 - structlog's own loggers are untyped
    """A logger whose lines carry what is bound."""
    return structlog.stdlib.get_logger(name)


def configure_logs(
    *,
    log_format: str = "text",
    level: str = "info",
    secrets: Iterable[str] = (),
    stream: IO[str] | None = None,
) -> None:
    """Send every log line of this process, libraries' too, to `stream` (stderr by default), in one form."""
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        Redaction(secrets),
    ]
    renderer = structlog.processors.JSONRenderer() if log_format == "json" else render_line
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())


class Redaction:
    """Masks values named like secrets; the secrets given, tokens of Corral's own and passwords in URLs, wherever they are."""

    def __init__(self, secrets: Iterable[str]) -> None:
        self._secrets = sorted((secret for secret in secrets if secret), key=len, reverse=True)

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        return {
            key: _MASK if _SECRET_NAMES.search(key) and value else self._clean(value) for key, value in event.items()
        }

    def _clean(self, value: Any) -> Any:  # noqa: ANN401 - whatever is logged
        if not isinstance(value, str):
            return value
        for secret in self._secrets:
            value = value.replace(secret, _MASK)
        return _PASSWORD_IN_URL.sub(rf"\1{_MASK}@", _TOKEN.sub(_MASK, value))


def render_line(_logger: WrappedLogger, _method: str, event: EventDict) -> str:
    """`time level [run_id=… node_id=… device_serial=…] message key=value`, and the trace below it, if any."""
    at, level = event.pop("timestamp", ""), event.pop("level", "info")
    message, trace = event.pop("event", ""), event.pop("exception", None)
    event.pop("logger", None)
    context = " ".join(f"{name}={event.pop(name)}" for name in CONTEXT if event.get(name) is not None)
    rest = "".join(f" {key}={value}" for key, value in event.items())
    line = f"{at} {level:<7} {f'[{context}] ' if context else ''}{message}{rest}".replace("\n", "\\n")
    return f"{line}\n{trace}" if trace else line
