"""IP addresses that a sandbox may reach: public ones, looked up once."""

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.target import Target
from supervisor_ai.sandboxes.egress.traffic import Resolve

_UNICAST: Final = IPv6Network("2000::/3")
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
_MOST: Final = 4
HERE: Final = "localhost"
"""The name of this machine that nobody can lead elsewhere."""


async def look_up(host: str, port: int) -> Sequence[str]:
    """Ask the system's resolver, once; an address needs no thread that waits for it."""
    with suppress(ValueError):
        return [str(ip_address(host))]
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(address[0]) for *_, address in found]


async def public_addresses(target: Target, resolve: Resolve) -> Sequence[str]:
    """Find where the target is, or refuse it if that is nowhere public."""
    found = await any_addresses(target, resolve)
    public = [address for address in found if is_public(address)]
    if not public:
        raise Refused("private-address", target.host, target.port)
    return public


async def private_addresses(target: Target, resolve: Resolve) -> Sequence[str]:
    """Find where the target is, also in a private network; here only if its name says so."""
    found = await any_addresses(target, resolve)
    is_here = target.host == HERE
    near = [
        address for address in found if is_public(address) or _is_near(address, is_here=is_here)
    ]
    if not near:
        raise Refused("private-address", target.host, target.port)
    return near


async def any_addresses(target: Target, resolve: Resolve) -> Sequence[str]:
    """Find where the target is, wherever that is."""
    try:
        found = await resolve(target.host, target.port)
    except (OSError, UnicodeError):
        found = ()
    if not found:
        raise Refused("unresolvable", target.host, target.port)
    return list(dict.fromkeys(found))[:_MOST]


def is_public(address: str) -> bool:
    """Tell whether an address is one that anybody could reach; what it wraps counts."""
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv4Address):
        return _is_global(found)
    if found.scope_id is not None:
        return False
    wrapped = _wrapped(found)
    if wrapped:
        return all(map(_is_global, wrapped))
    return _is_global(found)


def _is_near(address: str, *, is_here: bool) -> bool:
    try:
        found = ip_address(address)
    except ValueError:
        return False
    if isinstance(found, IPv6Address) and (found.scope_id is not None or _wrapped(found)):
        return is_here and found.is_loopback
    if found.is_loopback:
        return is_here
    return found.is_private and not (
        found.is_link_local or found.is_unspecified or found.is_multicast or found.is_reserved
    )


def _is_global(address: IPv4Address | IPv6Address) -> bool:
    if isinstance(address, IPv6Address) and address not in _UNICAST:
        return False
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified
    )


def _wrapped(address: IPv6Address) -> tuple[IPv4Address, ...]:
    """Return the older addresses inside a newer one: packets may end up there."""
    low = IPv4Address(int(address) & 0xFFFFFFFF)
    if address in _TRANSLATED:
        return (low,)
    if address.teredo is not None:
        return address.teredo
    if int(address) >> 32 == 0:
        return (low,)
    return tuple(found for found in (address.ipv4_mapped, address.sixtofour) if found is not None)
