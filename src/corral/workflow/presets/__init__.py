"""Recipes that come with Corral, as files beside this one. They are examples too: copy one and change it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def preset_texts() -> dict[str, str]:
    """The YAML of every preset, by name."""
    found = [each for each in files(__package__).iterdir() if each.name.endswith(".yaml")]
    return {each.name.removesuffix(".yaml"): each.read_text("utf-8") for each in sorted(found, key=lambda f: f.name)}
