"""Wait for a phone that stopped answering: ask it again and again, for a while."""

from __future__ import annotations

import asyncio
from typing import Final

from corral.drivers.protocol import Phone
from corral.model.errors import DeviceError

_ASK_AGAIN_S: Final = 1.0
_ANSWER_S: Final = 5.0
NO_OP: Final = ":"


async def answers_within(phone: Phone, limit_s: float) -> bool:
    """Whether the phone answers before the limit is over. Raises TouchForbiddenError where it may not be asked."""
    try:
        async with asyncio.timeout(limit_s):
            while True:
                if await _answers(phone):
                    return True
                await asyncio.sleep(_ASK_AGAIN_S)
    except TimeoutError:
        return False


async def _answers(phone: Phone) -> bool:
    """A phone that hangs counts as one that does not answer, and is asked anew."""
    try:
        async with asyncio.timeout(_ANSWER_S):
            await phone.shell(NO_OP)
    except (DeviceError, TimeoutError):
        return False
    return True
