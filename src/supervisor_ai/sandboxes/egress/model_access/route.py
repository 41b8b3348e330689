"""The route of the credential broker: its upstream, and which requests it takes."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote_plus, urlsplit

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.engine.ports.sandbox import BrokerRoute, LiveHeaders
from supervisor_ai.sandboxes.egress.refusal import Refused
from supervisor_ai.sandboxes.egress.target import Target, canonical

_PATTERN: Final = re.compile(r"([A-Z]+) (/[A-Za-z0-9._~:@!$&'()*+,=/-]*)")
# A letter may be encoded, but nothing that a server could take for more than a letter.
_PATH: Final = re.compile(
    r"(?:/(?:[A-Za-z0-9._~:@!$&'()*+,=-]|%(?:2[bBcCdD]|3[0-9aAdD]|4[0-9a-fA-F]|5[0-9aAfF]"
    r"|6[1-9a-fA-F]|7[0-9aAeE]))+)*/?"
)
_QUERY: Final = re.compile(r"[\x21\x24-\x7e]*")
_DOTS: Final = re.compile(r"/\.{1,2}(?:/|\Z)")
_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE: Final = re.compile(r"[\x20-\x7e]+")
_CREDENTIALS: Final = frozenset({
    "key", "api_key", "api-key", "apikey", "x-api-key", "x-goog-api-key", "token", "access_token",
    "auth_token", "oauth_token", "bearer_token", "id_token", "auth", "authorization",
    "client_secret", "password",
})  # fmt: skip
# Some servers let a parameter stand for a header, a method or the kind of a body.
_OVERRIDES: Final = ("$http", "$req", "$key", "$access", "$ct", "$content")


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A broker's route, checked."""

    target: Target
    is_tls: bool
    is_local: bool
    authority: str
    base: str
    patterns: tuple[tuple[str, re.Pattern[str]], ...]
    header: str
    secret: str = field(repr=False)
    login: LiveHeaders | None = None
    web_tools: frozenset[str] = frozenset()
    """The web tools that the provider may use for this command."""

    async def headers(self) -> Mapping[str, str]:
        """Return what a request is given now."""
        found = {self.header: self.secret} if self.login is None else await self.login.now()
        if not all(_NAME.fullmatch(name) and _VALUE.fullmatch(it) for name, it in found.items()):
            raise InvalidInput("The broker's header or key contains what no header can.")
        return found

    def path(self, method: str, target: str) -> str:
        """Return the path to ask for upstream, without credentials, or refuse the request."""
        path, mark, query = target.partition("?")
        if not (path and _PATH.fullmatch(path) and _QUERY.fullmatch(query)) or _DOTS.search(path):
            raise Refused("bad-request", self.target.host, self.target.port)
        if not any(known == method and form.fullmatch(path) for known, form in self.patterns):
            raise Refused("path-not-listed", self.target.host, self.target.port)
        kept = "&".join(part for part in query.split("&") if not _is_credential(part))
        return self.base + path + (mark + kept if kept else "")


def parse_route(route: BrokerRoute) -> Route:
    """Check a route as the configuration has it; what cannot be used is an error."""
    url = urlsplit(route.upstream)
    if not route.upstream.isascii() or url.query or url.fragment or "@" in url.netloc:
        raise _unusable(route, "it is more than a scheme, a host, a port and a path")
    if url.scheme != "https" and not (route.is_local and url.scheme == "http"):
        raise _unusable(route, "it has to begin with https://")
    is_value = route.login is not None or _VALUE.fullmatch(route.secret)
    if not (_NAME.fullmatch(route.header) and is_value):
        raise InvalidInput("The broker's header or key contains what no header can.")
    base = url.path.rstrip("/")
    if base and not _PATH.fullmatch(base):
        raise _unusable(route, "its path cannot be used")
    return Route(
        target=_upstream(route),
        is_tls=url.scheme == "https",
        is_local=route.is_local,
        authority=url.netloc,
        base=base,
        patterns=tuple(_patterns(route)),
        header=route.header,
        secret=route.secret,
        login=route.login,
        web_tools=frozenset(route.web_tools),
    )


def _upstream(route: BrokerRoute) -> Target:
    url = urlsplit(route.upstream)
    try:
        port = url.port or (443 if url.scheme == "https" else 80)
        host = url.hostname or ""
        return Target(host=host if route.is_local and host else canonical(host), port=port)
    except ValueError:
        raise _unusable(route, "its port is no port") from None
    except Refused as refused:
        raise _unusable(route, refused.reason) from None


def _unusable(route: BrokerRoute, why: str) -> InvalidInput:
    return InvalidInput(f"The broker cannot send requests to {route.upstream!r}: {why}.")


def _patterns(route: BrokerRoute) -> Iterator[tuple[str, re.Pattern[str]]]:
    for entry in route.paths:
        found = _PATTERN.fullmatch(entry)
        if found is None or found[1] == "CONNECT":
            raise InvalidInput(
                f"{entry!r} is no request that a broker can take.",
                hint="Write a method and a path, like `POST /v1/messages`.",
            )
        yield found[1], re.compile("/".join(map(_segment, found[2].split("/"))))


def _segment(part: str) -> str:
    """Let `*` stand for a whole part of a path, or within one for anything up to a colon."""
    anything = "[^/]+" if part == "*" else "[^/:]+"
    return anything.join(map(re.escape, part.split("*")))


def _is_credential(part: str) -> bool:
    names = (unquote_plus(piece.partition("=")[0]).lower() for piece in part.split(";"))
    return any(name in _CREDENTIALS or name.startswith(_OVERRIDES) for name in names)
