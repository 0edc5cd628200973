"""`corral devices`."""

from typing import Annotated

from cyclopts import Parameter
from rich.text import Text

from corral.cli.heatmap import render_node
from corral.cli.options import DEFAULT, Options
from corral.cli.output import look, make_console, make_table, print_json, print_page, print_table, text_or_dash
from corral.client import Client
from corral.model.records import Device
from corral.model.states import Health


def devices(
    *,
    node: str | None = None,
    tag: str | None = None,
    health: Health | None = None,
    heatmap: Annotated[bool, Parameter(negative="")] = False,
    options: Options = DEFAULT,
) -> None:
    """List the devices by their numbers.

    Parameters
    ----------
    node
        Only those of this node.
    tag
        Only those with this tag.
    health
        Only those that are ok, suspect or quarantined.
    heatmap
        A symbol for each: what it does now, node by node.
    """
    with options.client() as client:
        if heatmap:
            _print_heatmap(client, options, node=node)
            return
        found = list(client.devices.list(node_id=node, tag=tag, health=health))
    if options.json:
        print_page("devices", found)
        return
    table = make_table(
        "device",
        "serial",
        "label",
        "node",
        "state",
        "health",
        "model",
        "android",
        "battery",
        "temp",
        "tags",
        right=("device", "battery", "temp"),
    )
    for device in found:
        table.add_row(*_cells(device))
    print_table(table, nothing="no devices: corral scan looks for some")


def _cells(device: Device) -> list[str | Text]:
    state = "online" if device.online else "offline"
    health = device.health if device.health_reason is None else f"{device.health}: {device.health_reason}"
    return [
        str(device.index_no),
        device.serial,
        text_or_dash(device.label),
        device.node_id,
        look(state, None if device.held_by is None else f"held by {device.held_by}"),
        look(device.health, health),
        text_or_dash(device.model),
        text_or_dash(device.os_version),
        "-" if device.battery is None else f"{device.battery}%",
        "-" if device.temperature is None else f"{device.temperature:.0f}°",
        ", ".join(device.tags) or "-",
    ]


def _print_heatmap(client: Client, options: Options, *, node: str | None) -> None:
    nodes = [each for each in client.dashboard.get().heatmap if node in {None, each.node_id}]
    if options.json:
        print_json(nodes)
        return
    console = make_console()
    for each in nodes:
        console.print(render_node(each, width=console.width))
    if not nodes:
        console.print("no nodes: corral node starts one", style="dim")
