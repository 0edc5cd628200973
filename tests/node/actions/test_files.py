"""Files between the server, the node and the device; and nothing outside the job's directory."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from corral.model.errors import ActionFailedError
from corral.node.actions.scratch import fit_name
from tests.node.actions.conftest import Workshop

CONTENT = b"content"
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.mark.parametrize(("path", "there"), [("/sdcard/a.mp4", "/sdcard/a.mp4"), ("/sdcard/", "/sdcard/clip.mp4")])
async def test_an_uploaded_file_is_copied_to_the_device(
    workshop: Workshop, tmp_path: Path, path: str, there: str
) -> None:
    cached = tmp_path / "0123abcd"
    cached.write_bytes(CONTENT)
    workshop.bench.inputs["clip.mp4"] = cached

    output = await workshop.perform("file.push", file="clip.mp4", path=path)

    assert output == {"sha256": SHA256, "size_bytes": 7}
    assert workshop.phone.pushed == {there: CONTENT}


async def test_a_file_of_the_device_is_kept_and_stored(workshop: Workshop) -> None:
    workshop.phone.files["/sdcard/log:1.txt"] = CONTENT

    await workshop.perform("file.pull", path="/sdcard/log:1.txt")
    output = await workshop.perform("file.pull", path="/sdcard/log:1.txt")  # a repeated step

    assert output == {"path": "look/log_1.txt", "sha256": SHA256, "size_bytes": 7}
    assert [(path.name, kind, name) for path, kind, name in workshop.bench.stored] == [
        ("log_1.txt", "file", "log_1.txt")
    ] * 2


async def test_a_pulled_file_can_be_stored_later(workshop: Workshop) -> None:
    workshop.phone.files["/sdcard/a"] = CONTENT

    pulled = await workshop.perform("file.pull", path="/sdcard/a", name="b.log", upload=False)
    assert workshop.bench.stored == []
    stored = await workshop.perform("artifact.upload", path=pulled["path"], kind="log", name="c.log")

    assert stored == {"sha256": SHA256, "size_bytes": 7}
    assert workshop.bench.stored == [(workshop.bench.scratch.resolve() / "look" / "b.log", "log", "c.log")]


@pytest.mark.parametrize("name", ["..", ".", "...", " "])
async def test_a_name_that_is_a_place_becomes_a_plain_one(workshop: Workshop, name: str) -> None:
    workshop.phone.files["/a"] = CONTENT

    output = await workshop.perform("file.pull", path="/a", name=name)

    assert output["path"] == "look/_"


async def test_nothing_outside_the_jobs_directory_is_stored(workshop: Workshop, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    folder = workshop.bench.scratch
    (folder / "link").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path, target_is_directory=True)
    (folder / "loop").symlink_to(folder / "loop")
    (folder / "folder").mkdir()

    for path in (str(secret), "../secret", "link", "up/secret", "folder/../../secret"):
        with pytest.raises(ActionFailedError, match="outside the job's directory"):
            await workshop.perform("artifact.upload", path=path)
    for path in ("missing", "folder", "loop", "a\0b", ".", "x" * 900):
        with pytest.raises(ActionFailedError, match="has no file"):
            await workshop.perform("artifact.upload", path=path)
    assert workshop.bench.stored == []


async def test_links_within_the_jobs_directory_are_followed(workshop: Workshop) -> None:
    (workshop.bench.scratch / "a").write_bytes(CONTENT)
    (workshop.bench.scratch / "b").symlink_to("a")

    assert await workshop.perform("artifact.upload", path="b") == {"sha256": SHA256, "size_bytes": 7}


async def test_a_steps_own_folder_is_never_a_link_to_elsewhere(workshop: Workshop, tmp_path: Path) -> None:
    (workshop.bench.scratch / "look").symlink_to(tmp_path, target_is_directory=True)

    await workshop.perform("device.screenshot")

    assert not (tmp_path / "look.png").exists()


def test_names_are_made_fit_for_every_system() -> None:
    assert fit_name('a<b>:"c"/d\\e|f?g*\x00.') == "a_b___c__d_e_f_g__"
    assert len(fit_name("x" * 500)) == 200
