"""Shapes that records share."""

from typing import Any

Json = dict[str, Any]
