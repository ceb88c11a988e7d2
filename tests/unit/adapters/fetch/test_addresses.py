"""What is public: both registries row by row, and Python's own opinion beside ours."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.adapters.fetch.addresses import is_inside, is_public, parsed

# Both registries of special-purpose addresses, and multicast, which has registries of its own.
# These may be reached by anybody, so they are public: services of the domain name system (AS112)
# and of multicast relays (AMT).
REACHABLE = ("192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "2620:4f:8000::/48")
SPECIAL = (
    *("0.0.0.0/8", "0.0.0.0/32", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"),
    *("172.16.0.0/12", "192.0.0.0/24", "192.0.0.0/29", "192.0.0.8/32", "192.0.0.9/32"),
    *("192.0.0.10/32", "192.0.0.170/32", "192.0.0.171/32", "192.0.2.0/24", "192.88.99.0/24"),
    *("192.88.99.2/32", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
    *("224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32"),
    *("::1/128", "::/128", "::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48"),
    *("100::/64", "100:0:0:1::/64", "2001::/23", "2001::/32", "2001:1::1/128", "2001:1::2/128"),
    *("2001:1::3/128", "2001:2::/48", "2001:3::/32", "2001:4:112::/48", "2001:10::/28"),
    *("2001:20::/28", "2001:30::/28", "2001:db8::/32", "2002::/16", "3fff::/20", "5f00::/16"),
    *("fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"),
)
# What Python calls global and is refused here, for what is in it or who answers there.
STRICTER = tuple(
    ip_network(network)
    for network in (
        *("192.0.0.0/24", "192.88.99.0/24", "224.0.0.0/4"),
        *("::/3", "2001::/23", "2002::/16", "3fff::/20", "4000::/2", "8000::/1"),
    )
)


@pytest.mark.parametrize("network", SPECIAL)
def test_no_end_of_a_special_range_is_public(network: str) -> None:
    span = ip_network(network)
    assert not is_public(span.network_address)
    assert not is_public(span.broadcast_address)
    assert not is_public(span.network_address + span.num_addresses // 2)


@pytest.mark.parametrize("network", REACHABLE)
def test_what_anybody_may_reach_is_public(network: str) -> None:
    assert is_public(ip_network(network).network_address)


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("1.0.0.0", "9.255.255.255"),
        ("11.0.0.0", "100.63.255.255"),
        ("100.128.0.0", "126.255.255.255"),
        ("128.0.0.0", "169.253.255.255"),
        ("172.32.0.0", "191.255.255.255"),
        ("192.169.0.0", "198.17.255.255"),
        ("203.0.114.0", "223.255.255.255"),
        ("2001:200::", "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2003::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ],
)
def test_what_lies_between_is_public(first: str, last: str) -> None:
    assert is_public(ip_address(first))
    assert is_public(ip_address(last))


ADDRESSES = st.one_of(
    st.ip_addresses(v=4),
    st.ip_addresses(v=6),
    *(st.ip_addresses(network=network) for network in SPECIAL),
)


@given(ADDRESSES)
def test_nothing_is_public_that_python_does_not_call_global(
    address: IPv4Address | IPv6Address,
) -> None:
    if is_public(address):
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved


@given(ADDRESSES)
def test_what_python_calls_global_is_public_but_for_what_we_name(
    address: IPv4Address | IPv6Address,
) -> None:
    if address.is_global and not any(address in network for network in STRICTER):
        assert is_public(address)


@given(st.ip_addresses(v=4))
def test_no_ipv4_address_gets_in_within_an_ipv6_address(address: IPv4Address) -> None:
    wrapped = int(address)
    for prefix, shift in (
        *(("::", 0), ("::ffff:0:0", 0), ("64:ff9b::", 0), ("64:ff9b:1::", 0)),
        *(("2002::", 80), ("2001::", 0), ("2001::", 64)),
    ):
        assert not is_public(IPv6Address(int(IPv6Address(prefix)) | wrapped << shift))


@given(ADDRESSES)
def test_inside_and_public_are_apart(address: IPv4Address | IPv6Address) -> None:
    assert not (is_inside(address) and is_public(address))


@pytest.mark.parametrize(
    "text",
    [
        *("0x7f.1", "0x7f000001", "2130706433", "127.1", "127.0.1", "017700000001", "0177.0.0.1"),
        *(
            "127.0.0.01",
            "fe80::1%eth0",
            "::1%0",
            "",
            " 127.0.0.1",
            "１２７.0.0.1",
            "[::1]",
            "1.2.3.4.5",
        ),
    ],
)
def test_odd_spellings_are_no_addresses(text: str) -> None:
    assert parsed(text) is None


@given(ADDRESSES)
def test_an_address_reads_as_it_writes(address: IPv4Address | IPv6Address) -> None:
    assert parsed(str(address)) == address
