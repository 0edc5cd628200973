"""Handing a tunnel's end over to a server that is none, or no longer."""

from uuid import uuid4

import pytest

from corral.api.tunnels.peers import handing_over
from corral.config import Secret
from corral.engine.gateway.tunnels import Meeting
from corral.model.errors import ConflictError
from tests.scripted_server import redirecting, saying


@pytest.mark.parametrize(
    "said",
    [
        redirecting("ws://["),
        redirecting("ws://a", "ws://b"),
        redirecting("/elsewhere"),
        b"nonsense",
        b"",
    ],
)
async def test_the_secret_is_shown_once_and_a_server_that_is_none_is_said(said: bytes) -> None:
    async with saying(said) as (address, shown):
        meeting = Meeting(server_id=uuid4(), peer_address=address, secret=Secret("s"))
        with pytest.raises(ConflictError, match="cannot be reached"):
            async with handing_over(uuid4(), meeting):
                pass

    assert len(shown) == 1
