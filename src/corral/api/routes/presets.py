"""The recipes that come with Corral, to be stored as workflows by whoever wants them."""

from functools import cache
from typing import Final

from litestar import get

from corral.wire.presets import Preset, PresetList
from corral.workflow import installed_actions, parse_recipe, preset_texts


@get("/api/presets", sync_to_thread=False)
def list_presets() -> PresetList:
    """Recipes that come with Corral: store the text of one as a workflow, and run it."""
    return _read_presets()


@cache
def _read_presets() -> PresetList:
    presets = []
    for name, text in preset_texts().items():
        recipe = parse_recipe(text.encode(), installed_actions())
        presets.append(
            Preset(
                name=name,
                title=recipe.title or name,
                description=recipe.description,
                params=recipe.params,
                steps=len(recipe.steps),
                text=text,
            )
        )
    return PresetList(presets=presets)


HANDLERS: Final = [list_presets]
