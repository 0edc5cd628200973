"""`corral audit`."""

from typing import Annotated

import msgspec
from cyclopts import Parameter

from corral.cli.options import DEFAULT, Options
from corral.cli.output import make_table, print_page, print_table, text_or_dash


def audit(
    *,
    actor: str | None = None,
    subject: str | None = None,
    limit: Annotated[int, Parameter(name=["--limit", "-n"])] = 50,
    options: Options = DEFAULT,
) -> None:
    """Who did what to which, newest first.

    Parameters
    ----------
    actor
        Only what this operator did.
    subject
        Only what was done to this: a run's id, a device's, a node's, a name.
    limit
        How many at most.
    """
    with options.client() as client:
        entries = list(client.audit.list(actor=actor, subject=subject, most=limit))
    if options.json:
        print_page("entries", entries)
        return
    table = make_table("at", "actor", "action", "subject", "detail")
    for entry in entries:
        detail = msgspec.json.encode(entry.detail).decode() if entry.detail else "-"
        at = f"{entry.at.astimezone():%Y-%m-%d %H:%M:%S}"
        table.add_row(at, text_or_dash(entry.actor), entry.action, text_or_dash(entry.subject), detail)
    print_table(table, nothing="nothing yet")
