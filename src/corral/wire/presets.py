"""The recipes that come with Corral."""

from msgspec import Struct

from corral.workflow import ParamSpec


class Preset(Struct, frozen=True, kw_only=True):
    """A recipe that comes with Corral; `text` is its YAML, which POST /api/workflows takes as it is."""

    name: str
    title: str
    description: str
    params: dict[str, ParamSpec]
    steps: int
    text: str


class PresetList(Struct, frozen=True, kw_only=True):
    """All presets, by name."""

    presets: list[Preset]
