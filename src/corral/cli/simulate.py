"""`corral simulate`: a fleet of simulated phones."""

import asyncio
import logging
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

from cyclopts import Parameter, validators
from cyclopts.types import Port

from corral.cli.until_stopped import run_until_stopped
from corral.simulator import Fleet
from corral.simulator.scenario.load import load_scenario
from corral.telemetry import configure_logs, logger

VIOLATED: Final = 3
"""The exit status when two jobs met on one phone."""

_log = logger(__name__)
_Devices = Annotated[int, Parameter(validator=validators.Number(gte=1, lte=9999))]


def simulate(
    *,
    devices: _Devices = 10,
    scenario: str = "calm",
    seed: int = 0,
    port_base: Port | None = None,
    vendor_port: Port | None = None,
    control_port: Port | None = None,
    record: Path | None = None,
    addresses: Path | None = None,
    log_format: str = "text",
) -> None:
    """Simulate phones that adb connects to, until stopped. Everything stays on this machine.

    Ends with status 3 if commands of two jobs ever met on one phone.

    Parameters
    ----------
    devices
        How many phones.
    scenario
        What goes wrong: a YAML file, or calm, busy-lab, bad-hub or chaos.
    seed
        The same seed gives the same phones and the same story.
    port_base
        The first phone's port; the others follow. Any free ports by default.
    vendor_port
        Where the vendor's WebSocket is; any free port by default.
    control_port
        Where `corral.simulator.control` steers this simulator; any free port by default.
    record
        A file for every command on every phone, as JSON lines. Typed secrets are in it.
    addresses
        A file for the phones' addresses, one a line, written once all can be reached.
    log_format
        text or json.
    """
    configure_logs(log_format=log_format)
    logging.getLogger("websockets").setLevel(logging.WARNING)
    fleet = Fleet(
        devices,
        seed=seed,
        scenario=load_scenario(scenario),
        port_base=port_base,
        vendor_port=vendor_port or 0,
        control_port=control_port or 0,
        record=record,
    )
    run_until_stopped(lambda stopping: _run(fleet, addresses, stopping))
    for violation in fleet.violations:
        print(f"{violation.phone}: {violation.rule}: {violation.message}", file=sys.stderr)  # noqa: T201 - the command line talks
    if fleet.violations:
        sys.exit(VIOLATED)


async def _run(fleet: Fleet, addresses: Path | None, stopping: asyncio.Event) -> None:
    async with fleet:
        if addresses is not None:
            await asyncio.to_thread(_write, addresses, "".join(f"{address}\n" for address in fleet.addresses))
        _log.info(
            "simulating",
            devices=len(fleet.phones),
            addresses=", ".join(ranges(fleet.addresses)),
            vendor_url=fleet.vendor_url,
            control_port=fleet.control_port,
            scenario=fleet.scenario.name,
            seed=fleet.seed,
        )
        await stopping.wait()


def _write(path: Path, text: str) -> None:
    """All at once: whoever waits for the file finds it whole."""
    partial = path.with_name(f"{path.name}.partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def ranges(addresses: Sequence[str]) -> list[str]:
    """Neighbouring ports as `host:first-last`, as a scan takes them."""
    found: list[tuple[str, int, int]] = []
    for host, port in sorted((host, int(port)) for host, _, port in (each.rpartition(":") for each in addresses)):
        if found and found[-1][0] == host and found[-1][2] == port - 1:
            found[-1] = (host, found[-1][1], port)
        else:
            found.append((host, port, port))
    return [f"{host}:{first}" if first == last else f"{host}:{first}-{last}" for host, first, last in found]
