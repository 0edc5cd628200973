"""What a webhook's URL may be. Where its name leads is looked at when it is called (send.py)."""

from typing import Final
from urllib.parse import urlsplit

from corral.model.errors import InvalidRequestError
from corral.notify.address import is_public

_LONGEST: Final = 2000


def check_url(url: str, *, allow_private: bool) -> None:
    """Raise InvalidRequestError that says what is wrong; the message never repeats the URL, which may be a secret."""
    if len(url) > _LONGEST or not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise _refused(f"must be at most {_LONGEST} plain characters, without spaces")
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise _refused(f"is no URL: {error}") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise _refused("must begin with https:// or http:// and name a host")
    if parts.username is not None or parts.password is not None:
        raise _refused("must not hold a user name or a password")
    if parts.fragment:
        raise _refused("must not hold a fragment")
    try:
        is_refused = not allow_private and not is_public(host)
    except ValueError:  # a name
        is_refused = not allow_private and (host == "localhost" or host.endswith(".localhost"))
    if is_refused:
        raise _refused(
            f"names {host}, which is not on the public internet; the setting webhook_allow_private allows it"
        )


def conceal_url(url: str) -> str:
    """A URL that is a secret, as Slack's are: where it leads, and no more."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}/…"


def _refused(why: str) -> InvalidRequestError:
    return InvalidRequestError(f"the URL {why}", path="url")
