"""The login of Codex with ChatGPT, whose refresh token works once."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from supervisor_ai.domain.run.definition import Broker
from supervisor_ai.tools.json_value import Json, JsonObject, inner, mapping
from supervisor_ai.workers.environment import DOOR
from supervisor_ai.workers.launch.login_form import (
    BadLogin,
    LoginForm,
    LoginTokens,
    claims,
    moment,
    token_at,
)
from supervisor_ai.workers.launch.means import toml

_ABOUT: Final = "https://api.openai.com/auth"
_HELD: Final = timedelta(days=8)
"""After so long Codex renews a login that would still hold."""
_PLACEHOLDER: Final = "held-by-supervisor"


def _store(environment: Mapping[str, str], home: Path) -> Path:
    return Path(environment.get("CODEX_HOME") or home / ".codex") / "auth.json"


def _read(document: JsonObject, given_at: datetime | None) -> LoginTokens:
    del given_at
    tokens = mapping(document.get("tokens"))
    access = token_at(tokens, "access_token")
    if access is None:
        raise _without_tokens(document)
    _refuse_key(access)
    refresh = token_at(tokens, "refresh_token")
    since = _since(document.get("last_refresh"))
    return LoginTokens(
        access=access,
        refresh=refresh,
        account=_account(tokens, access),
        expires_at=moment(claims(access).get("exp")),
        renew_at=since + _HELD if since and refresh else None,
    )


def _without_tokens(document: Mapping[str, Json]) -> BadLogin:
    if document.get("OPENAI_API_KEY"):
        return BadLogin(
            "it holds an API key and no login", "Set it as OPENAI_API_KEY; it needs no login."
        )
    return BadLogin("it has no tokens.access_token")


def _refuse_key(token: str) -> None:
    if token.startswith("sk-"):
        raise BadLogin("it is an API key", "Set it as OPENAI_API_KEY; it needs no login.")


def _account(tokens: Mapping[str, Json], access: str) -> str:
    said = token_at(tokens, "account_id")
    if said is not None:
        return said
    sources = (access, token_at(tokens, "id_token") or "")
    found = (inner(claims(it), _ABOUT, "chatgpt_account_id") for it in sources)
    account = next((token_at({"account_id": it}, "account_id") for it in found if it), None)
    if account is None:
        raise BadLogin("it names no account")
    return account


def _since(value: Json) -> datetime | None:
    try:
        written = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return written.astimezone(UTC) if written and written.tzinfo else None


def _wrap(token: str) -> JsonObject:
    _refuse_key(token)
    return {"auth_mode": "chatgpt", "OPENAI_API_KEY": None, "tokens": {"access_token": token}}


def _renewed(document: JsonObject, answer: JsonObject, now: datetime) -> JsonObject:
    if token_at(answer, "access_token") is None:
        raise BadLogin("the answer has no access_token")
    names = ("id_token", "access_token", "refresh_token")
    fresh = {name: found for name in names if (found := token_at(answer, name))}
    tokens = {**mapping(document.get("tokens")), **fresh}
    written = now.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return {**document, "tokens": tokens, "last_refresh": written}


LOGIN: Final = LoginForm(
    broker=Broker(
        upstream="https://chatgpt.com/backend-api/codex",
        paths=("POST /responses",),
        base_url="OPENAI_BASE_URL",
        header="authorization: Bearer ${CODEX_ACCESS_TOKEN}",
        placeholder="OPENAI_API_KEY",
    ),
    variable="CODEX_ACCESS_TOKEN",
    placeholder=_PLACEHOLDER,
    words=("-c", f"model_providers.supervisor.base_url={toml(DOOR)}"),
    account_header="chatgpt-account-id",
    token_url="https://auth.openai.com/oauth/token",  # noqa: S106 - an address
    client="app_EMoamEEZ73f0CkXaXp7hrann",
    store=_store,
    read=_read,
    wrap=_wrap,
    renewed=_renewed,
    how="run `codex login` (or `codex login --device-auth`), which writes auth.json",
)
