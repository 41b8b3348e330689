"""What is told about a key or a login: how it stands, until when, and what to do about it."""

import re
from datetime import datetime
from pathlib import Path
from typing import Final

from supervisor_ai.control.ports.logins import LoginState, LoginView
from supervisor_ai.workers.launch.login_form import BadLogin, LoginForm, LoginTokens
from supervisor_ai.workers.launch.profile import LaunchProfile
from supervisor_ai.workers.logins.choice import LOGIN, Access, AccessChoice, key_variable
from supervisor_ai.workers.logins.login_file import exposure

_KEY: Final = re.compile(r"[\x21-\x7e]+")
_LOGIN_TOKEN: Final = re.compile(r"sk-ant-oat|eyJ")


def view_access(choice: AccessChoice, profile: LaunchProfile) -> LoginView:
    """Tell what an agent's requests would carry."""
    try:
        found = choice.find(profile)
    except BadLogin as bad:
        return _unreadable(choice, profile, bad)
    if found is None:
        return _missing(choice, profile)
    if found.tokens is None:
        return _key(choice, profile, found)
    return _login(choice, profile, found, found.tokens)


def _key(choice: AccessChoice, profile: LaunchProfile, found: Access) -> LoginView:
    value, problem = choice.said(found.uses), None
    if not _KEY.fullmatch(value):
        problem = f"{found.uses} holds what no key contains"
    elif _LOGIN_TOKEN.match(value) and profile.login is not None:
        problem = f"{found.uses} holds the token of a login, which is no key"
    kept = choice.files.path(profile.adapter)
    besides = f"the login in {str(kept)!r} is not used, because {found.uses} is set"
    variable = profile.login.variable if profile.login else ""
    return LoginView(
        cli=profile.adapter,
        state=LoginState.UNREADABLE if problem else LoginState.READY,
        uses=found.uses,
        source=None,
        until=None,
        is_renewed=False,
        detail=problem or f"the key in {found.uses}",
        hint=f"Set it as {variable} instead, and take {found.uses} away." if problem else None,
        warnings=(besides,) if kept.exists() else (),
    )


def _login(
    choice: AccessChoice, profile: LaunchProfile, found: Access, tokens: LoginTokens
) -> LoginView:
    is_over = tokens.is_over(choice.now()) and tokens.refresh is None
    where = f"in {str(found.source)!r}" if found.source else f"in {found.uses}"
    return LoginView(
        cli=profile.adapter,
        state=LoginState.EXPIRED if is_over else LoginState.READY,
        uses=found.uses,
        source=str(found.source) if found.source else None,
        until=tokens.expires_at,
        is_renewed=tokens.refresh is not None,
        detail=f"the login {where}{_end(tokens.expires_at, is_over=is_over)}",
        hint=_remedy(choice, profile, found.source) if is_over else None,
        warnings=_warnings(choice, profile, found),
    )


def _end(until: datetime | None, *, is_over: bool) -> str:
    if until is None:
        return ""
    return f"{' ended at' if is_over else ', until'} {until:%Y-%m-%d %H:%M} UTC"


def _warnings(choice: AccessChoice, profile: LaunchProfile, found: Access) -> tuple[str, ...]:
    kept = choice.files.path(profile.adapter)
    if found.uses != LOGIN:
        unused = f"the login in {str(kept)!r} is not used, because {found.uses} is set"
        return (unused,) if kept.exists() else ()
    places = dict.fromkeys((kept, found.source or kept))
    return tuple(filter(None, map(exposure, places)))


def _unreadable(choice: AccessChoice, profile: LaunchProfile, bad: BadLogin) -> LoginView:
    form, kept = profile.login, choice.files.path(profile.adapter)
    given = form is not None and choice.said(form.variable)
    where = form.variable if form and given else str(kept)
    return LoginView(
        cli=profile.adapter,
        state=LoginState.UNREADABLE,
        uses=form.variable if form and given else LOGIN,
        source=None if given else str(kept),
        until=None,
        is_renewed=False,
        detail=f"the login in {where!r} cannot be used: {bad.problem}",
        hint=bad.hint or _remedy(choice, profile),
    )


def _missing(choice: AccessChoice, profile: LaunchProfile) -> LoginView:
    names = [it for it in (key_variable(profile), profile.login and profile.login.variable) if it]
    unset = f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} not set"
    kept = ", and no login is kept" if profile.login else ""
    return LoginView(
        cli=profile.adapter,
        state=LoginState.MISSING,
        uses=None,
        source=None,
        until=None,
        is_renewed=False,
        detail=f"no key and no login was found: {unset}{kept}" if profile.login else unset,
        hint=_remedy(choice, profile),
    )


def _remedy(choice: AccessChoice, profile: LaunchProfile, ended: Path | None = None) -> str:
    key, form = key_variable(profile), profile.login
    ways = [] if form is None else [_way_in(choice, profile.adapter, form, ended)]
    ways += [f"set {key}"] if key else []
    said = ", or ".join(ways)
    return f"{said[:1].upper()}{said[1:]}."


def _way_in(choice: AccessChoice, cli: str, form: LoginForm, ended: Path | None) -> str:
    own = form.store(choice.environment, choice.home)
    anew = f"{form.how}, and give it once to `supervisor login {cli}`"
    if ended is not None and ended == own.absolute():
        return f"start `{cli}` once, which renews its own login, or {anew}"
    if ended is None and own.exists():
        return f"use the login in {str(own)!r} with `supervisor login {cli} --from-cli`"
    return anew
