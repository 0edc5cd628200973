"""The vendor driver: one group-control program and the phones that it lists."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Final

from corral.drivers.backoff import Backoff
from corral.drivers.protocol import Sighting
from corral.drivers.vendor.client import CONNECT_S, DEFAULT_URL, LIMIT, REQUEST_S, VendorClient
from corral.drivers.vendor.listing import parse_list
from corral.drivers.vendor.phone import VendorPhone
from corral.model.errors import DeviceError
from corral.telemetry import logger

POLL_S: Final = 2.0
_LIST_S: Final = 10.0

_log = logger(__name__)


class VendorDriver:
    """See Driver. The program tells no news, so it is asked for its list again and again."""

    def __init__(
        self,
        *,
        url: str = DEFAULT_URL,
        limit: int = LIMIT,
        connect_s: float = CONNECT_S,
        request_s: float = REQUEST_S,
        poll_s: float = POLL_S,
    ) -> None:
        """`limit` is how many requests may be open at once; `request_s` bounds one whose caller sets no time of its own."""
        self._client = VendorClient(url, limit=limit, connect_s=connect_s, request_s=request_s)
        # Of its own budget: the list goes on while all of the work hangs.
        self._lister = VendorClient(url, limit=1, connect_s=connect_s)
        self._poll_s = poll_s
        self._poked = asyncio.Event()

    @property
    def name(self) -> str:
        return "vendor"

    async def watch(self) -> AsyncGenerator[list[Sighting], None]:
        backoff, trouble = Backoff(first_s=self._poll_s, longest_s=max(30.0, self._poll_s)), ""
        last: list[Sighting] | None = None
        while True:
            try:
                now = parse_list(await self._lister.ask("list", within_s=_LIST_S))
                pause, trouble = self._poll_s, ""
                backoff.reset()
            except DeviceError as error:
                now, pause = [], backoff.fail()
                if error.message != trouble:
                    _log.warning("the vendor program is away: %s", error.message)
                trouble = error.message
            if now != last:
                last = now
                yield now
            await self._rest(pause)

    def phone(self, handle: str) -> VendorPhone:
        return VendorPhone(self._client, handle)

    async def discover(self, addresses: Sequence[str] = ()) -> list[str]:
        """Look at the list now. The program finds phones by itself, so each address is a line that says so."""
        self._poked.set()
        return [f"{address}: the vendor program finds phones by itself; add it there" for address in addresses]

    async def aclose(self) -> None:
        """Nothing to let go of: connections end with their requests."""

    async def _rest(self, pause: float) -> None:
        self._poked.clear()
        try:
            async with asyncio.timeout(pause):
                await self._poked.wait()
        except TimeoutError:
            return
