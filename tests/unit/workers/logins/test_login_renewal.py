"""A login is renewed by one owner at a time, and kept before anybody uses it."""

import asyncio
import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.token_service import TokenService, auth_json, jwt, serving

from supervisor_ai.control.ports.logins import GivenLogin
from supervisor_ai.domain.errors import Unavailable
from supervisor_ai.workers.cli_agent import find_agent
from supervisor_ai.workers.logins.choice import Access, AccessChoice
from supervisor_ai.workers.logins.user_logins import UserLogins

OVER = timedelta(hours=-1)
CODEX = find_agent("codex").profile


def own_store(home: Path, access: str) -> Path:
    (home / ".codex").mkdir(parents=True)
    store = home / ".codex" / "auth.json"
    store.write_text(json.dumps(auth_json(access)))
    store.chmod(0o600)
    return store


def logged_in(place: Path, access: str, service: TokenService, *, own: bool) -> AccessChoice:
    """Log in with a document of one's own, or with the file of the CLI."""
    choice = AccessChoice({}, place / "config", place / "home")
    text = None if own else json.dumps(auth_json(access))
    if own:
        own_store(place / "home", access)
    given = GivenLogin(cli="codex", text=text, token_url=service.url)
    UserLogins(choice).keep(given, dry_run=False)
    return choice


def access_of(choice: AccessChoice) -> Access:
    found = choice.find(CODEX)
    assert found is not None
    assert found.renewal is not None
    return found


@pytest.mark.parametrize("own", [False, True], ids=["kept", "from the CLI"])
def test_two_who_find_it_ended_at_the_same_time_renew_it_once(tmp_path: Path, own: bool) -> None:  # noqa: FBT001
    async def both(first: AccessChoice, second: AccessChoice) -> list[str]:
        logins = [access_of(it).login for it in (first, second)]
        found = await asyncio.gather(*(it.headers.now() for it in logins if it))
        return [it["authorization"] for it in found]

    with serving(TokenService()) as service:
        choice = logged_in(tmp_path, jwt("old", ends_in=OVER), service, own=own)
        again = AccessChoice({}, tmp_path / "config", tmp_path / "home")
        found = asyncio.run(both(choice, again))
    assert len(service.asked) == 1
    assert found == [f"Bearer {service.given[0]}"] * 2
    assert service.asked[0]["grant_type"] == "refresh_token"


def test_what_the_cli_keeps_is_written_back_to_its_own_file(tmp_path: Path) -> None:
    with serving(TokenService()) as service:
        choice = logged_in(tmp_path, jwt("old", ends_in=OVER), service, own=True)
        access_of(choice).renewal.renew_now(access_of(choice).tokens)  # type: ignore[union-attr,arg-type]
    store = tmp_path / "home" / ".codex" / "auth.json"
    kept = json.loads(store.read_text())
    assert kept["tokens"]["access_token"] == service.given[0]
    assert kept["tokens"]["refresh_token"] == service.valid
    assert kept["more"] == "kept as it is"
    assert store.stat().st_mode & 0o777 == 0o600
    record = (tmp_path / "config" / "logins" / "codex.json").read_text()
    assert service.valid not in record, "there is one copy of it"


def test_one_that_was_refused_is_renewed_unless_somebody_has_done_so(tmp_path: Path) -> None:
    async def refused_twice(access: Access) -> None:
        assert access.login is not None
        old = await access.login.headers.now()
        await asyncio.gather(access.login.headers.renew(old), access.login.headers.renew(old))

    with serving(TokenService()) as service:
        choice = logged_in(tmp_path, jwt("old"), service, own=False)
        asyncio.run(refused_twice(access_of(choice)))
    assert len(service.asked) == 1


def test_where_it_cannot_be_renewed_the_upstream_has_its_say(tmp_path: Path) -> None:
    old = jwt("old", ends_in=OVER)

    async def thrice(access: Access) -> list[str]:
        assert access.login is not None
        return [(await access.login.headers.now())["authorization"] for _ in range(3)]

    with serving(TokenService("another refresh token")) as service:
        choice = logged_in(tmp_path, old, service, own=False)
        found = access_of(choice)
        assert asyncio.run(thrice(found)) == [f"Bearer {old}"] * 3
        assert len(service.asked) == 1, "a token that is spent is not offered again"
        with pytest.raises(
            Unavailable, match="could not be renewed: it was refused before"
        ) as told:
            found.renewal.renew_now(found.tokens)  # type: ignore[union-attr,arg-type]
    assert told.value.hint == "Log in again: supervisor login codex"
    assert old not in str(told.value)


def test_nothing_is_renewed_that_could_not_be_kept(tmp_path: Path) -> None:
    with serving(TokenService()) as service:
        choice = logged_in(tmp_path, jwt("old", ends_in=OVER), service, own=False)
        found = access_of(choice)
        logins = tmp_path / "config" / "logins"
        (logins / "codex.json.lock").touch()
        os.rename(logins, tmp_path / "gone")  # noqa: PTH104
        with pytest.raises(Unavailable, match=r"could not be renewed|cannot be kept"):
            found.renewal.renew_now(found.tokens)  # type: ignore[union-attr,arg-type]
    assert service.asked == []


def test_a_service_that_is_gone_is_named(tmp_path: Path) -> None:
    with serving(TokenService()) as service:
        choice = logged_in(tmp_path, jwt("old", ends_in=OVER), service, own=False)
    found = access_of(choice)
    with pytest.raises(Unavailable, match="which renews the login, cannot be reached"):
        found.renewal.renew_now(found.tokens)  # type: ignore[union-attr,arg-type]


def test_it_is_renewed_after_eight_days_although_it_would_hold(tmp_path: Path) -> None:
    later = datetime.now(UTC) + timedelta(days=9)
    with serving(TokenService()) as service:
        choice = logged_in(tmp_path, jwt("old", ends_in=timedelta(days=30)), service, own=False)
        later_on = AccessChoice({}, tmp_path / "config", tmp_path / "home", lambda: later)
        login = access_of(later_on).login
        assert login is not None
        asyncio.run(login.headers.now())
    assert len(service.asked) == 1
    del choice
