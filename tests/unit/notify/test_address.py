"""Which addresses and URLs a webhook may have."""

import pytest

from corral.model.errors import InvalidRequestError
from corral.notify import check_url, conceal_url, is_public


@pytest.mark.parametrize("address", ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"])
def test_what_is_on_the_public_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.8.8.8",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "192.0.2.1",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::",
        "2001:db8::1",
    ],
)
def test_what_only_this_machine_or_its_network_reaches_is_not(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "example.com/hook",
        "https://",
        "https:///path",
        "https://ann@example.com/",
        "https://ann:hunter2@example.com/",
        "https://example.com/#part",
        "https://example.com/a b",
        "https://example.com\\@127.0.0.1/",
        "https://example.com:99999/",
        "https://[::1",
        "https://exämple.com/",
        "https://example.com/\n",
        "http://127.0.0.1:8080/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://169.254.169.254/latest/meta-data",
        "http://localhost/",
        "http://corral.localhost/",
        "https://example.com/" + "x" * 2000,
    ],
)
def test_a_url_that_a_webhook_may_not_have_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequestError) as refused:
        check_url(url, allow_private=False)

    assert refused.value.path == "url"
    assert "hunter2" not in refused.value.message


@pytest.mark.parametrize("url", ["https://example.com/hook?key=1", "http://example.com:8080/", "http://8.8.8.8/x"])
def test_other_urls_are_taken(url: str) -> None:
    check_url(url, allow_private=False)


def test_a_private_address_is_taken_where_the_settings_say_so() -> None:
    check_url("http://127.0.0.1:9/", allow_private=True)


def test_of_a_url_that_is_a_secret_only_the_host_is_shown() -> None:
    assert conceal_url("https://hooks.slack.com/services/T0/B0/abc") == "https://hooks.slack.com/…"
