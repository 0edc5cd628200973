"""How `corral up` reaches the phones of this computer: as was said, or else by adb, and by the vendor's program if it answers."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from msgspec.structs import replace

from corral.config import find_settings, is_loopback
from corral.drivers.vendor.client import VendorClient
from corral.model.errors import CorralError
from corral.node.config import ENVIRONMENT, NodeConfig, load_node_config

_CONNECT_S: Final = 0.5
_ANSWER_S: Final = 1.0
_SIMULATE: Final = "start with --simulate 20"


def load_attached(flags: Mapping[str, Any], environ: Mapping[str, str], *, file: Path | None = None) -> NodeConfig:
    """The settings of this computer's node, with its drivers. Raises ConfigInvalidError, naming the setting."""
    settings = load_node_config(flags, environ, file=file)
    named = find_settings(NodeConfig, ENVIRONMENT, flags, environ, table="node", file=file)
    if "drivers" in named or not asyncio.run(has_vendor(settings.vendor_url)):
        return settings
    return replace(settings, drivers=[*settings.drivers, "vendor"])


async def has_vendor(url: str) -> bool:
    """Whether the vendor's program answers there. Only this computer is asked, and it has a second."""
    try:
        if not is_loopback(urlsplit(url).hostname or ""):
            return False
        await VendorClient(url, connect_s=_CONNECT_S).ask("list", within_s=_ANSWER_S)
    except (CorralError, ValueError):  # nobody, somebody else, or no address
        return False
    return True


def advise_phones(settings: NodeConfig | None, *, simulated: int) -> str:
    """What to do while there is no phone; None is a farm without a node for this computer's."""
    if simulated:
        return f"{simulated} simulated ones are on their way"
    if settings is not None and "adb" in settings.drivers:
        return f"attach one by USB with USB debugging on, or {_SIMULATE}"
    if settings is not None and "vendor" in settings.drivers:
        return f"attach one to the vendor's program at {settings.vendor_url}, or {_SIMULATE}"
    return _SIMULATE
