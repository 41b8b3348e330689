"""What a worker with a CLI of its own asks its sandbox to run, and what it makes of the end."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Broker, Cli, SandboxPolicy
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import EgressRefusal, Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel, Mount, Profile, SandboxEnd, SandboxSpec
from supervisor_ai.engine.ports.workers import (
    Observation,
    WorkerReport,
    WorkerRequest,
    WorkerStarted,
)
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.sandboxes.unsandboxed import UnsandboxedSandbox
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox
from supervisor_ai.workers.agent_worker import AgentWorker
from supervisor_ai.workers.agents import DIALECTS, PROFILES
from supervisor_ai.workers.cli_agent import find_agent
from supervisor_ai.workers.environment import PLACEHOLDER
from supervisor_ai.workers.launch.launcher import Launcher
from supervisor_ai.workers.registry import AGENTS

FACTORIES = {name: find_agent(name).worker for name in AGENTS}
USER = {"ANTHROPIC_API_KEY": "sk-a", "OPENAI_API_KEY": "sk-o", "GEMINI_API_KEY": "sk-g"}
INIT = {"type": "system", "subtype": "init", "session_id": "s1", "model": "claude-opus-5-5"}
RESULT = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "terminal_reason": "completed",
    "result": "Done. ✓",
    "session_id": "s1",
    "total_cost_usd": 0.25,
    "modelUsage": {"claude-opus-5-5": {"inputTokens": 100, "outputTokens": 20, "costUSD": 0.25}},
}


def lines(*records: Mapping[str, object]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


@dataclass
class Scene:
    """A workspace, a sandbox that says what it is told to say, and what came of it."""

    ground: Path
    heard: list[tuple[Channel, bytes]] = field(default_factory=list)
    observed: list[Observation] = field(default_factory=list)
    refused: list[EgressRefusal] = field(default_factory=list)

    @property
    def tree(self) -> Path:
        return self.ground / "tree"

    def request(self, cli: Cli) -> WorkerRequest:
        mount = Mount(source=self.tree, target=self.tree, is_writable=True)
        return WorkerRequest(
            run=RunId("r1"),
            step=StepName("implement"),
            visit=1,
            slot=0,
            attempt=1,
            role="implementer",
            cli=cli,
            prompt="Do it. ✓",
            workspace=Workspace(
                run=RunId("r1"),
                key=EffectKey("k"),
                path=self.tree,
                start=CommitSha("c"),
                mounts=(mount,),
            ),
            program=self.ground,
            label="r1/implement/1/0/worker/1",
            fence=0,
            timeout=timedelta(minutes=1),
            output_bytes=1_000_000,
            sandbox=SandboxPolicy(),
            egress=(),
            on_refusal=self.refused.append,
            on_observation=self.observed.append,
        )

    def run(self, cli: Cli, reply: ScriptedReply | None = None) -> tuple[WorkerReport, SandboxSpec]:
        sandbox = ScriptedSandbox(lambda _: reply)
        worker = FACTORIES[cli.adapter](sandbox, USER)
        sink = lambda *piece: self.heard.append(piece)  # noqa: E731
        report = asyncio.run(worker.run(self.request(cli), sink))
        [spec] = sandbox.specs
        return report, spec


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    (tmp_path / "tree").mkdir()
    return Scene(tmp_path)


def claude(**changes: object) -> Cli:
    return replace(Cli(name="claude", adapter="claude"), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("adapter", FACTORIES)
def test_a_cli_is_started_with_the_prompt_on_stdin_and_a_key_that_is_worth_nothing(
    scene: Scene, adapter: str
) -> None:
    _, spec = scene.run(Cli(name=adapter, adapter=adapter), ScriptedReply())
    assert spec.profile is Profile.WORKER
    assert spec.argv[0] == adapter
    assert spec.stdin == "Do it. ✓".encode()
    assert spec.cwd == scene.tree
    assert not any("sk-" in text for text in (*spec.argv, *spec.environment.values()))
    assert PLACEHOLDER in spec.environment.values()
    assert spec.egress is not None
    assert spec.egress.broker is not None
    assert "sk-" in spec.egress.broker.secret


def test_the_report_holds_the_answer_the_usage_and_a_diagnosis(scene: Scene) -> None:
    said = lines(INIT, RESULT)
    pieces = ((Channel.STDOUT, said[:50]), (Channel.STDERR, b"noise"), (Channel.STDOUT, said[50:]))
    seen = Usage(tokens_in=90, tokens_out=30)
    report, _ = scene.run(claude(), ScriptedReply(output=pieces, usage=seen))
    assert report.output == "Done. ✓"
    assert report.diagnosis is not None
    assert report.diagnosis.has_succeeded
    assert report.diagnosis.session == "s1"
    # Of what the CLI says and what the broker saw, the larger.
    assert (report.usage.tokens_in, report.usage.tokens_out) == (100, 30)
    assert report.usage.cost == Decimal("0.25")
    assert scene.heard == list(pieces)
    assert WorkerStarted(session="s1", model="claude-opus-5-5") in scene.observed


def test_a_failure_is_diagnosed_with_the_clock_it_was_given(scene: Scene) -> None:
    failure = {**RESULT, "is_error": True, "api_error_status": 429, "terminal_reason": "api_error"}
    failure["result"] = "You've hit your limit · resets 3pm (UTC)"
    reply = ScriptedReply(output=((Channel.STDOUT, lines(INIT, failure)),), exit_code=1)
    worker = AgentWorker(
        DIALECTS["claude"],
        Launcher(PROFILES["claude"]),
        ScriptedSandbox(lambda _: reply),
        USER,
        now=lambda: datetime(2030, 1, 1, 12, tzinfo=UTC),
    )
    report = asyncio.run(worker.run(scene.request(claude()), lambda *_: None))
    assert report.diagnosis is not None
    assert report.diagnosis.category is FailureCategory.LIMIT
    assert report.diagnosis.reset_at == datetime(2030, 1, 1, 15, tzinfo=UTC)


def test_a_program_that_is_missing_is_left_to_the_sandbox_to_explain(scene: Scene) -> None:
    report, _ = scene.run(claude(), None)
    assert report.result.end is SandboxEnd.COMMAND_MISSING
    assert report.diagnosis is None
    assert report.output == ""


def test_what_the_user_configures_goes_above_what_we_say(scene: Scene) -> None:
    mine = Broker(
        upstream="http://127.0.0.1:9",
        paths=("POST /v1/messages",),
        base_url="ANTHROPIC_BASE_URL",
        header="x-api-key: ${OPENAI_API_KEY}",
        is_local=True,
    )
    cli = claude(
        command=("/opt/claude", "--debug"),
        environment={"CLAUDE_CODE_MAX_RETRIES": "0"},
        broker=mine,
    )
    _, spec = scene.run(cli, ScriptedReply())
    assert spec.argv[:3] == ("/opt/claude", "--debug", "-p")
    assert spec.environment["CLAUDE_CODE_MAX_RETRIES"] == "0"
    assert spec.environment["DISABLE_AUTOUPDATER"] == "1"
    assert spec.egress is not None
    assert spec.egress.broker is not None
    assert spec.egress.broker.upstream == "http://127.0.0.1:9"


def test_the_name_may_carry_the_model(scene: Scene) -> None:
    _, spec = scene.run(claude(name="claude:opus"), ScriptedReply())
    assert spec.argv[spec.argv.index("--model") + 1] == "opus"


def test_files_of_the_home_and_covers_are_there_while_it_runs(scene: Scene) -> None:
    (scene.tree / ".gemini").mkdir()
    there: dict[str, object] = {}

    def look(spec: SandboxSpec) -> ScriptedReply:
        there.update({str(mount.target): mount.source.exists() for mount in spec.mounts})
        return ScriptedReply()

    worker = find_agent("gemini").worker(ScriptedSandbox(look), USER)
    request = scene.request(Cli(name="gemini", adapter="gemini"))
    asyncio.run(worker.run(request, lambda *_: None))
    assert there == {
        str(scene.tree): True,
        "/home/agent/.gemini/settings.json": True,
        str(scene.tree / ".gemini"): True,
    }


def test_a_program_in_the_workspace_is_refused(scene: Scene) -> None:
    with pytest.raises(InvalidInput, match="looked for in the workspace"):
        scene.run(claude(command=("tools/claude",)), ScriptedReply())


def test_a_cli_is_not_started_without_a_sandbox(scene: Scene) -> None:
    sandbox = UnsandboxedSandbox(state=scene.ground / "state", environment={})
    worker = find_agent("claude").worker(sandbox, USER)
    with pytest.raises(InvalidInput, match="needs a sandbox"):
        asyncio.run(worker.run(scene.request(claude()), lambda *_: None))


def test_a_key_that_is_not_set_is_named(scene: Scene) -> None:
    worker = find_agent("claude").worker(ScriptedSandbox(lambda _: ScriptedReply()), {})
    with pytest.raises(InvalidInput, match="ANTHROPIC_API_KEY"):
        asyncio.run(worker.run(scene.request(claude()), lambda *_: None))


def test_of_complaints_only_the_end_is_kept(scene: Scene) -> None:
    noise = tuple((Channel.STDERR, b"x" * 400_000) for _ in range(4))
    cli = claude()
    request = replace(scene.request(cli), output_bytes=10_000_000)
    reply = ScriptedReply(output=(*noise, (Channel.STDERR, b"Not logged in")), exit_code=1)
    worker = find_agent("claude").worker(ScriptedSandbox(lambda _: reply), USER)
    report = asyncio.run(worker.run(request, lambda *_: None))
    assert report.diagnosis is not None
    assert report.diagnosis.category is not None


@pytest.mark.parametrize(
    ("words", "succeeds"),
    [((), True), (("--json-schema", "{}"), False), (("--json-schema={}",), False)],
)
def test_a_schema_that_the_users_command_demands_has_to_be_filled(
    scene: Scene, words: tuple[str, ...], *, succeeds: bool
) -> None:
    reply = ScriptedReply(output=((Channel.STDOUT, lines(RESULT)),))
    report, _ = scene.run(claude(command=("claude", *words)), reply)
    assert report.diagnosis is not None
    assert report.diagnosis.has_succeeded is succeeds
