"""Commands and playbooks: storing, changing, compiling."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from corral.model.errors import ConflictError, NotFoundError, RecipeInvalidError
from corral.model.records import Command
from corral.workflow import parse_recipe
from tests.engine.farm import Farm

OPEN = {
    "name": "open-app",
    "title": "Open the app",
    "uses": "app.start",
    "with": {"package": "{{ params.package }}"},
    "params": {"package": {"type": "string", "default": "com.example"}},
    "timeout_s": 30.5,
    "timeout_bounds_s": [5, 60],
    "on_failure": "retry",
    "retries": 2,
    "repeatable": True,
}
LOOK = {"name": "look", "uses": "device.screenshot"}
STEPS = [
    {"command": "open-app", "id": "start", "probability": 0.5, "timeout_s": 10, "params": {"package": "com.a"}},
    {"command": "look", "on_failure": "continue"},
]
BOOK = {"name": "tour", "title": "A tour", "timeout_s": 900, "defaults": {"timeout_s": 45}, "steps": STEPS}


async def given_commands(farm: Farm) -> tuple[Command, Command]:
    return await farm.engine.commands.create_command(OPEN), await farm.engine.commands.create_command(LOOK, tags=["ui"])


async def audited(farm: Farm) -> list[str]:
    """What ann did, by time; of what she did in one transaction, by name."""
    rows = await farm.engine.database.fetch("select action from corral.audit where actor = 'ann' order by at, action")
    return [row["action"] for row in rows]


async def test_a_command_is_kept_as_it_was_given(farm: Farm) -> None:
    command = await farm.engine.commands.create_command(OPEN, tags=["app"], actor="ann")

    assert (command.name, command.title, command.uses) == ("open-app", "Open the app", "app.start")
    assert (command.with_params, command.timeout_s, command.timeout_bounds_s) == (OPEN["with"], 30.5, [5, 60])
    assert (command.on_failure, command.retries, command.repeatable) == ("retry", 2, True)
    assert command.params["package"]["default"] == "com.example"
    assert (command.tags, command.revision, command.used_by) == (["app"], 1, [])
    assert await farm.engine.commands.get(command.command_id) == command
    assert await audited(farm) == ["command.create"]


@pytest.mark.parametrize(
    ("change", "path"),
    [({"uses": "app.fly"}, "uses"), ({"color": "red"}, "color"), ({"timeout_s": 100}, "timeout_s")],
)
async def test_a_command_that_makes_no_sense_is_refused_by_its_path(farm: Farm, change: Any, path: str) -> None:  # noqa: ANN401
    with pytest.raises(RecipeInvalidError) as refused:
        await farm.engine.commands.create_command({**OPEN, **change})

    assert (refused.value.code, refused.value.path) == ("command_invalid", path)
    assert await farm.engine.commands.list() == []


async def test_a_name_is_given_to_one_command_only(farm: Farm) -> None:
    _, look = await given_commands(farm)

    with pytest.raises(ConflictError, match="already a command look"):
        await farm.engine.commands.create_command(LOOK)
    with pytest.raises(ConflictError, match="already a command open-app"):
        await farm.engine.commands.update_command(look.command_id, {**LOOK, "name": "open-app"})


async def test_commands_are_listed_by_name_a_page_at_a_time(farm: Farm) -> None:
    opening, look = await given_commands(farm)

    assert await farm.engine.commands.list() == [look, opening]
    assert await farm.engine.commands.list(limit=1) == [look]
    assert await farm.engine.commands.list(after="look") == [opening]
    assert await farm.engine.commands.list(tag="ui") == [look]


async def test_a_changed_command_counts_its_revisions_and_keeps_its_tags(farm: Farm) -> None:
    _, look = await given_commands(farm)

    changed = await farm.engine.commands.update_command(
        look.command_id, {**LOOK, "name": "peek", "timeout_s": 5}, actor="ann"
    )

    assert (changed.name, changed.timeout_s, changed.revision, changed.tags) == ("peek", 5, 2, ["ui"])
    assert await audited(farm) == ["command.update"]


async def test_a_command_that_a_playbook_uses_cannot_be_deleted(farm: Farm) -> None:
    opening, look = await given_commands(farm)
    playbook = await farm.engine.playbooks.save_playbook(BOOK)

    with pytest.raises(ConflictError, match="command look is used by tour"):
        await farm.engine.commands.delete_command(look.command_id)
    assert (await farm.engine.commands.get(opening.command_id)).used_by == ["tour"]

    await farm.engine.playbooks.delete_playbook(playbook.playbook_id, actor="ann")
    await farm.engine.commands.delete_command(look.command_id, actor="ann")
    assert [command.name for command in await farm.engine.commands.list()] == ["open-app"]
    assert await audited(farm) == ["playbook.delete", "command.delete"]


async def test_saving_a_playbook_makes_a_workflow_version(farm: Farm) -> None:
    await given_commands(farm)

    playbook = await farm.engine.playbooks.save_playbook(BOOK, actor="ann")

    assert (playbook.name, playbook.title, playbook.timeout_s, playbook.workflow_version) == ("tour", "A tour", 900, 1)
    assert [step["command"] for step in playbook.steps] == ["open-app", "look"]
    assert (playbook.steps[0]["id"], playbook.steps[0]["probability"]) == ("start", 0.5)
    assert (playbook.steps[1]["on_failure"], playbook.is_outdated) == ("continue", False)
    workflow = await farm.engine.workflows.get(playbook.workflow_id)
    recipe = parse_recipe(workflow.recipe)
    assert (workflow.name, workflow.mode, recipe.defaults.timeout_s) == ("tour", "device", 45)
    assert [(step.id, step.timeout_s) for step in recipe.steps] == [("start", 10), ("look", None)]
    assert recipe.steps[0].with_ == {"package": "com.a"}
    assert await audited(farm) == ["playbook.save", "workflow.create"]


async def test_what_a_playbook_says_of_itself_can_be_saved_again(farm: Farm) -> None:
    await given_commands(farm)
    saved = await farm.engine.playbooks.save_playbook(BOOK)

    steps = [{key: value for key, value in step.items() if key != "command_id"} for step in saved.steps]
    again = await farm.engine.playbooks.save_playbook({**BOOK, "steps": steps})

    assert (again.playbook_id, again.workflow_id, again.steps) == (saved.playbook_id, saved.workflow_id, saved.steps)


async def test_a_changed_command_outdates_its_playbooks_until_they_are_saved(farm: Farm) -> None:
    _, look = await given_commands(farm)
    first = await farm.engine.playbooks.save_playbook(BOOK)

    await farm.engine.commands.update_command(look.command_id, {**LOOK, "timeout_s": 7})
    outdated = await farm.engine.playbooks.get(first.playbook_id)
    second = await farm.engine.playbooks.save_playbook(BOOK)

    assert (outdated.is_outdated, outdated.workflow_version) == (True, 1)
    assert (second.is_outdated, second.workflow_version, second.playbook_id) == (False, 2, first.playbook_id)
    assert (await farm.engine.workflows.get(first.workflow_id)).recipe["steps"][1].get("timeout_s") is None
    assert [book.workflow_version for book in await farm.engine.playbooks.list()] == [2]


async def test_a_playbook_that_makes_no_sense_is_refused_and_nothing_is_kept(farm: Farm) -> None:
    await given_commands(farm)

    with pytest.raises(RecipeInvalidError) as refused:
        await farm.engine.playbooks.save_playbook({**BOOK, "steps": [{"command": "lok"}]})

    assert (refused.value.code, refused.value.path) == ("playbook_invalid", "steps[0].command")
    assert (await farm.engine.playbooks.list(), await farm.engine.workflows.list()) == ([], [])


@pytest.mark.parametrize("source", ["]", [], {"name": "tour"}, {"name": "tour", "steps": [7]}])
async def test_what_is_no_playbook_is_refused(farm: Farm, source: object) -> None:
    with pytest.raises(RecipeInvalidError) as refused:
        await farm.engine.playbooks.save_playbook(source)

    assert refused.value.code == "playbook_invalid"


async def test_a_playbook_compiled_from_an_older_command_is_not_saved(farm: Farm) -> None:
    await given_commands(farm)

    with pytest.raises(ConflictError, match="look was changed meanwhile"):
        await farm.value(
            "select (corral.fn_save_playbook($1, $2, $3, null)).name",
            {"name": "tour", "steps": [{"command": "look"}]},
            {"name": "tour", "steps": []},
            {"look": 9},
        )

    assert await farm.engine.playbooks.list() == []


async def test_many_saves_at_once_make_one_playbook(farm: Farm) -> None:
    await given_commands(farm)

    saved = await asyncio.gather(*(farm.engine.playbooks.save_playbook(BOOK) for _ in range(6)))

    assert len({book.playbook_id for book in saved}) == 1
    assert len((await farm.engine.playbooks.list())[0].steps) == 2


@pytest.mark.parametrize("verb", ["get", "delete_command", "delete_playbook", "update_command"])
async def test_what_does_not_exist_is_not_found(farm: Farm, verb: str) -> None:
    engine, nobody = farm.engine, uuid4()

    async def call(id_: UUID) -> None:
        if verb == "update_command":
            await engine.commands.update_command(id_, LOOK)
        elif verb == "delete_playbook":
            await engine.playbooks.delete_playbook(id_)
        else:
            await getattr(engine.commands, verb)(id_)

    with pytest.raises(NotFoundError):
        await call(nobody)
