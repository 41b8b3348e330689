"""The form of a login: what each CLI's own document of it says, and what is told about it."""

import base64
import binascii
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.definition import Broker
from supervisor_ai.tools.json_value import Json, JsonObject, parse_object

_MARGIN: Final = timedelta(minutes=5)
"""What ends so soon would end in the middle of a request."""
_TOKEN: Final = re.compile(r"[\x21-\x7e]{1,16384}")
_PARTS_OF_A_JWT: Final = 3


class BadLogin(Exception):
    """A text that is no login of its CLI; the message says what it lacks, never what it holds."""

    def __init__(self, problem: str, hint: str | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.hint = hint


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginTokens:
    """What a login says: what requests carry, until when, and how it is renewed."""

    access: str = field(repr=False)
    refresh: str | None = field(default=None, repr=False)
    account: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None
    renew_at: datetime | None = None
    """When it is to be renewed although it would still hold."""

    def is_over(self, now: datetime) -> bool:
        """Tell whether no request would be answered any more."""
        return self.expires_at is not None and self.expires_at <= now

    def is_due(self, now: datetime) -> bool:
        """Tell whether it can and should be renewed."""
        ends = [it for it in (self.expires_at, self.renew_at) if it is not None]
        return self.refresh is not None and any(it <= now + _MARGIN for it in ends)


class LoginForm(Struct, frozen=True, kw_only=True):
    """How one CLI logs in with a subscription, and what a worker is given instead."""

    broker: Broker
    """The way to the model with it; the header names the variable that may hold a token."""
    variable: str
    """The variable of the user's in which a token may come."""
    placeholder: str
    """What looks like a token to the CLI, and is worth nothing."""
    words: tuple[str, ...] = ()
    """What the CLI is told besides, so that it asks at the other place."""
    account_header: str | None = None
    token_url: str | None = None
    """Where it is renewed; None: it never is."""
    client: str = ""
    """As whom it is renewed: the CLI's own public name."""
    store: Callable[[Mapping[str, str], Path], Path]
    """Finds the CLI's own store: from the user's variables and home."""
    read: Callable[[JsonObject, datetime | None], LoginTokens]
    """Reads a document, given when it was handed over; raises BadLogin."""
    wrap: Callable[[str], JsonObject]
    """Makes a document of a token that was given by itself."""
    renewed: Callable[[JsonObject, JsonObject, datetime], JsonObject]
    """Puts the answer of whoever renews into the document; raises BadLogin."""
    how: str
    """How a person gets a token."""

    def document(self, text: str) -> JsonObject:
        """Take what a person gave: the CLI's own document, or a token by itself."""
        given = text.strip()
        if given.startswith("{"):
            found = parse_object(given)
            if found is None:
                hint = "A document of several lines comes through a pipe: supervisor login … < FILE"
                raise BadLogin("it begins like JSON and is none", hint)
            return found
        return self.wrap(given)

    def headers(self, tokens: LoginTokens) -> Mapping[str, str]:
        """Return what requests carry."""
        carried = {"authorization": f"Bearer {tokens.access}"}
        if self.account_header and tokens.account:
            carried[self.account_header] = tokens.account
        return carried


def token_at(document: Mapping[str, Json], key: str) -> str | None:
    """Return a token, None where there is none; refuse what no header could carry."""
    found = document.get(key)
    if found is None or found == "":
        return None
    if not isinstance(found, str) or not _TOKEN.fullmatch(found):
        raise BadLogin(f"its {key!r} is no token")
    return found


def claims(token: str) -> JsonObject:
    """Read what a JWT says of itself; nobody checks its signature here, and nobody has to."""
    parts = token.split(".")
    if len(parts) != _PARTS_OF_A_JWT:
        return {}
    padded = parts[1] + "=" * (-len(parts[1]) % 4)
    try:
        return parse_object(base64.urlsafe_b64decode(padded)) or {}
    except (ValueError, binascii.Error):
        return {}


def moment(value: Json, *, unit: int = 1) -> datetime | None:
    """Read a moment in seconds since 1970, or in parts of them."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        return datetime.fromtimestamp(value / unit, UTC)
    except (ValueError, OverflowError, OSError):
        return None
