"""`corral nodes`."""

from corral.cli.options import DEFAULT, Options
from corral.cli.output import age, look, make_table, print_json, print_table
from corral.model.records import Node


def nodes(*, options: Options = DEFAULT) -> None:
    """List the nodes, and how many of their devices are online."""
    with options.client() as client:
        status = client.nodes.status()
    if options.json:
        print_json(status)
        return
    table = make_table(
        "node",
        "name",
        "state",
        "online",
        "devices",
        "at once",
        "heard",
        "version",
        right=("online", "devices", "at once"),
    )
    for each in status.nodes:
        own = [device for device in status.devices if device.node_id == each.node_id]
        table.add_row(
            each.node_id,
            each.name,
            look(describe_state(each)),
            str(sum(device.status == "online" for device in own)),
            str(len(own)),
            str(each.max_concurrency),
            f"{age(each.last_heartbeat_at)} ago",
            each.version or "-",
        )
    print_table(table, nothing="no nodes: corral node starts one")


def describe_state(node: Node) -> str:
    """One word for how a node is."""
    return "offline" if not node.online else "draining" if node.draining else "online"
