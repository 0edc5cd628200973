"""Which addresses are everybody's: a webhook must not reach what only this machine or its network can."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

# Translators between the two kinds: what is behind such an address is the IPv4 address at its end.
_TRANSLATED: Final = (IPv6Network("64:ff9b::/96"), IPv6Network("64:ff9b:1::/48"))


def is_public(text: str) -> bool:
    """Whether the address, and any that is wrapped into it, is on the public internet."""
    address = ip_address(text.partition("%")[0])
    return all(each.is_global and not each.is_multicast for each in [address, *_wrapped_in(address)])


def _wrapped_in(address: IPv4Address | IPv6Address) -> list[IPv4Address]:
    if isinstance(address, IPv4Address):
        return []
    wrapped = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if any(address in network for network in _TRANSLATED):
        wrapped.append(IPv4Address(int(address) & 0xFFFFFFFF))
    return [each for each in wrapped if each is not None]
