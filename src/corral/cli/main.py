"""`corral`."""

import sys
from typing import Final

from cyclopts import App

import corral
from corral.model.errors import CorralError, StaleEpochError

_STATUS: Final[dict[type[CorralError], int]] = {StaleEpochError: 3}
app = App(name="corral", help=corral.__doc__, version=corral.__version__)
# By name, so that a node need not load what only a server needs, nor the other way round.
app.command("corral.cli.server:server", name="server", help="Serve the farm's HTTP API.")
app.command("corral.cli.node:node", name="node", help="Work with the phones of this computer for a Corral server.")
app.command(
    "corral.cli.simulate:simulate", name="simulate", help="A fleet of simulated phones that the real adb connects to."
)


def main() -> None:
    """Run the command line; an error that we have a word for is one line and status 1, or 3 for an agent replaced."""
    try:
        app()
    except CorralError as error:
        print(f"corral: {error.message}", file=sys.stderr)  # noqa: T201 - the command line talks
        sys.exit(_STATUS.get(type(error), 1))
