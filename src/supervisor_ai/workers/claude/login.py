"""The login of Claude Code: a long-lived token, or what it keeps of a login in a browser."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from supervisor_ai.domain.run.definition import Broker
from supervisor_ai.tools.json_value import JsonObject, mapping
from supervisor_ai.workers.launch.login_form import (
    BadLogin,
    LoginForm,
    LoginTokens,
    moment,
    token_at,
)

_KEPT: Final = "claudeAiOauth"
_PREFIX: Final = "sk-ant-oat01"
_TOKEN: Final = re.compile(r"sk-ant-oat[0-9]{2}-[\w-]{16,400}", re.ASCII)
_YEAR: Final = timedelta(days=366)
"""A token of `claude setup-token` names no end; a year after it was handed over it has had one."""


def _store(environment: Mapping[str, str], home: Path) -> Path:
    chosen = environment.get("CLAUDE_CONFIG_DIR")
    return Path(chosen or home / ".claude") / ".credentials.json"


def _read(document: JsonObject, given_at: datetime | None) -> LoginTokens:
    kept = mapping(document.get(_KEPT))
    access = token_at(kept, "accessToken")
    if access is None:
        raise BadLogin(f"it has no {_KEPT}.accessToken")
    _require_form(access)
    ends = moment(kept.get("expiresAt"), unit=1000)
    return LoginTokens(access=access, expires_at=ends or (given_at and given_at + _YEAR))


def _wrap(token: str) -> JsonObject:
    _require_form(token)
    return {_KEPT: {"accessToken": token}}


def _require_form(token: str) -> None:
    if token.startswith("sk-ant-api"):
        raise BadLogin("it is an API key", "Set it as ANTHROPIC_API_KEY; it needs no login.")
    if not _TOKEN.fullmatch(token):
        raise BadLogin(f"it does not look like {_PREFIX}-…")


def _renewed(document: JsonObject, answer: JsonObject, now: datetime) -> JsonObject:
    del document, answer, now
    raise BadLogin("Claude Code renews its own login")


LOGIN: Final = LoginForm(
    broker=Broker(
        upstream="https://api.anthropic.com",
        paths=("POST /v1/messages", "POST /v1/messages/count_tokens"),
        base_url="ANTHROPIC_BASE_URL",
        header="authorization: Bearer ${CLAUDE_CODE_OAUTH_TOKEN}",
        placeholder="CLAUDE_CODE_OAUTH_TOKEN",
    ),
    variable="CLAUDE_CODE_OAUTH_TOKEN",
    placeholder=f"{_PREFIX}-held-by-supervisor-and-worth-nothing-in-here",
    store=_store,
    read=_read,
    wrap=_wrap,
    renewed=_renewed,
    how="run `claude setup-token`, which prints a token that holds for a year",
)
