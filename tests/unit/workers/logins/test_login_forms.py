"""What is taken for a login of each CLI, and what is told about one that is none."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.token_service import ACCOUNT, auth_json, jwt

from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.tools.json_value import Json
from supervisor_ai.workers.claude.login import LOGIN as CLAUDE
from supervisor_ai.workers.codex.login import LOGIN as CODEX
from supervisor_ai.workers.launch.login_form import BadLogin, LoginForm, LoginTokens

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TOKEN = "sk-ant-oat01-31415926535897932384626433"


def test_a_token_of_claude_holds_for_a_year_after_it_was_given() -> None:
    tokens = CLAUDE.read(CLAUDE.document(f"  {TOKEN}\n"), NOW)
    assert CLAUDE.headers(tokens) == {"authorization": f"Bearer {TOKEN}"}
    assert not tokens.is_over(NOW + timedelta(days=365))
    assert tokens.is_over(NOW + timedelta(days=367))


def test_claudes_own_store_says_when_it_ends() -> None:
    ends = NOW + timedelta(hours=8)
    milliseconds = int(ends.timestamp() * 1000)
    kept: Json = {"accessToken": TOKEN, "expiresAt": milliseconds, "refreshToken": "r"}
    tokens = CLAUDE.read({"claudeAiOauth": kept}, NOW)
    assert tokens.expires_at == ends
    assert tokens.refresh is None, "it is Claude Code's to renew"


def test_codex_has_an_account_and_renews_itself_before_the_end() -> None:
    access = jwt("mine")
    tokens = CODEX.read(CODEX.document(json.dumps(auth_json(access))), None)
    assert CODEX.headers(tokens) == {
        "authorization": f"Bearer {access}",
        "chatgpt-account-id": ACCOUNT,
    }
    now = datetime.now(UTC)
    assert not tokens.is_due(now)
    assert tokens.is_due(now + timedelta(minutes=58))
    assert LoginTokens(access="a", refresh="r", renew_at=now).is_due(now)
    assert not LoginTokens(access="a", expires_at=now).is_due(now), "nobody could renew it"


def test_an_access_token_by_itself_names_its_account() -> None:
    tokens = CODEX.read(CODEX.document(jwt("alone")), None)
    assert (tokens.account, tokens.refresh) == (ACCOUNT, None)


@pytest.mark.parametrize(
    ("form", "given", "problem"),
    [
        (CLAUDE, "sk-ant-api03-aaaaaaaaaaaaaaaaaaaa", "it is an API key"),
        (CLAUDE, "hello", "it does not look like sk-ant-oat01-…"),
        (CLAUDE, f"{TOKEN}\r\nx-evil: 1", "it does not look like sk-ant-oat01-…"),
        (CLAUDE, "{", "it begins like JSON and is none"),
        (CLAUDE, "{}", "it has no claudeAiOauth.accessToken"),
        (CLAUDE, '{"claudeAiOauth": [1]}', "it has no claudeAiOauth.accessToken"),
        (CLAUDE, '{"claudeAiOauth": {"accessToken": 7}}', "its 'accessToken' is no token"),
        (CODEX, "sk-proj-aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "it is an API key"),
        (CODEX, "an-opaque-token-without-claims", "it names no account"),
        (CODEX, "a.%%%.c", "it names no account"),
        (CODEX, "{" * 100_000, "it begins like JSON and is none"),
        (CODEX, '{"OPENAI_API_KEY": "sk-x"}', "it holds an API key and no login"),
        (CODEX, '{"tokens": "x"}', "it has no tokens.access_token"),
        (CODEX, '{"tokens": {"access_token": "a\\nb"}}', "its 'access_token' is no token"),
        (
            CODEX,
            json.dumps({"tokens": {"access_token": "a", "account_id": "a b"}}),
            "its 'account_id' is no token",
        ),
    ],
)
def test_what_is_no_login_is_refused_without_a_letter_of_it(
    form: LoginForm, given: str, problem: str
) -> None:
    with pytest.raises(BadLogin) as refused:
        form.read(form.document(given), None)
    assert refused.value.problem == problem


@pytest.mark.parametrize("exp", [True, "soon", 10**30, float("inf"), None])
def test_an_end_that_makes_no_sense_is_none(exp: object) -> None:
    kept = {"accessToken": TOKEN, "expiresAt": exp}
    assert CLAUDE.read({"claudeAiOauth": kept}, None).expires_at is None  # type: ignore[dict-item]


def test_nothing_secret_is_in_the_words_for_it() -> None:
    tokens = LoginTokens(access="a-secret", refresh="b-secret", account="c-secret")
    assert "secret" not in repr(tokens)


def test_redaction_knows_every_form() -> None:
    refresh = "rt_AbCdEf0123456789abcdef.ghIJKL0123456789abcdefghij"
    access = jwt("mine")
    for said in (json.dumps(auth_json(access, refresh=refresh)), f"{TOKEN} {access} {refresh}"):
        shown = RuleRedactor().redact(said).text
        assert [it for it in (TOKEN, access, refresh) if it in shown] == []
