"""What a setting lets a tenant reach besides, and which settings are refused."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weft.adapters.fetch.addresses import is_public
from weft.adapters.fetch.allow_list import AllowList, read_allow_list
from weft.domain.errors import ConfigurationError

WRITTEN = (
    "wiki.corp:8443, 10.2.0.0/16, acme=jira.acme, *=proxy.corp, [fd00::5]:9000, acme=fd12::/32,"
    " 169.254.7.0/24, acme=127.0.0.1"
)


@pytest.fixture
def allowed() -> AllowList:
    return read_allow_list(WRITTEN, own_tenant="local")


@pytest.mark.parametrize(
    ("tenant", "host", "port", "address", "may"),
    [
        ("local", "wiki.corp", 8443, "10.9.0.1", True),
        ("local", "wiki.corp", 443, "10.9.0.1", False),
        ("acme", "wiki.corp", 8443, "10.9.0.1", False),
        ("local", "other.corp", 443, "10.2.3.4", True),
        ("local", "10.2.3.4", 80, "10.2.3.4", True),
        ("local", "10.2.3.4", 8080, "10.2.3.4", False),
        ("acme", "other.corp", 443, "10.2.3.4", False),
        ("acme", "jira.acme", 443, "192.168.1.1", True),
        ("acme", "jira.acme.evil", 443, "192.168.1.1", False),
        ("local", "jira.acme", 443, "192.168.1.1", False),
        ("local", "proxy.corp", 80, "100.64.0.1", True),
        ("acme", "proxy.corp", 80, "fd00::7", True),
        ("third", "proxy.corp", 80, "::1", True),
        ("local", "fd00::5", 9000, "fd00::5", True),
        ("acme", "x.corp", 443, "fd12::1", True),
        ("acme", "127.0.0.1", 443, "127.0.0.1", True),
        # A name does not open what is nobody's host, and nothing opens one address in another.
        ("local", "proxy.corp", 80, "169.254.169.254", False),
        ("local", "proxy.corp", 80, "224.0.0.1", False),
        ("local", "proxy.corp", 80, "0.0.0.0", False),
        ("local", "proxy.corp", 80, "::ffff:10.2.3.4", False),
        ("local", "x.corp", 80, "::ffff:10.2.3.4", False),
        ("local", "x.corp", 80, "64:ff9b::a02:304", False),
        # A network says it in so many words.
        ("local", "x.corp", 80, "169.254.7.9", True),
        ("local", "x.corp", 80, "169.254.8.9", False),
        ("local", "wiki.corp", 8443, "169.254.7.9", False),
        ("third", "x.corp", 443, "1.1.1.1", True),
    ],
)
def test_an_entry_opens_what_it_says(
    allowed: AllowList, tenant: str, host: str, port: int, address: str, may: bool
) -> None:
    told = allowed.opens(tenant, host, port=port) and allowed.admits(
        tenant, host, port=port, address=ip_address(address)
    )
    assert told is may


@given(st.ip_addresses(), st.integers(1, 65535), st.sampled_from(["local", "acme", "*"]))
def test_an_empty_list_opens_what_is_public_at_the_usual_ports(
    address: IPv4Address | IPv6Address, port: int, tenant: str
) -> None:
    nothing = read_allow_list(" , ", own_tenant="local")
    assert nothing.opens(tenant, "a.example", port=port) is (port in {80, 443})
    admitted = nothing.admits(tenant, "a.example", port=port, address=address)
    assert admitted is is_public(address)


@pytest.mark.parametrize(
    "entry",
    [
        *("0.0.0.0/0", "::/0", "10.0.0.0/7", "10.0.0.1/8", "fc00::/6", "224.0.0.0/8", "0.0.0.0/8"),
        *(
            "a.corp:",
            "a.corp:0",
            "a.corp:65536",
            "a.corp:x",
            "a.corp:８０",
            "a corp",
            "http://a.corp",
        ),
        *(
            "=a.corp",
            "acme=",
            "127.1",
            "0x7f.1",
            "[::1",
            "[::1]9000",
            "[1.2.3.4]:80",
            "fe80::1%eth0",
        ),
        *("*.corp", "10.0.0.0/8:80"),
    ],
)
def test_a_wrong_entry_is_named(entry: str) -> None:
    with pytest.raises(ConfigurationError, match="WEFT_FETCH_ALLOW") as caught:
        read_allow_list(f"fine.corp, {entry}", own_tenant="local")
    assert caught.value.fields["setting"] == "fetch_allow"
