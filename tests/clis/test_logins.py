"""The real CLIs with subscription logins: the broker holds them, workers have place-holders."""

import json
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from tests.clis.stage import KEYS, PATH, Stage, conversation
from tests.clis.whole_run import make_project, work
from tests.e2e.command import SUPERVISOR
from tests.support.token_service import ACCOUNT, TokenService, auth_json, jwt, serving

from supervisor_ai.control.ports.logins import GivenLogin
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.workers import WorkerReport
from supervisor_ai.lab.server import LabServer
from supervisor_ai.workers.logins.choice import AccessChoice
from supervisor_ai.workers.logins.user_logins import UserLogins

TOKEN: Final = "sk-ant-oat01-not-for-workers-31415926535897932384"
ACCESS: Final = jwt("mine")
LOGINS: Final = {"claude": TOKEN, "codex": json.dumps(auth_json(ACCESS))}
WORDS: Final = {"claude": "rate_limit_error", "codex": "usage_limit_reached"}
ANSWER: Final = 'Done.\n```json\n{"status": "SUCCESS"}\n```'
LOOK: Final = (
    "{ env; cat /proc/*/environ /proc/*/cmdline | tr '\\0' '\\n';"
    " cat /home/agent/.codex/auth.json; } 2>/dev/null; echo looked"
)


def play(stage: Stage, lab: LabServer, text: str, token_url: str | None = None) -> WorkerReport:
    """Log in as a user does, and let the CLI work with that."""
    choice = AccessChoice({}, stage.ground / "config", Path("/nowhere"))
    given = GivenLogin(cli=stage.adapter, text=text, upstream=lab.url, token_url=token_url)
    UserLogins(choice).keep(given, dry_run=False)
    request = stage.request(lab)
    cli = Cli(name=request.cli.name, adapter=stage.adapter)
    request = replace(request, cli=cli, login=choice.login_of(stage.adapter))
    return stage.attend(stage.worker(), request)


@pytest.mark.parametrize(("adapter", "text"), [*LOGINS.items()], ids=[*LOGINS])
def test_a_cli_works_with_a_login_that_it_never_sees(stage: Stage, text: str) -> None:
    secret = {"claude": TOKEN, "codex": ACCESS}[stage.adapter]
    work = stage.words.create(str(stage.tree / "made.txt"), "made by a tool")
    script = conversation(work, stage.words.run(LOOK), {"text": ANSWER})
    with LabServer({**script, "key_header": "authorization"}) as lab:
        report = play(stage, lab, text)

    assert report.diagnosis is not None, report
    assert report.diagnosis.has_succeeded, (report.diagnosis, stage.said)
    assert (stage.tree / "made.txt").exists()
    assert {seen.key for seen in lab.requests} == {secret}
    told = json.dumps([seen.body for seen in lab.requests])
    assert "looked" in told
    assert secret not in told + stage.said
    assert "rt-first" not in told + stage.said
    assert stage.refused == []
    if stage.adapter == "codex":
        assert {seen.path for seen in lab.requests} == {"/responses"}
        assert {seen.headers["chatgpt-account-id"] for seen in lab.requests} == {ACCOUNT}
    else:
        assert all("oauth" in seen.headers["anthropic-beta"] for seen in lab.requests)


@pytest.mark.parametrize(("adapter", "text"), [*LOGINS.items()], ids=[*LOGINS])
def test_a_quota_of_a_subscription_is_a_limit_that_ends(stage: Stage, text: str) -> None:
    ends = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=3)
    at = str(int(ends.timestamp()))
    headers = {
        "anthropic-ratelimit-unified-status": "rejected",
        "anthropic-ratelimit-unified-reset": at,
        "x-codex-primary-used-percent": "100",
        "x-codex-primary-reset-at": at,
        "x-codex-secondary-used-percent": "12",
        "x-codex-secondary-reset-at": str(int(at) + 500_000),
    }
    body = {"error": {"type": WORDS[stage.adapter], "message": "No more for now"}}
    limit = {"status": 429, "headers": headers, "body": body, "times": -1}
    with LabServer({"scenarios": [{"turns": [limit]}], "key_header": "authorization"}) as lab:
        report = play(stage, lab, text)

    assert report.diagnosis is not None, report
    assert report.diagnosis.category is FailureCategory.LIMIT, (report.diagnosis, stage.said)
    assert report.diagnosis.action is Action.PARK
    assert report.diagnosis.reset_at == ends


@pytest.mark.parametrize("adapter", ["codex"])
def test_codex_goes_on_when_its_login_is_refused_once(stage: Stage) -> None:
    first = jwt("first")
    turns = {"turns": [{"status": 401, "times": 1}, {"text": ANSWER}]}
    with serving(TokenService()) as service, LabServer({"scenarios": [turns]}) as lab:
        report = play(stage, lab, json.dumps(auth_json(first)), service.url)

    assert report.diagnosis is not None, report
    assert report.diagnosis.has_succeeded, (report.diagnosis, stage.said)
    assert len(service.asked) == 1
    assert [seen.key for seen in lab.requests] == [first, service.given[0]]
    kept = json.loads((stage.ground / "config" / "logins" / "codex.json").read_text())
    assert kept["document"]["tokens"]["refresh_token"] == service.valid
    assert kept["document"]["more"] == "kept as it is"


@pytest.mark.parametrize("adapter", ["claude"])
def test_a_whole_run_works_with_a_login_and_keeps_it_to_itself(
    stage: Stage, tmp_path: Path
) -> None:
    user = make_project(tmp_path, {})
    for name in KEYS:
        user.environment.pop(name, None)
    user.environment["PATH"] = PATH
    script = {**conversation(*work(stage)), "key_header": "authorization"}
    with LabServer(script) as lab:
        given = subprocess.run(
            [SUPERVISOR, "login", "claude", "--upstream", lab.url],
            cwd=user.home,
            env=user.environment,
            input=TOKEN,
            capture_output=True,
            text=True,
            check=True,
        )
        said = user.run("--workflow", "quick", "--cli", "claude")

    assert said.code == 0, said.out + said.err
    assert {seen.key for seen in lab.requests} == {TOKEN}
    assert TOKEN not in given.stdout + given.stderr + said.out + said.err
    places = (user.repository, tmp_path / "state")
    files = [it for place in places for it in place.rglob("*") if it.is_file()]
    assert files
    assert [it for it in files if TOKEN.encode() in it.read_bytes()] == []
