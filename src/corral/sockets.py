"""WebSockets to the address that was named. Refuses redirections: whoever answers with one is not whom the secrets are for."""

from websockets.asyncio.client import connect


class DirectConnect(connect):
    """`connect`, to which an answer that sends it elsewhere is a refusal (InvalidStatus) like any other."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        return exc
