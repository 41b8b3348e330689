"""What a command worker asks its sandbox to run."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.engine.ports.sandbox import Channel, Mount, Profile, SandboxSpec
from supervisor_ai.engine.ports.workers import WorkerReport, WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox
from supervisor_ai.workers.command import command_worker
from supervisor_ai.workers.registry import adapters, worker_factory
from supervisor_ai.workers.scripted import scripted_worker

RUN = RunId("r1")


def printing(*pieces: tuple[Channel, bytes]) -> ScriptedSandbox:
    return ScriptedSandbox(lambda _spec: ScriptedReply(output=pieces))


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
        timeout=timedelta(minutes=1),
        output_bytes=1000,
        ro_paths=("/opt/tools",),
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
    }


def test_a_worker_runs_in_its_workspace_under_its_limits(request_: WorkerRequest) -> None:
    _, spec, _ = run(printing(), request_)
    assert (spec.cwd, spec.profile) == (request_.workspace.path, Profile.WORKER)
    assert (spec.timeout, spec.output_bytes) == (timedelta(minutes=1), 1000)
    assert spec.label == request_.label
    assert spec.ro_paths == ("/opt/tools",)
    assert spec.mounts == (
        *request_.workspace.mounts,
        Mount(source=request_.program, target=request_.program),
    )


def test_relative_paths_mean_the_export_of_the_base_commit(request_: WorkerRequest) -> None:
    _, spec, _ = run(printing(), request_)
    exported = str(request_.program / "tools" / "agent.py")
    assert spec.argv == ("python3", exported, "--fast", "no/such")


@pytest.mark.parametrize("argument", ["/etc/passwd", "../tree", "", "-tools/agent.py"])
def test_other_arguments_stay_as_they_are(request_: WorkerRequest, argument: str) -> None:
    cli = replace(request_.cli, command=("agent", argument))
    _, spec, _ = run(printing(), replace(request_, cli=cli))
    assert spec.argv == ("agent", argument)


def test_the_program_itself_may_be_of_the_repository(request_: WorkerRequest) -> None:
    cli = replace(request_.cli, command=("tools/agent.py",))
    _, spec, _ = run(printing(), replace(request_, cli=cli))
    assert spec.argv == (str(request_.program / "tools" / "agent.py"),)


def test_a_link_out_of_the_repository_is_refused(request_: WorkerRequest, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("")
    (request_.program / "link").symlink_to(tmp_path / "secret")
    cli = replace(request_.cli, command=("cat", "link"))
    with pytest.raises(InvalidInput, match="leads out of the repository"):
        run(printing(), replace(request_, cli=cli))


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


def test_a_scripted_worker_gets_its_script_as_an_argument(request_: WorkerRequest) -> None:
    sandbox = printing()
    worker = scripted_worker(sandbox, {"AGENT_KEY": ""})
    scripted = replace(request_, cli=replace(request_.cli, script='{"replies":[]}'))
    asyncio.run(worker.run(scripted, lambda _channel, _chunk: None))
    assert sandbox.specs[0].argv[-1] == '{"replies":[]}'


def test_our_own_adapters_come_through_the_door_of_plugins() -> None:
    assert {"command", "scripted"} <= adapters()
    find = worker_factory(printing(), {})
    assert find("command") is find("command")


def test_an_unknown_adapter_is_named_with_the_nearest_one() -> None:
    with pytest.raises(NotFound, match="'comand'") as caught:
        worker_factory(printing(), {})("comand")
    assert caught.value.hint == "Did you mean 'command'?"
    with pytest.raises(NotFound) as caught:
        worker_factory(printing(), {})("zzz")
    assert "There are: command" in (caught.value.hint or "")
