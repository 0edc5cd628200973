"""What people write on the command line: ids, pairs, tags, files."""

from pathlib import Path
from uuid import UUID

import pytest

from corral.cli.artifacts import place
from corral.cli.device import change_tags
from corral.cli.frame import find_line, show
from corral.cli.pairs import read_params, read_policy, read_secrets, read_timeouts
from corral.cli.refs import choose
from corral.cli.run import is_file
from corral.model.errors import InvalidRequestError, NotFoundError, Problem
from corral.model.records import Artifact
from corral.workflow import ParamSpec, find_problems
from tests.unit.cli.artifact import make_artifact

ONE, TWO = UUID("0199f3c8-8a7b-7000-8000-000000000001"), UUID("0199f3c8-8a7c-7000-8000-000000000001")
RECIPE = """\
name: smoke
params:
  package: {type: string, default: com.android.settings}
steps:
  - id: open
    uses: app.strat
    with: {package: "{{ params.package }}"}
  - {id: look, uses: device.screenshot, probability: 3}
"""


def test_the_beginning_of_an_id_is_enough_if_it_is_one_runs_alone() -> None:
    assert choose("0199f3c8-8a7c", [ONE, TWO]) == TWO
    with pytest.raises(InvalidRequestError, match=r"2 runs begin with 0199f3c8: .*; give more of it"):
        choose("0199f3c8", [ONE, TWO])
    with pytest.raises(NotFoundError, match="no run begins with 0200"):
        choose("0200", [ONE, TWO])


def test_params_are_read_as_the_recipe_says(tmp_path: Path) -> None:
    specs = {"count": ParamSpec(type="int"), "is_fast": ParamSpec(type="boolean"), "name": ParamSpec(type="string")}
    file = tmp_path / "params.yaml"
    file.write_text("count: 1\nname: file\n", encoding="utf-8")

    params = read_params(["count=3", "is_fast=true", "other=7"], specs=specs, file=file)

    assert params == {"count": 3, "is_fast": True, "name": "file", "other": "7"}
    with pytest.raises(InvalidRequestError, match="write --param name=value"):
        read_params(["count"], specs=specs, file=None)
    file.write_text("- 1", encoding="utf-8")
    with pytest.raises(InvalidRequestError, match="must hold names and values"):
        read_params([], specs=specs, file=file)
    with pytest.raises(InvalidRequestError, match="cannot read"):
        read_params([], specs=specs, file=tmp_path / "none.yaml")


def test_a_secret_is_read_from_where_nobody_sees_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_PASSWORD", "from the environment")
    file = tmp_path / "secret"
    file.write_text("from a file\n", encoding="utf-8")

    assert read_secrets(["one=env:LAB_PASSWORD", f"two=file:{file}"]) == {
        "one": "from the environment",
        "two": "from a file",
    }
    with pytest.raises(InvalidRequestError, match="NO_SUCH_VARIABLE is not set"):
        read_secrets(["one=env:NO_SUCH_VARIABLE"])


def test_a_secret_on_the_command_line_is_refused_and_not_repeated() -> None:
    with pytest.raises(InvalidRequestError) as caught:
        read_secrets(["password=hunter2"])

    assert "hunter2" not in caught.value.message


def test_timeouts_and_policies_are_numbers() -> None:
    assert read_timeouts(["open=60", "look=1.5"]) == {"open": {"timeout_s": 60}, "look": {"timeout_s": 1.5}}
    policy = read_policy(["max_attempts=2", "offline=wait"], concurrency=3, priority=None)
    assert policy == {"max_attempts": 2, "offline": "wait", "concurrency": 3}
    with pytest.raises(InvalidRequestError, match="the timeout of open must be a number, not 'long'"):
        read_timeouts(["open=long"])


def test_tags_are_added_taken_off_or_set() -> None:
    assert change_tags(["a", "b"], ["+c"]) == ["a", "b", "c"]
    assert change_tags(["a", "b"], ["-a", "+c"]) == ["b", "c"]
    assert change_tags(["a", "b"], ["~a", "+c"]) == ["b", "c"]
    assert change_tags(["a", "b"], ["x", "y"]) == ["x", "y"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [("smoke", False), ("smoke@3", False), ("./smoke", True), ("smoke.yaml", True), ("a/b.json", True)],
)
def test_a_recipe_file_has_a_directory_or_an_ending(word: str, *, expected: bool) -> None:
    assert is_file(word) is expected


def test_problems_are_shown_at_their_lines() -> None:
    problems = {problem.path: problem for problem in find_problems(RECIPE)}

    assert find_line(RECIPE, problems["steps[0].uses"]) == 6
    assert find_line(RECIPE, problems["steps[1].probability"]) == 8
    assert find_line(RECIPE, Problem("steps[0].nothing.here", "?")) == 5
    assert find_line(RECIPE, Problem('params["package"]', "?")) == 3
    assert find_line("a: [", Problem("", "line 1, column 5: no")) == 1
    assert find_line(RECIPE, Problem("", "empty")) is None
    assert (
        show("smoke.yaml", RECIPE, problems["steps[0].uses"])
        .plain.splitlines()[0]
        .startswith("smoke.yaml:6: steps[0].uses: unknown action 'app.strat'")
    )


@pytest.mark.parametrize(
    ("artifact", "expected"),
    [
        (make_artifact(key="_/n/R58M1/r/2026.png", serial="R58M1", index_no=7), "out/0007-R58M1/2026.png"),
        (make_artifact(key="_/n/x/r/..", serial="../../etc", index_no=1), "out/0001-_.._etc/"),
        (make_artifact(key="log", serial=None, index_no=None), "out/run/log"),
    ],
)
def test_an_artifact_stays_in_its_directory(artifact: Artifact, expected: str) -> None:
    path = place(Path("out"), artifact)

    assert str(path).startswith(expected)
    assert ".." not in path.parts
