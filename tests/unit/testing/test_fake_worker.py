"""The worker that plug-in authors use in their tests."""

from datetime import timedelta
from pathlib import Path

import pytest

from supervisor_ai.domain.ids import CommitSha, EffectKey, RunId, StepName
from supervisor_ai.domain.run.definition import Cli, SandboxPolicy
from supervisor_ai.engine.ports.sandbox import Channel, SandboxEnd
from supervisor_ai.engine.ports.workers import Worker, WorkerRequest
from supervisor_ai.engine.ports.workspaces import Workspace
from supervisor_ai.testing.fake_worker import FakeReply, FakeWorker, answering
from supervisor_ai.testing.virtual_loop import run_virtual


@pytest.fixture
def request_(tmp_path: Path) -> WorkerRequest:
    workspace = Workspace(
        run=RunId("r1"), key=EffectKey("k"), path=tmp_path, start=CommitSha("c"), mounts=()
    )
    return WorkerRequest(
        run=RunId("r1"),
        step=StepName("implement"),
        visit=1,
        slot=0,
        attempt=2,
        role="implementer",
        cli=Cli(name="fake", adapter="fake"),
        prompt="Do it.",
        nonce="n1",
        workspace=workspace,
        program=tmp_path,
        label="r1/implement",
        fence=0,
        timeout=timedelta(seconds=60),
        output_bytes=1000,
        sandbox=SandboxPolicy(),
        egress=(),
        on_refusal=print,
    )


def test_a_reply_is_printed_and_its_files_are_written(request_: WorkerRequest) -> None:
    output = answering({"status": "SUCCESS"})
    fake = FakeWorker(
        lambda asked: FakeReply(
            output=output, stderr="hm", files={"a/b": f"attempt {asked.attempt}"}
        )
    )
    worker: Worker = fake
    heard: list[tuple[Channel, bytes]] = []

    report = run_virtual(worker.run(request_, lambda *piece: heard.append(piece)))

    assert report.output == '```json\n{"nonce": "n1", "status": "SUCCESS"}\n```\n'
    assert (report.result.end, report.result.exit_code) == (SandboxEnd.EXITED, 0)
    assert heard == [(Channel.STDERR, b"hm"), (Channel.STDOUT, report.output.encode())]
    assert (request_.workspace.path / "a" / "b").read_text() == "attempt 2"
    assert fake.requests == [request_]


def test_a_reply_that_takes_too_long_is_out_of_time(request_: WorkerRequest) -> None:
    worker = FakeWorker(lambda _asked: FakeReply(takes=timedelta(hours=1)))

    report = run_virtual(worker.run(request_, lambda _channel, _chunk: None))

    assert report.result.end is SandboxEnd.TIMED_OUT


def test_files_can_go_elsewhere(request_: WorkerRequest) -> None:
    written: dict[str, str] = {}
    worker = FakeWorker(
        lambda _asked: FakeReply(files={"a": "b"}, exit_code=7),
        write=lambda _request, name, text: written.update({name: text}),
    )

    report = run_virtual(worker.run(request_, lambda _channel, _chunk: None))

    assert written == {"a": "b"}
    assert report.result.exit_code == 7
