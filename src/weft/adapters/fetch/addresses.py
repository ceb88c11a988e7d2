"""Which addresses are public: what both registries of special addresses leave.

The registries are IANA's for IPv4 and IPv6 (RFC 6890 and what came after). Python's own
`is_global` is not enough: it takes addresses for public that hold a private one inside
(NAT64, 6to4, `::127.0.0.1`), and multicast.
"""

from __future__ import annotations

from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

NOT_PUBLIC_4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",  # private use
        "100.64.0.0/10",  # shared by the customers of a provider
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local; clouds tell secrets there
        "172.16.0.0/12",  # private use
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # relays of 6to4
        "192.168.0.0/16",  # private use
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
# Only this part of IPv6 was ever given out for hosts. All else is refused as a whole: loopback,
# IPv4 within IPv6 (::/96, ::ffff:0:0/96), NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard-only
# (100::/64), segment routing (5f00::/16), unique local, link-local, site-local, multicast.
GIVEN_OUT_6 = IPv6Network("2000::/3")
NOT_PUBLIC_6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID, drones
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which holds an IPv4 address
        "3fff::/20",  # documentation
    )
)
# What a host of an organisation may have, where the organisation says that it may be reached.
INSIDE = tuple(
    ip_network(network)
    for network in (
        "10.0.0.0/8",
        "100.64.0.0/10",
        "127.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "::1/128",
        "fc00::/7",
    )
)


def parsed(text: str) -> Address | None:
    """Return an address in its usual spelling; None for any other text, and for one with a zone.

    `0x7f.1`, `2130706433` and `127.1` are no addresses here: what resolves them as such never
    gets to see them.
    """
    kind = IPv6Address if ":" in text else IPv4Address
    try:
        return None if "%" in text else kind(text)
    except AddressValueError:
        return None


def is_public(address: Address) -> bool:
    """Tell whether an address is one of the open Internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in NOT_PUBLIC_4)
    return address in GIVEN_OUT_6 and not any(address in network for network in NOT_PUBLIC_6)


def is_inside(address: Address) -> bool:
    """Tell whether an address is one that hosts of an organisation have among themselves."""
    return any(address in network for network in INSIDE)
