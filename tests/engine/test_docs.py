"""The documents are under test: what they name exists, what they show runs, nothing that matters is missing."""

import asyncio
import re
import subprocess
import sys
from enum import StrEnum
from pathlib import Path

import pytest

from corral.engine import migrate
from corral.model import states
from corral.model.states import FailureReason, JobStatus, LeaseEnding, RunStatus, StepStatus
from tests.engine.programs import run_program

ROOT = Path(__file__).parents[2]
SQL = Path(migrate.__file__).parent / "sql"
QUERIES = ROOT / "docs" / "queries.sql"
STATE_MACHINES = (ROOT / "docs" / "state_machines.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted(ROOT.glob("docs/**/*.md"))]
ENUMS = [
    enum
    for enum in vars(states).values()
    if isinstance(enum, type) and issubclass(enum, StrEnum) and enum is not StrEnum
]


def ids(path: Path) -> str:
    return str(path.relative_to(ROOT))


def table_rows(heading: str) -> dict[str, list[str]]:
    """The rows of the table below a heading of state_machines.md, by their first cell."""
    section = re.split(rf"^#+ {re.escape(heading)}$", STATE_MACHINES, flags=re.MULTILINE)[1]
    section = re.split(r"^#", section, flags=re.MULTILINE)[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in section.splitlines() if row.startswith("|")]
    return {row[0].strip("`"): row[1:] for row in rows[2:]}


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_every_function_that_a_document_names_exists(document: Path) -> None:
    named = set(re.findall(r"\bfn_[a-z0-9_]+\b", document.read_text()))

    assert named <= {file.stem for file in SQL.glob("functions/*/*.sql")}


@pytest.mark.parametrize("document", DOCUMENTS, ids=ids)
def test_every_path_and_link_in_a_document_leads_somewhere(document: Path) -> None:
    text = document.read_text()
    links = {target for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if "://" not in target}
    paths = set(re.findall(r"`((?:src|docs|tests|requirements)/[\w./-]*)`", text))

    missing = [link for link in links if not (document.parent / link).exists()]
    missing += [path for path in paths if not (ROOT / path).exists()]
    assert missing == []


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.__name__)
def test_every_state_is_documented(enum: type[StrEnum]) -> None:
    documented = set(re.findall(r"`([a-z_]+)`", STATE_MACHINES)) | set(
        re.findall(r"\b([a-z_]+)\b(?= -->)", STATE_MACHINES)
    )

    assert {str(member) for member in enum} <= documented


@pytest.mark.parametrize(
    ("heading", "enum"),
    [("Run", RunStatus), ("Job", JobStatus), ("Step", StepStatus)],
    ids=["run", "job", "step"],
)
def test_a_diagram_shows_every_state_and_ends_in_the_terminal_ones(
    heading: str, enum: type[RunStatus | JobStatus | StepStatus]
) -> None:
    section = re.split(rf"^## {heading}$", STATE_MACHINES, flags=re.MULTILINE)[1]
    diagram = section.split("```")[1]
    arrows = re.findall(r"^ +(\S+) --> (\w+|\[\*\])", diagram, re.MULTILINE)

    assert {state for arrow in arrows for state in arrow} - {"[*]"} == {str(state) for state in enum}
    assert {before for before, after in arrows if after == "[*]"} == {str(s) for s in enum if s.is_terminal}
    assert all(after == "[*]" for before, after in arrows if before in {str(s) for s in enum if s.is_terminal})


def test_every_failure_reason_is_documented_with_whose_fault_it_is() -> None:
    documented = {reason: cells[0] for reason, cells in table_rows("Failure reasons").items()}

    assert documented == {str(r): "infrastructure" if r.is_infrastructure else "work" for r in FailureReason}


def test_every_ending_of_a_lease_is_documented() -> None:
    assert set(table_rows("How a lease ends")) == {str(ending) for ending in LeaseEnding}


def test_terminal_states_are_documented() -> None:
    documented = {name: set(re.findall(r"`(\w+)`", cells[0])) for name, cells in table_rows("Terminal states").items()}

    assert documented["run"] == {str(s) for s in RunStatus if s.is_terminal}
    assert documented["job"] == {str(s) for s in JobStatus if s.is_terminal}
    assert documented["step"] == {str(s) for s in StepStatus if s.is_terminal}


async def test_the_librarys_examples_run_and_print_what_they_say(tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs" / "library.md").read_text(), re.MULTILINE | re.DOTALL)

    printed = []
    for place, block in enumerate(blocks):
        script = tmp_path / f"example_{place}.py"
        script.write_text(block)
        printed.append(await output_of(script))

    assert printed == [
        ["PHONE-1 applied", "PHONE-2 applied", "succeeded 2 of 2"],
        ["working on fetch", "working on compile", "working on pack", "succeeded"],
    ]


async def output_of(script: Path) -> list[str]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", str(script), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    output, errors = await process.communicate()
    assert process.returncode == 0, errors.decode()
    return output.decode().splitlines()


async def test_the_queries_behave_as_they_say(farm_dsn: str) -> None:
    checks = QUERIES.read_text().count("pg_temp.expect(") - 1  # the first is its definition

    done = await run_program("psql", "-X", "--csv", "-f", str(QUERIES), dsn=farm_dsn)

    assert done.returncode == 0, done.stderr
    assert re.findall(r"^expectation,ok\n.*,(.)$", done.stdout, re.MULTILINE) == ["t"] * checks


async def test_the_queries_leave_nothing_behind(farm_dsn: str) -> None:
    counts = "select (select count(*) from corral.nodes) + (select count(*) from corral.jobs)"
    await run_program("psql", "-X", "-f", str(QUERIES), dsn=farm_dsn)

    assert (await run_program("psql", "-X", "-At", "-c", counts, dsn=farm_dsn)).stdout.strip() == "0"


async def test_a_query_whose_expectation_does_not_hold_fails_the_script(farm_dsn: str, tmp_path: Path) -> None:
    doubtful = tmp_path / "queries.sql"
    doubtful.write_text(QUERIES.read_text().replace("outcome = 'duplicate'", "outcome = 'applied'"))

    done = await run_program("psql", "-X", "-f", str(doubtful), dsn=farm_dsn)

    assert done.returncode == 3
    assert "the expectation does not hold" in done.stderr
