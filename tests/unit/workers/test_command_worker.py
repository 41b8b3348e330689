"""What a command worker asks its sandbox to run."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Broker, Cli, SandboxPolicy
from supervisor_ai.domain.run.values import EgressRefusal
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import (
    BrokerRoute,
    Channel,
    Mount,
    Profile,
    SandboxEnd,
    SandboxSpec,
)
from supervisor_ai.engine.ports.workers import WorkerReport, WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox
from supervisor_ai.workers.command import command_worker
from supervisor_ai.workers.scripted import scripted_worker

RUN = RunId("r1")


def printing(*pieces: tuple[Channel, bytes]) -> ScriptedSandbox:
    return ScriptedSandbox(lambda _spec: ScriptedReply(output=pieces))


def unexpected(refusal: EgressRefusal) -> None:
    raise AssertionError(refusal)


@pytest.fixture
def request_(tmp_path: Path) -> WorkerRequest:
    tree, program = tmp_path / "tree", tmp_path / "program"
    (program / "tools").mkdir(parents=True)
    (program / "tools" / "agent.py").write_text("")
    tree.mkdir()
    return WorkerRequest(
        run=RUN,
        step=StepName("implement"),
        visit=2,
        slot=1,
        attempt=3,
        role="implementer",
        cli=Cli(
            name="my_agent",
            adapter="command",
            command=("python3", "tools/agent.py", "--fast", "no/such"),
            environment={"MODE": "quick", "KEY": "${AGENT_KEY}"},
        ),
        prompt="Do it. ✓",
        nonce="kvmq-tzrb-xwph",
        workspace=Workspace(
            run=RUN,
            key=EffectKey("k"),
            path=tree,
            start=CommitSha("c"),
            mounts=(Mount(source=tree, target=tree, is_writable=True),),
            environment={"GIT_AUTHOR_NAME": "Worker"},
        ),
        program=program,
        label="r1/implement/2/1/worker/3",
        fence=0,
        timeout=timedelta(minutes=1),
        output_bytes=1000,
        sandbox=SandboxPolicy(ro_paths=("/opt/tools",), caches=("pip",)),
        egress=(),
        on_refusal=unexpected,
    )


def run(
    sandbox: ScriptedSandbox, request: WorkerRequest, environment: dict[str, str] | None = None
) -> tuple[WorkerReport, SandboxSpec, list[bytes]]:
    heard: list[bytes] = []
    worker = command_worker(sandbox, {"AGENT_KEY": "k-1"} if environment is None else environment)
    report = asyncio.run(worker.run(request, lambda _channel, chunk: heard.append(chunk)))
    return report, sandbox.specs[-1], heard


def test_the_prompt_goes_to_stdin_and_the_attempt_into_the_environment(
    request_: WorkerRequest,
) -> None:
    _, spec, _ = run(printing(), request_)
    assert spec.stdin == "Do it. ✓".encode()
    assert spec.environment == {
        "GIT_AUTHOR_NAME": "Worker",
        "MODE": "quick",
        "KEY": "k-1",
        "SUPERVISOR_RUN": "r1",
        "SUPERVISOR_STEP": "implement",
        "SUPERVISOR_ROLE": "implementer",
        "SUPERVISOR_VISIT": "2",
        "SUPERVISOR_SLOT": "1",
        "SUPERVISOR_ATTEMPT": "3",
        "SUPERVISOR_NONCE": "kvmq-tzrb-xwph",
    }


def test_a_worker_runs_in_its_workspace_under_its_limits(request_: WorkerRequest) -> None:
    _, spec, _ = run(printing(), request_)
    assert (spec.cwd, spec.profile) == (request_.workspace.path, Profile.WORKER)
    assert (spec.timeout, spec.output_bytes) == (timedelta(minutes=1), 1000)
    assert spec.label == request_.label
    assert (spec.ro_paths, spec.caches) == (("/opt/tools",), ("pip",))
    assert spec.limits == request_.sandbox.worker
    assert spec.mounts == (
        *request_.workspace.mounts,
        Mount(source=request_.program, target=request_.program),
    )


BROKER = Broker(
    upstream="https://api.example.com",
    paths=("POST /v1/messages",),
    base_url="EXAMPLE_BASE_URL",
    header="authorization: Bearer ${AGENT_KEY}",
    placeholder="EXAMPLE_API_KEY",
)


def test_a_worker_without_a_list_and_without_a_broker_has_no_way_out(
    request_: WorkerRequest,
) -> None:
    _, spec, _ = run(printing(), request_)
    assert spec.egress is None


def test_listed_hosts_are_the_ways_out_within_the_budget(request_: WorkerRequest) -> None:
    _, spec, _ = run(printing(), replace(request_, egress=("example.com:443",), tokens=9))
    assert spec.egress is not None
    assert (spec.egress.allow, spec.egress.tokens) == (("example.com:443",), 9)
    assert (spec.egress.broker, spec.egress.broker_variables) == (None, ())
    assert spec.egress.on_refusal is unexpected


def test_a_broker_holds_the_key_and_the_worker_gets_a_placeholder(
    request_: WorkerRequest,
) -> None:
    cli = replace(request_.cli, broker=BROKER, environment={})
    _, spec, _ = run(printing(), replace(request_, cli=cli))
    assert spec.egress is not None
    assert spec.egress.broker == BrokerRoute(
        upstream="https://api.example.com",
        paths=("POST /v1/messages",),
        header="authorization",
        secret="Bearer k-1",
    )
    assert spec.egress.broker_variables == ("EXAMPLE_BASE_URL",)
    assert spec.environment["EXAMPLE_API_KEY"] == "held-by-supervisor"
    assert "k-1" not in repr(spec)
    assert "k-1" not in str(spec.environment)


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        (None, ()),
        (("read_file",), ()),
        (("read_file", "web_search"), ("web_search",)),
        (("web_search", "web_fetch", "code_execution"), ("web_fetch", "web_search")),
    ],
)
def test_a_provider_may_use_the_web_only_where_the_role_names_it(
    request_: WorkerRequest, allowed: tuple[str, ...] | None, expected: tuple[str, ...]
) -> None:
    cli = replace(request_.cli, broker=BROKER, environment={})
    _, spec, _ = run(printing(), replace(request_, cli=cli, allowed_tools=allowed))
    assert spec.egress is not None
    assert spec.egress.broker is not None
    assert spec.egress.broker.web_tools == expected


def test_relative_paths_mean_the_export_of_the_base_commit(request_: WorkerRequest) -> None:
    _, spec, _ = run(printing(), request_)
    exported = str(request_.program / "tools" / "agent.py")
    assert spec.argv == ("python3", exported, "--fast", "no/such")


@pytest.mark.parametrize(
    "argument",
    ["/etc/passwd", "../tree", "tools/../../tree", "", ".", "./", "-tools/agent.py", "x" * 5000],
)
def test_other_arguments_stay_as_they_are(request_: WorkerRequest, argument: str) -> None:
    cli = replace(request_.cli, command=("agent", argument))
    _, spec, _ = run(printing(), replace(request_, cli=cli))
    assert spec.argv == ("agent", argument)


@pytest.mark.parametrize(
    ("argument", "meant"),
    [
        ("tools", "{}/tools"),
        ("./tools/agent.py", "{}/tools/agent.py"),
        ("tools/../tools/agent.py", "{}/tools/agent.py"),
        ("--config=tools/agent.py", "--config={}/tools/agent.py"),
        ("--config=no/such", "--config=no/such"),
    ],
)
def test_paths_are_found_in_every_form(request_: WorkerRequest, argument: str, meant: str) -> None:
    cli = replace(request_.cli, command=("agent", argument))
    _, spec, _ = run(printing(), replace(request_, cli=cli))
    assert spec.argv == ("agent", meant.format(request_.program))


@pytest.mark.parametrize("first", ["tools/other.py", "./agent", "../tree/agent", "tree/../agent"])
def test_a_program_is_never_taken_from_the_workspace(request_: WorkerRequest, first: str) -> None:
    (request_.workspace.path / "agent").write_text("planted")
    sandbox = printing()
    cli = replace(request_.cli, command=(first,))
    worker = command_worker(sandbox, {})
    report = asyncio.run(worker.run(replace(request_, cli=cli), lambda _channel, _chunk: None))
    assert report.result.end is SandboxEnd.COMMAND_MISSING
    assert report.result.reason == (
        f"The command {first!r} cannot be started: the base commit has no such file."
    )
    assert sandbox.specs == []


def test_the_program_itself_may_be_of_the_repository(request_: WorkerRequest) -> None:
    cli = replace(request_.cli, command=("tools/agent.py",))
    _, spec, _ = run(printing(), replace(request_, cli=cli))
    assert spec.argv == (str(request_.program / "tools" / "agent.py"),)


@pytest.mark.parametrize("target", ["../secret", "no/../../such", "link", "/etc/passwd"])
def test_a_link_out_of_the_repository_is_refused(
    request_: WorkerRequest, tmp_path: Path, target: str
) -> None:
    (tmp_path / "secret").write_text("")
    (request_.program / "link").symlink_to(target)
    cli = replace(request_.cli, command=("cat", "link"))
    with pytest.raises(InvalidInput, match="leads out of the repository"):
        run(printing(), replace(request_, cli=cli))


def test_a_link_within_the_repository_is_followed(request_: WorkerRequest) -> None:
    (request_.program / "link").symlink_to("tools/agent.py")
    cli = replace(request_.cli, command=("cat", "link"))
    _, spec, _ = run(printing(), replace(request_, cli=cli))
    assert spec.argv == ("cat", str(request_.program / "link"))


def test_a_prompt_that_is_no_text_is_sent_all_the_same(request_: WorkerRequest) -> None:
    _, spec, _ = run(printing(), replace(request_, prompt="a\ud800b"))
    assert spec.stdin == b"a?b"


def test_no_more_is_collected_than_the_limit_allows(request_: WorkerRequest) -> None:
    pieces = [(Channel.STDOUT, b"x" * 700)] * 2
    report, _, _ = run(printing(*pieces), request_)
    assert report.output == "x" * 1000


def test_stdout_is_the_answers_place_and_everything_is_passed_on(request_: WorkerRequest) -> None:
    pieces = ((Channel.STDOUT, b"one \xff"), (Channel.STDERR, b"noise"), (Channel.STDOUT, b"two"))
    report, _, heard = run(printing(*pieces), request_)
    assert report.output == "one \N{REPLACEMENT CHARACTER}two"
    assert heard == [b"one \xff", b"noise", b"two"]


def test_a_missing_variable_of_the_user_is_named(request_: WorkerRequest) -> None:
    with pytest.raises(InvalidInput, match="'AGENT_KEY', and it is not set"):
        run(printing(), request_, {})


def test_a_scripted_worker_needs_a_script(request_: WorkerRequest) -> None:
    worker = scripted_worker(printing(), {"AGENT_KEY": ""})
    with pytest.raises(InvalidInput, match="has no script"):
        asyncio.run(worker.run(request_, lambda _channel, _chunk: None))


def test_a_scripted_worker_gets_its_script_before_the_prompt(request_: WorkerRequest) -> None:
    sandbox = printing()
    worker = scripted_worker(sandbox, {"AGENT_KEY": ""})
    scripted = replace(request_, cli=replace(request_.cli, script='{"replies":[]}'))
    asyncio.run(worker.run(scripted, lambda _channel, _chunk: None))
    assert sandbox.specs[0].stdin == '{"replies":[]}\nDo it. ✓'.encode()
