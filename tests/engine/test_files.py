"""Input files: names, contents, and deletions that a crash or a race cannot turn into a name without contents."""

from datetime import timedelta

import pytest

from corral.model.errors import ConflictError, InvalidRequestError, NotFoundError
from corral.model.records import InputFile
from tests.engine.farm import Farm

ONE, TWO = "1" * 64, "2" * 64


async def save(farm: Farm, name: str, sha256: str) -> InputFile:
    file_id = await farm.engine.files.reserve_file(sha256, size_bytes=5, content_type="application/zip")
    return await farm.engine.files.save_file(name, sha256, file_id=file_id, actor="ada")


async def test_a_name_means_its_newest_contents_and_the_older_ones_stay(farm: Farm) -> None:
    await save(farm, "app.apk", ONE)
    await save(farm, "app.apk", TWO)
    await save(farm, "other.apk", ONE)

    assert (await farm.engine.files.find("app.apk")).sha256 == TWO
    assert (await farm.engine.files.find(ONE)).name == "other.apk"
    assert [(f.name, f.sha256, f.is_newest) for f in await farm.engine.files.list()] == [
        ("other.apk", ONE, True),
        ("app.apk", TWO, True),
        ("app.apk", ONE, False),
    ]
    again = await save(farm, "app.apk", ONE)
    assert (again.is_newest, again.created_by) == (True, "ada")
    assert (await farm.engine.files.find("app.apk")).sha256 == ONE
    assert await farm.value("select count(*) from corral.audit where action = 'file.save'") == 4


async def test_files_are_listed_newest_first_page_by_page(farm: Farm) -> None:
    for number in range(5):
        await save(farm, f"{number}.apk", ONE)

    first = await farm.engine.files.list(limit=3)
    second = await farm.engine.files.list(limit=3, after=first[-1].file_no)

    assert [file.name for file in (*first, *second)] == ["4.apk", "3.apk", "2.apk", "1.apk", "0.apk"]
    assert [file.name for file in await farm.engine.files.list(name="3.apk")] == ["3.apk"]


async def test_what_is_missing_is_said(farm: Farm) -> None:
    await save(farm, "app.apk", ONE)

    assert await farm.engine.files.list_missing(["app.apk", ONE, "none.apk", TWO]) == ["none.apk", TWO]
    with pytest.raises(NotFoundError):
        await farm.engine.files.find("none.apk")


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", "a\nb", "x" * 201])
async def test_a_name_is_one_part_of_a_path(farm: Farm, name: str) -> None:
    with pytest.raises(InvalidRequestError):
        await save(farm, name, ONE)


async def test_deleted_contents_are_found_by_nobody_and_may_come_again(farm: Farm) -> None:
    await save(farm, "app.apk", ONE)
    await save(farm, "same.apk", ONE)

    await farm.engine.files.delete_file(ONE)

    assert await farm.engine.files.list() == []
    with pytest.raises(ConflictError):  # until the object is gone
        await save(farm, "app.apk", ONE)
    await farm.engine.files.forget_file(ONE)
    await save(farm, "app.apk", ONE)
    with pytest.raises(NotFoundError):
        await farm.engine.files.delete_file(TWO)


async def test_who_reserved_contents_that_were_deleted_since_cannot_name_them(farm: Farm) -> None:
    await save(farm, "app.apk", ONE)
    stale = await farm.engine.files.reserve_file(ONE, size_bytes=5, content_type="application/zip")
    await farm.engine.files.delete_file(ONE)
    with pytest.raises(ConflictError):
        await farm.engine.files.save_file("late.apk", ONE, file_id=stale)
    await farm.engine.files.forget_file(ONE)
    await farm.engine.files.reserve_file(ONE, size_bytes=5, content_type="application/zip")  # by somebody else

    with pytest.raises(ConflictError, match="upload the file again"):
        await farm.engine.files.save_file("late.apk", ONE, file_id=stale)


async def test_unfinished_deletions_and_reservations_that_came_to_nothing_are_found_again(farm: Farm) -> None:
    await save(farm, "kept.apk", TWO)
    await save(farm, "gone.apk", ONE)
    await farm.engine.files.delete_file(ONE)
    three = "3" * 64
    await farm.engine.files.reserve_file(three, size_bytes=5, content_type="application/zip")

    assert await farm.engine.files.condemn_files() == []
    await farm.clock.advance(timedelta(minutes=11))
    assert await farm.engine.files.condemn_files() == [ONE]
    assert await farm.engine.files.condemn_files() == []  # another leader is at it
    await farm.clock.advance(timedelta(days=1))
    assert sorted(await farm.engine.files.condemn_files()) == [ONE, three]
    for sha256 in (ONE, three, TWO):
        await farm.engine.files.forget_file(sha256)

    assert await farm.value("select array_agg(sha256) from corral.files") == [TWO]
