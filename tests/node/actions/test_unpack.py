"""Zips that somebody uploaded."""

from __future__ import annotations

import stat
import zipfile
from pathlib import Path

import pytest

from corral.model.errors import ActionFailedError
from corral.node.actions import unpack as module
from corral.node.actions.unpack import unpack


def make(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(name, content)
    return path


def test_files_and_folders_come_out_as_they_went_in(tmp_path: Path) -> None:
    source = tmp_path / "a.zip"
    with zipfile.ZipFile(source, "w") as packed:
        packed.mkdir("empty")
        packed.writestr("a/b/c.txt", "deep")
        run = zipfile.ZipInfo("run.sh")
        run.external_attr = (stat.S_IFREG | 0o755) << 16
        packed.writestr(run, "#!/bin/sh")

    unpack(source, tmp_path / "out", name="a.zip")

    assert (tmp_path / "out/a/b/c.txt").read_text() == "deep"
    assert (tmp_path / "out/run.sh").stat().st_mode & stat.S_IXUSR


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "..\\out.txt", "."])
def test_nothing_leaves_its_folder(tmp_path: Path, name: str) -> None:
    source = make(tmp_path / "a.zip", **{name: b"x"})

    with pytest.raises(ActionFailedError, match="leads out of its folder"):
        unpack(source, tmp_path / "out", name="a.zip")

    assert not list(tmp_path.rglob("out.txt"))


def test_links_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "a.zip"
    with zipfile.ZipFile(source, "w") as packed:
        link = zipfile.ZipInfo("link")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        packed.writestr(link, "/etc/passwd")

    with pytest.raises(ActionFailedError, match="'link', which is no plain file"):
        unpack(source, tmp_path / "out", name="a.zip")


def test_what_unpacks_to_too_much_is_refused_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 3 << 20)
    source = make(tmp_path / "a.zip", one=bytes(2 << 20), two=bytes(2 << 20))

    with pytest.raises(ActionFailedError, match="unpacks to more than"):
        unpack(source, tmp_path / "out", name="a.zip")


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 1)

    with pytest.raises(ActionFailedError, match="more than 1 files"):
        unpack(make(tmp_path / "a.zip", one=b"", two=b""), tmp_path / "out", name="a.zip")
