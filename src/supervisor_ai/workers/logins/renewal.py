"""Renewal of a login: one owner at a time, since what it is renewed with works once."""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Final
from urllib.parse import urlsplit

from supervisor_ai.domain.errors import SupervisorError, Unavailable
from supervisor_ai.tools.json_value import JsonObject, parse_object
from supervisor_ai.workers.launch.login_form import BadLogin, LoginForm, LoginTokens
from supervisor_ai.workers.logins.store import KeptLogin, LoginFiles

_PATIENCE: Final = 30.0
_LARGEST: Final = 1 << 20

Now = Callable[[], datetime]


def utc_now() -> datetime:
    """Tell the time."""
    return datetime.now(UTC)


class FixedHeaders:
    """A token that nobody can renew."""

    def __init__(self, form: LoginForm, tokens: LoginTokens) -> None:
        self._headers = form.headers(tokens)

    async def now(self) -> Mapping[str, str]:
        """Return what requests carry."""
        return self._headers

    async def renew(self, refused: Mapping[str, str]) -> None:
        """Do nothing: the CLI is told that it was refused."""


class KeptHeaders:
    """A login that is read anew for each request, and renewed where it must be."""

    def __init__(
        self, cli: str, form: LoginForm, files: LoginFiles, kept: KeptLogin, now: Now = utc_now
    ) -> None:
        self._cli = cli
        self._form = form
        self._files = files
        self._kept = kept
        self._now = now
        self._spent: str | None = None
        """What nobody would renew: asking again would not help."""

    def read(self) -> LoginTokens:
        """Read the login as it is now; raises BadLogin."""
        return self._form.read(self._files.document(self._cli, self._kept), self._kept.given_at)

    async def now(self) -> Mapping[str, str]:
        """Return what requests carry; where it cannot be renewed, the upstream has its say."""
        try:
            tokens = await asyncio.to_thread(self.read)
            if tokens.is_due(self._now()):
                tokens = await self.renewed(tokens)
        except BadLogin as bad:
            raise Unavailable(f"The login of {self._cli!r} cannot be read: {bad.problem}.") from bad
        return self._form.headers(tokens)

    async def renew(self, refused: Mapping[str, str]) -> None:
        """Renew what was refused, unless somebody has done so meanwhile."""
        try:
            tokens = await asyncio.to_thread(self.read)
        except BadLogin:
            return
        if tokens.refresh is not None and self._form.headers(tokens) == refused:
            await self.renewed(tokens)

    async def renewed(self, tokens: LoginTokens) -> LoginTokens:
        """Renew the login if that is possible, and return what holds then."""
        try:
            return await asyncio.to_thread(self.renew_now, tokens)
        except SupervisorError:
            return tokens

    def renew_now(self, old: LoginTokens) -> LoginTokens:
        """Renew the login, or find that another owner has; raises Unavailable."""
        try:
            with self._files.alone(self._cli, self._kept) as place:
                tokens = self.read()
                if tokens.access != old.access or tokens.refresh is None:
                    return tokens
                with self._files.successor(self._kept, place) as put:
                    document = self._files.document(self._cli, self._kept)
                    put(self._form.renewed(document, self._ask(tokens.refresh), self._now()))
                return self.read()
        except BadLogin as bad:
            raise self._refusal(bad.problem) from bad

    def _ask(self, refresh: str) -> JsonObject:
        if refresh == self._spent:
            raise self._refusal("it was refused before")
        url = self._kept.token_url or self._form.token_url or ""
        question = {
            "client_id": self._form.client,
            "grant_type": "refresh_token",
            "refresh_token": refresh,
            "scope": "openid profile email",
        }
        status, answer = _post(url, question)
        if status != HTTPStatus.OK:
            self._spent = refresh if status < HTTPStatus.INTERNAL_SERVER_ERROR else None
            raise self._refusal(f"{urlsplit(url).hostname} answered with status {status}")
        return answer

    def _refusal(self, why: str) -> Unavailable:
        return Unavailable(
            f"The login of {self._cli!r} could not be renewed: {why}.",
            hint=f"Log in again: supervisor login {self._cli}",
        )


def _post(url: str, question: Mapping[str, str]) -> tuple[int, JsonObject]:
    """Ask once, without following anybody elsewhere."""
    place = urlsplit(url)
    secure = place.scheme == "https"
    make = HTTPSConnection if secure else HTTPConnection
    connection = make(place.hostname or "", place.port, timeout=_PATIENCE)
    try:
        body = json.dumps(question).encode()
        connection.request("POST", place.path or "/", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, parse_object(answer.read(_LARGEST)) or {}
    except (OSError, HTTPException) as error:
        raise Unavailable(
            f"{place.hostname!r}, which renews the login, cannot be reached: "
            f"{type(error).__name__}.",
            hint="Try again when it can.",
        ) from error
    finally:
        connection.close()
