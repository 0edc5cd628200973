"""Start the runs that channels ask for on their new videos: exactly one a video. What cannot be run is refused, and says why."""

import msgspec

from corral.engine import Engine
from corral.model.contents import DueContentRun
from corral.model.errors import InvalidRequestError, NotFoundError, RecipeInvalidError
from corral.telemetry import logger
from corral.workflow import Recipe, plan_request

_log = logger(__name__)


async def start_content_runs(engine: Engine) -> None:
    for due in await engine.content_channels.list_due_content_runs():
        try:
            await _start(engine, due)
        except (InvalidRequestError, NotFoundError, RecipeInvalidError) as error:
            message = f"{error.path}: {error.message}" if error.path else error.message
            await engine.content_channels.refuse_content_run(due, message)
            _log.warning("no run on a new video", video=due.youtube_video_id, error=message)


async def _start(engine: Engine, due: DueContentRun) -> None:
    if not due.run:
        raise InvalidRequestError("its channel no longer says what to run on new videos")
    workflow = await engine.workflows.find(due.run["workflow"], version=due.run.get("version"))
    recipe = msgspec.convert(workflow.recipe, Recipe)
    request = plan_request(recipe, {**due.run, "name": (due.title or due.youtube_video_id)[:200]})
    await engine.files.check_input_files(recipe)
    if (run_id := await engine.content_channels.start_content_run(due, workflow.workflow_id, request)) is not None:
        _log.info("run started on a new video", video=due.youtube_video_id, run_id=str(run_id))
