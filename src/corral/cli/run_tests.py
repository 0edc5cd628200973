"""`corral run tests`: what became of the test cases of a run."""

from typing import Annotated, Final

import msgspec
from cyclopts import Parameter
from rich.console import Console
from rich.text import Text

from corral.cli.explain import say_numbers
from corral.cli.options import DEFAULT, Options
from corral.cli.output import look, make_console, make_table, print_json, print_table, text_or_dash
from corral.cli.refs import find_run
from corral.model.states import CaseStatus
from corral.model.testing import Case, CaseCounts, Verdict

Flag = Annotated[bool, Parameter(negative="")]
_BAD: Final[tuple[Verdict, ...]] = ("failed", "errored")
_WORDS: Final = ("passed", "failed", "errored", "skipped", "flaky", "running", "pending")
_LONGEST_MESSAGE: Final = 200


def list_tests(
    run: str = "last",
    /,
    *,
    failed: Flag = False,
    differs: Flag = False,
    flaky: Flag = False,
    query: str | None = None,
    options: Options = DEFAULT,
) -> None:
    """List the test cases of a run, and on which devices each passed or failed.

    Parameters
    ----------
    run
        The run's id, the beginning of it, or last.
    failed
        Only those that failed, or that no phone could execute.
    differs
        Only those that did not end the same on all devices.
    flaky
        Only those that passed after they had failed.
    query
        Only those whose class or name holds this.
    """
    with options.client() as client:
        run_id = find_run(client, run)
        first = client.runs.count_tests(run_id)
        found = client.runs.tests(
            run_id,
            verdicts=_BAD if failed else None,
            differs=True if differs else None,
            is_flaky=True if flaky else None,
            query=query,
        )
        cases = list(found)
    if options.json:
        print_json(msgspec.structs.replace(first, cases=cases, next=None))
        return
    table = make_table("verdict", "test", "step", "took", "devices", "message", right=("took",))
    for case in cases:
        table.add_row(
            look("flaky" if case.is_flaky else case.verdict),
            f"{case.class_name}#{case.name}",
            case.step,
            _took(case),
            _devices(case),
            text_or_dash(_message(case)),
        )
    print_table(table, nothing="no tests")
    if first.summary is not None:
        _print_summary(first.summary, make_console())


def _took(case: Case) -> str:
    """The longest of the results that count: what the case costs a run."""
    counted = [each.duration_s for each in case.results if each.is_counted]
    return f"{max(counted):.1f}s" if counted else "-"


def _devices(case: Case) -> Text:
    """Who said what last, by the devices' numbers."""
    last = {each.index: each.status for each in case.results if each.is_counted and each.index is not None}
    told = Text()
    for status in CaseStatus:
        numbers = [index for index, said in last.items() if said is status]
        if numbers:
            told.append_text(look(status, say_numbers(numbers))).append("  ")
    told.rstrip()
    return told or Text("-")


def _message(case: Case) -> str | None:
    """Why it has no result, or what the last failure said: one line of it."""
    said = [each.message for each in case.results if each.is_counted and each.message]
    message = case.message if case.message and not said else (said[-1] if said else None)
    return None if message is None else " ".join(message.split())[:_LONGEST_MESSAGE]


def _print_summary(summary: CaseCounts, console: Console) -> None:
    words = [look(word, f"{count} {word}") for word in _WORDS if (count := getattr(summary, word))]
    console.print(Text(f"{summary.total} tests: ").append_text(Text(", ").join(words)))
