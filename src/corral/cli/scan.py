"""`corral scan`."""

from typing import Annotated

from cyclopts import Parameter

from corral.cli.exit_status import FAILED, SUCCEEDED
from corral.cli.options import DEFAULT, Options
from corral.cli.output import look, make_table, print_json, print_table, text_or_dash
from corral.model.states import ScanStatus


def scan(
    addresses: Annotated[list[str] | None, Parameter(negative_iterable="")] = None,
    /,
    *,
    node: Annotated[list[str] | None, Parameter(negative_iterable="")] = None,
    wait: Annotated[bool, Parameter(negative="")] = False,
    timeout: float = 60.0,
    options: Options = DEFAULT,
) -> int:
    """Ask nodes to look for devices, and to connect to addresses besides.

    Parameters
    ----------
    addresses
        Addresses to connect to: host, host:port or host:port-port.
    node
        Only this node; all live ones by default.
    wait
        Wait until they have looked, and exit with 1 if one failed.
    timeout
        How many seconds to wait.
    """
    with options.client() as client:
        scans = client.scans.start(node, addresses=addresses or [])
        if wait:
            scans = client.scans.wait(scans, timeout_s=timeout)
    if options.json:
        print_json({"scans": scans})
    else:
        table = make_table("node", "status", "found", "error", right=("found",))
        for each in scans:
            table.add_row(each.node_id, look(each.status), str(each.found), text_or_dash(each.error_message))
        print_table(table, nothing="no live node to ask: corral node starts one")
    return FAILED if any(each.status is ScanStatus.FAILED for each in scans) else SUCCEEDED
