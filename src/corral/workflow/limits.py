"""Every bound of the recipe language in one place; docs/recipes.md states them to users."""

from __future__ import annotations

from typing import Final

MAX_SOURCE_BYTES: Final = 256 * 1024
MAX_DEPTH: Final = 32
MAX_NODES: Final = 20_000
"""Values in one document, aliases counted as often as they are used."""

MAX_INT: Final = 2**53 - 1
"""The largest integer that PostgreSQL, Python and a browser all keep exactly."""

MAX_STEPS: Final = 1_000
MAX_PARAMS: Final = 100
MAX_RETRIES: Final = 20
MAX_FOR_EACH: Final = 1_000

MAX_EXPRESSION: Final = 2_000
"""Characters inside one pair of braces."""

MAX_RENDERED: Final = 256 * 1024
"""Characters that one template, or one filter, may yield."""

RENDER_FUEL: Final = 20_000
"""Instructions of the template engine per expression."""

TIMEOUT_LIMITS_S: Final = (1.0, 86_400.0)
"""No timeout or bound may leave these."""

DEFAULT_TIMEOUT_BOUNDS_S: Final = (1.0, 3_600.0)
"""What a step's timeout must lie in when the step states no bounds of its own."""

DEFAULT_TIMEOUT_S: Final = 90.0
DEFAULT_UPLOAD_TIMEOUT_S: Final = 30.0
DEFAULT_JOB_TIMEOUT_S: Final = 3_600.0

MIN_SECRET_LENGTH: Final = 4
"""A shorter secret could not be kept out of logs without erasing them."""
