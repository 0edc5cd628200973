"""Whether the input files that a recipe names are there."""

from corral.api.server import Server
from corral.model.errors import Problem, RecipeInvalidError
from corral.workflow import Recipe, installed_actions, list_input_files


async def check_input_files(server: Server, recipe: Recipe) -> None:
    """Raise RecipeInvalidError (code files_missing) with the path of each file that a step names and nobody uploaded."""
    named = list_input_files(recipe, installed_actions())
    if not named:
        return
    missing = set(await server.engine.files.list_missing(sorted({ref for _, ref in named})))
    problems = [Problem(path, f"there is no input file '{ref:.80}'") for path, ref in named if ref in missing]
    if problems:
        raise RecipeInvalidError(problems, code="files_missing")
