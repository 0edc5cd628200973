"""`corral`."""

import sys

from cyclopts import App

import corral
from corral.cli.server import server
from corral.cli.simulate import simulate
from corral.model.errors import CorralError

app = App(name="corral", help=corral.__doc__, version=corral.__version__)
app.command(server)
app.command(simulate)


def main() -> None:
    """Run the command line; an error that we have a word for is one line and status 1."""
    try:
        app()
    except CorralError as error:
        print(f"corral: {error.message}", file=sys.stderr)  # noqa: T201 - the command line talks
        sys.exit(1)
