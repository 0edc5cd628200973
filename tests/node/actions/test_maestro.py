"""Maestro as a step, with a program in its place that takes the same command line and leaves the same report."""

from __future__ import annotations

import os
import stat
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from corral.model.errors import ActionFailedError, DeviceOfflineError, FailedTestsError, NotSupportedError
from corral.node.actions.maestro import find_maestro
from corral.node.actions.registry import node_actions
from corral.node.capabilities import list_capabilities
from corral.node.config import NodeConfig
from corral.node.fenced_phone import FencedPhone
from tests.node.actions.scripted_phone import Answer, ScriptedBench, ScriptedPhone

# A flow is a test; one whose text says so fails. What is given by the environment is printed, as a flow would see it.
STAND_IN = """\
import argparse, os, pathlib, sys
parser = argparse.ArgumentParser(prog="maestro")
parser.add_argument("--device", required=True)
commands = parser.add_subparsers(required=True)
test = commands.add_parser("test")
test.add_argument("--format", choices=["junit"], required=True)
test.add_argument("--output", required=True)
test.add_argument("--include-tags")
test.add_argument("--exclude-tags")
test.add_argument("flow")
args = parser.parse_args()
flow = pathlib.Path(args.flow)
flows = sorted(flow.glob("*.yaml")) if flow.is_dir() else [flow]
print("device", args.device, os.environ["ANDROID_SERIAL"], os.environ["ANDROID_ADB_SERVER_PORT"])
print("given", os.environ.get("MAESTRO_USER"), args.include_tags, args.exclude_tags)
if any("breaks" in each.read_text() for each in flows):
    sys.exit("no driver came up")
cases = "".join(
    f"<testcase id='{each.stem}' name='{each.stem}' classname='{each.stem}' time='1.0'>"
    + ("<failure>Assertion is false</failure>" if "fails" in each.read_text() else "") + "</testcase>" for each in flows)
suite = f"<testsuites><testsuite name='Test Suite'>{cases}</testsuite></testsuites>"
pathlib.Path(args.output).write_text(f"<?xml version='1.0' encoding='UTF-8'?>{suite}")
sys.exit("failure" in cases)
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH and a home in which nobody has installed anything."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return folder


@pytest.fixture
def maestro(path: Path) -> Path:
    """A node that has the program."""
    program = path / "maestro"
    program.write_text(f"#!{sys.executable}\n{STAND_IN}")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


class Stand:
    """A bench with these flows."""

    def __init__(self, folder: Path, flows: dict[str, str], answer: Answer = "") -> None:
        scratch = folder / "scratch"
        scratch.mkdir()
        self.bench = ScriptedBench(scratch, ScriptedPhone({":": answer}))
        for name, text in flows.items():
            (folder / name).write_text(text)
            self.bench.inputs[name] = folder / name
        with zipfile.ZipFile(folder / "flows.zip", "w") as packed:
            for name in flows:
                packed.write(folder / name, f"flows/{name}")
        self.bench.inputs["flows.zip"] = folder / "flows.zip"

    async def perform(self, **with_: Any) -> dict[str, Any]:  # noqa: ANN401 - as recipes have it
        return await node_actions()["test.maestro"].perform(self.bench, with_)

    @property
    def told(self) -> list[tuple[str, str]]:
        return [(each.name, each.status.value) for each in self.bench.results]

    @property
    def logged(self) -> list[str]:
        return [message for _, message in self.bench.lines]


async def test_a_flow_is_a_test(maestro: Path, tmp_path: Path) -> None:
    stand = Stand(tmp_path, {"login.yaml": "appId: x"})

    output = await stand.perform(flows="login.yaml", env={"MAESTRO_USER": "kim"}, include_tags=["smoke", "fast"])

    assert (output["total"], output["passed"]) == (1, 1)
    assert stand.told == [("login", "passed")]
    assert stand.logged == ["device scripted:1 scripted:1 5037", "given kim smoke,fast None"]


async def test_a_folder_of_flows_comes_as_a_zip(maestro: Path, tmp_path: Path) -> None:
    stand = Stand(tmp_path, {"a.yaml": "appId: x", "b.yaml": "appId: x"})

    await stand.perform(flows="flows.zip", path="flows")

    assert stand.told == [("a", "passed"), ("b", "passed")]


async def test_a_flow_that_fails_fails_the_step_as_a_test(maestro: Path, tmp_path: Path) -> None:
    stand = Stand(tmp_path, {"a.yaml": "appId: x", "b.yaml": "fails"})

    with pytest.raises(FailedTestsError, match="1 of 2 tests failed: b#b"):
        await stand.perform(flows="flows.zip", path="flows")

    assert stand.told == [("a", "passed"), ("b", "failed")]
    assert [(kind, name) for _, kind, name in stand.bench.stored] == [("file", "maestro.xml")]


async def test_a_flow_that_fails_on_a_phone_that_went_away_says_nothing(maestro: Path, tmp_path: Path) -> None:
    gone = DeviceOfflineError("gone", is_started=False)
    stand = Stand(tmp_path, {"b.yaml": "fails"}, answer=gone)

    with pytest.raises(DeviceOfflineError):
        await stand.perform(flows="b.yaml")

    assert stand.told == []


@pytest.mark.parametrize(
    ("with_", "words"),
    [
        ({"flows": "broken.yaml"}, "maestro left no report, and ended with 1: no driver came up"),
        ({"flows": "flows.zip", "path": "elsewhere"}, r"flows\.zip holds no elsewhere"),
        ({"flows": "flows.zip", "path": "x/../../.."}, r"flows\.zip holds no x"),
        ({"flows": "broken.yaml", "env": {"USER": "kim"}}, "if they begin with MAESTRO_: USER does not"),
    ],
)
async def test_what_is_wrong_is_said_in_words(maestro: Path, tmp_path: Path, with_: dict[str, Any], words: str) -> None:
    stand = Stand(tmp_path, {"broken.yaml": "breaks"})

    with pytest.raises(ActionFailedError, match=words):
        await stand.perform(**with_)


async def test_a_node_without_maestro_says_so_and_does_not_offer_it(path: Path, tmp_path: Path) -> None:
    stand = Stand(tmp_path, {"a.yaml": "appId: x"})

    with pytest.raises(ActionFailedError, match="this node has no maestro"):
        await stand.perform(flows="a.yaml")
    assert not {"maestro", "test.maestro"} & set(list_capabilities(NodeConfig(), node_actions()))


async def test_a_node_with_maestro_offers_it(maestro: Path) -> None:
    assert find_maestro() == maestro
    assert {"maestro", "test.maestro"} <= set(list_capabilities(NodeConfig(), node_actions()))


async def test_maestro_is_found_where_its_installer_puts_it(path: Path, tmp_path: Path) -> None:
    program = tmp_path / "home" / ".maestro" / "bin" / "maestro"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)

    assert find_maestro() == program


def test_a_phone_on_no_adb_server_says_so() -> None:
    phone = FencedPhone(ScriptedPhone, lambda: True)

    with pytest.raises(NotSupportedError, match="scripted:1 is on no adb server"):
        _ = phone.adb_port
    with pytest.raises(NotSupportedError, match="scripted:1 has no adb"):
        phone.reach()
