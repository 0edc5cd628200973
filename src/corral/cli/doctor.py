"""`corral doctor`: what Corral needs, and what to do about what is missing."""

import os
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from corral.cli.checkup import Finding, check_all, check_invariants
from corral.cli.exit_status import FAILED, SUCCEEDED
from corral.cli.output import colour_of, make_console, make_table, print_json, symbol_of

_LOOKS = {"ok": "ok", "warning": "suspect", "error": "failed"}


def doctor(
    *,
    invariants: Annotated[bool, Parameter(negative="")] = False,
    database_url: str | None = None,
    data_dir: str | None = None,
    config: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Check what Corral needs, and say what to do about what is missing; exit with 1 if something is.

    Parameters
    ----------
    invariants
        Look for contradictions in the database's books instead: there are none, unless there is a bug.
    database_url
        The database to look at, instead of the settings'.
    data_dir
        Where the embedded PostgreSQL keeps its data.
    config
        The TOML file; CORRAL_CONFIG, or corral.toml in the current directory.
    json
        Print JSON.
    """
    console = make_console()
    if invariants:
        violations = check_invariants(os.environ, database_url=database_url, data_dir=data_dir, config=config)
        if json:
            print_json({"violations": violations})
        elif violations:
            table = make_table("invariant", "object", "detail")
            for each in violations:
                table.add_row(each.invariant, each.object, each.detail)
            console.print(table)
        else:
            console.print(f"{symbol_of('ok')} every invariant holds", style=colour_of("ok"))
        return FAILED if violations else SUCCEEDED
    findings = check_all(os.environ, database_url=database_url, data_dir=data_dir, config=config)
    if json:
        print_json({"findings": findings})
    else:
        for finding in findings:
            _print(finding)
    return FAILED if any(finding.state == "error" for finding in findings) else SUCCEEDED


def _print(finding: Finding) -> None:
    word = _LOOKS[finding.state]
    console = make_console()
    console.print(f"{symbol_of(word)} {finding.subject:<12}", style=colour_of(word), end="")
    console.print(finding.detail, soft_wrap=True)
    if finding.advice:
        console.print(f"{'':<14}→ {finding.advice}", style="dim", soft_wrap=True)
