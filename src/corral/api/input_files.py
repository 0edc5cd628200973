"""Whether the input files that a recipe names are there."""

from corral.api.server import Server
from corral.workflow import Recipe


async def check_input_files(server: Server, recipe: Recipe) -> None:
    """Raise RecipeInvalidError (code files_missing) with the path of each file that a step names and nobody uploaded."""
    await server.engine.files.check_input_files(recipe)
