"""What each tenant may reach beside public hosts at the usual ports."""

from __future__ import annotations

from ipaddress import AddressValueError, IPv6Address, NetmaskValueError, ip_network

from weft.adapters.fetch.addresses import Address, Network, is_inside, is_public, parsed
from weft.adapters.fetch.destination import host_name
from weft.domain.errors import BadInput, ConfigurationError
from weft.domain.frozen import dataclass

EVERY_TENANT = "*"
USUAL_PORTS = frozenset({80, 443})
# More would be half of all addresses: nobody's own network is that large.
_WIDEST = {4: 8, 6: 7}
_FORM = "write HOST, HOST:PORT or a network such as 10.2.0.0/16, after TENANT= for another tenant"


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedHost:
    """A host by its name or address; without a port it means the usual ones."""

    tenant: str
    host: str
    port: int | None = None

    def opens(self, host: str, port: int) -> bool:
        """Tell whether a port of a host is meant."""
        return host == self.host and (
            port in USUAL_PORTS if self.port is None else port == self.port
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedNetwork:
    """All addresses of a network, at the usual ports."""

    tenant: str
    network: Network


class AllowList:
    """Tells what a tenant may reach beside public hosts at the usual ports."""

    def __init__(self, entries: list[AllowedHost | AllowedNetwork]) -> None:
        """Keep the entries; none means that only what is public can be reached."""
        self._hosts = [entry for entry in entries if isinstance(entry, AllowedHost)]
        self._networks = [entry for entry in entries if isinstance(entry, AllowedNetwork)]

    def opens(self, tenant: str, host: str, *, port: int) -> bool:
        """Tell whether a tenant may connect to a port of a host, wherever that host is."""
        return port in USUAL_PORTS or self._names(tenant, host, port)

    def admits(self, tenant: str, host: str, *, port: int, address: Address) -> bool:
        """Tell whether a tenant may connect to an address that a host has.

        A name that is allowed may have a public address or one of an organisation's own; an
        address that belongs to nobody's hosts (link-local, multicast) it may not have. A network
        that is allowed speaks for its addresses itself.
        """
        if is_public(address):
            return True
        if is_inside(address) and self._names(tenant, host, port):
            return True
        return port in USUAL_PORTS and any(
            address in entry.network
            for entry in self._networks
            if entry.tenant in {tenant, EVERY_TENANT}
        )

    def _names(self, tenant: str, host: str, port: int) -> bool:
        return any(
            entry.opens(host, port)
            for entry in self._hosts
            if entry.tenant in {tenant, EVERY_TENANT}
        )


def read_allow_list(text: str, *, own_tenant: str) -> AllowList:
    """Return the list that a setting spells, or raise `ConfigurationError` naming the entry.

    Entries are parted by commas. One that names no tenant is for `own_tenant`, and `*=` is for all.
    """
    entries: list[AllowedHost | AllowedNetwork] = []
    for written in text.split(","):
        if not (entry := written.strip()):
            continue
        named, parted, rest = entry.partition("=")
        tenant, what = (named.strip(), rest.strip()) if parted else (own_tenant, entry)
        if not tenant or not what:
            raise _wrong(entry, _FORM)
        entries.append(_network(tenant, what) if "/" in what else _host(tenant, what))
    return AllowList(entries)


def _network(tenant: str, what: str) -> AllowedNetwork:
    try:
        network = ip_network(what)
    except (AddressValueError, NetmaskValueError, ValueError) as error:
        raise _wrong(what, str(error)) from error
    widest = _WIDEST[network.version]
    if network.prefixlen < widest:
        raise _wrong(what, f"a network of /{widest} is the widest that can be allowed")
    if network.is_multicast or network.network_address.is_unspecified:
        raise _wrong(what, "no host has such an address")
    return AllowedNetwork(tenant=tenant, network=network)


def _host(tenant: str, what: str) -> AllowedHost:
    host, port = what, ""
    if what.startswith("["):
        host, closed, port = what[1:].partition("]")
        if not closed or not isinstance(parsed(host), IPv6Address) or port[:1] not in {"", ":"}:
            raise _wrong(what, _FORM)
        port = port.removeprefix(":")
    elif what.count(":") == 1:
        host, _, port = what.partition(":")
    if what.endswith(":") or (port and not (port.isascii() and port.isdigit())):
        raise _wrong(what, _FORM)
    number = int(port[:6]) if port else None
    if number is not None and not 0 < number < 1 << 16:
        raise _wrong(what, "a port is a number up to 65535")
    try:
        return AllowedHost(tenant=tenant, host=host_name(host), port=number)
    except BadInput as error:
        raise _wrong(what, error.message) from error


def _wrong(entry: str, why: str) -> ConfigurationError:
    message = f"The setting 'fetch_allow' (WEFT_FETCH_ALLOW): '{entry[:100]}': {why}."
    return ConfigurationError(message, setting="fetch_allow")
