"""docs/ci.md is true: its YAML is YAML, and what build machines execute of it does what it says, on simulated phones."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import pytest_asyncio
import yaml

from corral.simulator.apk import make_apk
from tests.cli.conftest import Cli
from tests.cli.farms import farming

TEXT = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
FILES = {found[1]: found[2] for found in re.finditer(r"```yaml\n# (\S+)\n(.*?)```", TEXT, re.DOTALL)}
BUILT = {
    "app/build/outputs/apk/debug/app-debug.apk": "com.example.app",
    "app/build/outputs/apk/androidTest/debug/app-debug-androidTest.apk": "com.example.app.test",
}
SCENARIO = """
name: ci
description: Tests that pass, and tests of which one does not.
suites:
  - package: dev.corral.good.test
    tests: [{class: dev.corral.GoodTest, count: 12, duration_s: 0.05}]
  - package: dev.corral.bad.test
    tests:
      - {class: dev.corral.BadTest, count: 5, duration_s: 0.05}
      - {class: dev.corral.BadTest, names: [neverWorks], outcome: fail, duration_s: 0.05}
"""


@dataclass(frozen=True)
class Outcome:
    """How a build went: the status of what failed it, and all that was printed."""

    status: int
    said: str


class Builder:
    """A build machine: it executes what a file of docs/ci.md says, in a checkout."""

    def __init__(self, checkout: Path, url: str) -> None:
        self.checkout = checkout
        self._url = url

    async def github(self, **env: str) -> Outcome:
        job = yaml.safe_load(FILES[".github/workflows/phones.yml"])["jobs"]["phones"]
        expressions = {"vars.CORRAL_URL": self._url, "secrets.CORRAL_TOKEN": ""}
        expressions |= {"github.run_id": "77", "github.run_attempt": "1", "github.sha": "c0ffee"}
        given = {name: _fill(value, expressions) for name, value in job["env"].items()} | env
        status, said = 0, ""
        for step in job["steps"]:
            wanted = {None: status == 0, "failure()": status != 0, "always()": True, "cancelled()": False}
            if wanted[step.get("if")] and "corral " in step.get("run", "").replace("pip install corral", ""):
                told = await self._shell(step["run"], given)
                status, said = status or told.status, said + told.said
        return Outcome(status, said)

    async def gitlab(self, **env: str) -> Outcome:
        job = yaml.safe_load(FILES[".gitlab-ci.yml"])["phones"]
        variables = {"$CI_JOB_ID": "78", "$CI_COMMIT_SHA": "decade"}
        given = {"CORRAL_URL": self._url}
        for name, value in job["variables"].items():
            given[name] = re.sub(r"\$CI_\w+", lambda found: variables[found[0]], value)
        script = await self._shell("\n".join(job["script"]), given | env)
        after = {"CI_JOB_STATUS": "success" if script.status == 0 else "failed"}
        told = await self._shell("\n".join(job["after_script"]), given | env | after)
        return Outcome(script.status, script.said + told.said)

    async def _shell(self, script: str, env: dict[str, str]) -> Outcome:
        corral = f'corral() {{ "{sys.executable}" -m corral.cli "$@"; }}\n'
        shell = await asyncio.create_subprocess_exec(
            *("bash", "-euo", "pipefail", "-c", corral + script),
            env={**os.environ, **env},
            cwd=self.checkout,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        said = (await shell.communicate())[0].decode()
        return Outcome(shell.returncode or 0, said)


def _fill(value: str, expressions: dict[str, str]) -> str:
    return re.sub(r"\$\{\{ ([\w.]+) \}\}", lambda found: expressions[found[1]], value)


def results(checkout: Path) -> list[Any]:
    return ET.parse(checkout / "results.xml").getroot().findall(".//testcase")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for path, package in BUILT.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(make_apk(package))
    (tmp_path / ".corral").mkdir()
    (tmp_path / ".corral" / "app-tests.yaml").write_text(FILES[".corral/app-tests.yaml"])
    return tmp_path


@pytest_asyncio.fixture
async def builder(checkout: Path) -> AsyncIterator[Builder]:
    (checkout / "ci.yaml").write_text(SCENARIO)
    flags = ("--simulate", 2, "--scenario", "ci.yaml", "--no-node", "--ephemeral", "--port", 0)
    async with farming(checkout, "up", *flags) as farm:
        url = (await farm.until(r"(http://127\.0\.0\.1:\d+)"))[1]
        await farm.until(r"devices: ✓ 2 online")
        yield Builder(checkout, url)
        await farm.interrupt()


async def test_the_recipe_is_one(checkout: Path) -> None:
    assert set(FILES) == {".corral/app-tests.yaml", ".github/workflows/phones.yml", ".gitlab-ci.yml"}

    await Cli(checkout)("workflow", "validate", ".corral/app-tests.yaml")


async def test_a_build_whose_tests_pass_is_green_and_one_of_whose_tests_fail_says_which(builder: Builder) -> None:
    told = await builder.github(PHONES="any:2", TEST_PACKAGE="dev.corral.good.test")

    assert told.status == 0, told.said
    assert len(results(builder.checkout)) == 12

    told = await builder.gitlab(PHONES="any:2", TEST_PACKAGE="dev.corral.bad.test")

    assert told.status == 1, told.said
    assert "neverWorks" in told.said
    failed = [case.get("name") for case in results(builder.checkout) if case.find("failure") is not None]
    assert failed == ["neverWorks"]


async def test_a_build_that_reaches_nobody_fails_with_a_status_of_its_own(checkout: Path) -> None:
    told = await Builder(checkout, "http://127.0.0.1:9").github()

    assert told.status == 3, told.said
    assert not (checkout / "results.xml").exists()
