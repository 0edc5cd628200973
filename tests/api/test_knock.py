"""Where a request comes from, and what a proxy may say of it."""

from ipaddress import ip_network
from typing import Any, cast

import pytest

from corral.api.knock import Knock, check_same_origin, read_knock
from corral.model.errors import ForbiddenError

FORWARDED = {"x-forwarded-for": "6.6.6.6, 203.0.113.9", "x-forwarded-proto": "https"}


def knock(address: str, headers: dict[str, str], *, trusted: str | None = None) -> Knock:
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "path": "/", "scheme": "http", "headers": raw, "client": (address, 1)}
    return read_knock(cast("Any", scope), trusted_proxy=ip_network(trusted) if trusted else None)


@pytest.mark.parametrize("trusted", [None, "10.0.0.0/8", "::1"])
def test_what_a_stranger_says_of_forwarding_is_not_believed(trusted: str | None) -> None:
    read = knock("192.0.2.1", FORWARDED, trusted=trusted)

    assert (read.address, read.is_https) == ("192.0.2.1", False)


def test_the_trusted_proxy_says_who_called_it_and_how() -> None:
    read = knock("10.0.0.7", FORWARDED, trusted="10.0.0.0/8")

    assert (read.address, read.is_https) == ("203.0.113.9", True)


def test_a_trusted_proxy_that_says_nothing_is_itself_the_caller() -> None:
    read = knock("10.0.0.7", {}, trusted="10.0.0.7")

    assert (read.address, read.is_https) == ("10.0.0.7", False)


@pytest.mark.parametrize(
    ("headers", "is_ours"),
    [
        ({"host": "farm:8080", "origin": "http://farm:8080"}, True),
        ({"host": "farm", "origin": "https://farm"}, True),
        ({"host": "farm", "sec-fetch-site": "same-origin"}, True),
        ({"host": "farm"}, False),
        ({"host": "farm", "origin": "https://evil.example"}, False),
        ({"host": "farm", "origin": "null"}, False),
        ({"host": "farm:8080", "origin": "http://farm:8081"}, False),
        ({"host": "farm", "sec-fetch-site": "same-site"}, False),
        ({"host": "farm", "origin": "https://farm", "sec-fetch-site": "cross-site"}, False),
    ],
)
def test_a_cookie_changes_things_only_where_the_browser_says_that_the_page_is_ours(
    headers: dict[str, str], *, is_ours: bool
) -> None:
    read = knock("192.0.2.1", headers)

    if is_ours:
        check_same_origin(read)
    else:
        with pytest.raises(ForbiddenError):
            check_same_origin(read)
