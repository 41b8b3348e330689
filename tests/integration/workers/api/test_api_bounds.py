"""Time, size, secrecy and the way to a service."""

import asyncio
import ssl
import subprocess
from datetime import timedelta
from pathlib import Path

import pytest
from tests.integration.workers.api.attempt import KEY, Attempt, model
from tests.integration.workers.api.service import (
    LONG,
    Answering,
    Service,
    begin_and_stall,
    chunked,
    events,
    silence,
    whole,
)

from supervisor_ai.domain.run.status import FailureCategory as Category
from supervisor_ai.engine.ports.sandbox import Channel, SandboxEnd
from supervisor_ai.testing.fake_sandbox import ScriptedReply, ScriptedSandbox
from supervisor_ai.workers.api.exchange import HttpCall
from supervisor_ai.workers.api.worker import ApiWorker, api_worker


def delta(text: str, **more: object) -> dict[str, object]:
    return {"choices": [{"delta": {"content": text}, **more}]}


GOOD = events(delta("{}", finish_reason="stop"))


@pytest.mark.parametrize("answer", [silence, begin_and_stall(delta("so far"))])
def test_an_attempt_ends_with_its_time_and_so_does_the_connection(answer: Answering) -> None:
    with Service(answer) as service, Service(GOOD) as other:
        models = [model("m", service.url), model("n", other.url)]
        # Long enough for the question to arrive where many others are at work.
        report = Attempt(models, timeout=timedelta(seconds=2)).run()
        assert service.left.wait(LONG)
    assert (report.result.end, report.result.exit_code) == (SandboxEnd.TIMED_OUT, None)
    assert report.diagnosis is not None
    assert report.diagnosis.category is Category.RESOURCE
    assert other.asked == []


@pytest.mark.parametrize("answer", [silence, begin_and_stall(delta("so far"))])
def test_a_cancelled_attempt_leaves_at_once(answer: Answering) -> None:
    with Service(answer) as service:
        attempt = Attempt([model("m", service.url)])
        attempt.cancel_when(lambda: service.waiting.wait(LONG))
        assert service.left.wait(LONG)


def test_a_cancelled_connect_leaves_nothing() -> None:
    attempt = Attempt([model("m", "http://127.0.0.1:9")])

    async def at_once() -> None:
        task = asyncio.create_task(attempt.perform())
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(at_once())
    assert attempt.seen == []


def test_an_answer_longer_than_allowed_is_cut_off() -> None:
    pieces = [delta("x" * 700), delta("x" * 700), delta("", finish_reason="stop")]
    with Service(events(*pieces)) as service, Service(GOOD) as other:
        models = [model("m", service.url), model("n", other.url)]
        attempt = Attempt(models, output_bytes=1000)
        report = attempt.run()
    assert (report.result.end, report.result.exit_code) == (SandboxEnd.OUTPUT_CAPPED, None)
    assert report.diagnosis is not None
    assert report.diagnosis.category is Category.RESOURCE
    assert "longer than 1000 bytes" in report.result.reason
    assert len(attempt.printed[Channel.STDOUT]) <= 1000
    assert other.asked == []


ENDLESS = [b"x" * (1 << 20)] * 70


@pytest.mark.parametrize(
    ("kind", "provider"),
    [
        ("text/event-stream", "openai_compatible"),
        ("application/x-ndjson", "ollama"),
        ("application/json", "anthropic"),
    ],
)
def test_nobody_reads_for_ever(kind: str, provider: str) -> None:
    with Service(chunked(kind, ENDLESS)) as service:
        report = Attempt([model("m", service.url, provider)]).run()
    assert report.result.end is SandboxEnd.OUTPUT_CAPPED


def test_many_small_lines_are_too_much_as_well() -> None:
    lines = [(b": " + b"x" * 1021 + b"\n") * 1024] * 66
    with Service(chunked("text/event-stream", lines)) as service:
        report = Attempt([model("m", service.url)]).run()
    assert report.result.end is SandboxEnd.OUTPUT_CAPPED


def echo(text: str) -> list[Answering]:
    """Repeat a key in every way that a service has."""
    half = len(text) // 2
    return [
        whole({"error": {"type": text, "code": text, "message": f"Bad key {text}!"}}, status=401),
        whole({"error": f"Bad key {text}!"}, status=400),
        whole(f"Bad key {text}!".encode(), status=500, headers={"x-key": text}),
        events({"error": {"message": f"Bad key {text}!"}}),
        events(
            {"id": text, "model": text},
            delta("Your key: " + text[:half]),
            delta(text[half:] + " is it.\n"),
            delta("\N{SNOWMAN}", finish_reason="stop"),
        ),
        whole({"id": text, "choices": [{"message": {"content": f"{text}{text}"}}]}),
    ]


@pytest.mark.parametrize("answer", echo(KEY))
def test_a_key_is_never_repeated(answer: Answering) -> None:
    with Service(answer) as service, Service(GOOD) as other:
        models = [model("m", service.url), model("n", other.url, key="${OTHER_KEY}")]
        attempt = Attempt(models)
        report = attempt.run()
    assert service.asked[0].headers["authorization"] == f"Bearer {KEY}"
    visible = f"{report!r} {report.output} {attempt.everything} {attempt.request()!r}"
    assert KEY not in visible
    assert "sk-other-0000" not in visible


def test_a_hidden_key_leaves_the_rest_as_it_was() -> None:
    with Service(echo(KEY)[4]) as service:
        attempt = Attempt([model("m", service.url, structured=False)])
        report = attempt.run()
    assert report.output == "Your key: [key] is it.\n\N{SNOWMAN}"
    assert attempt.printed[Channel.STDOUT].decode() == report.output


def test_objects_that_hold_a_key_do_not_show_it() -> None:
    call = HttpCall(url="https://x", body=b"", headers={"authorization": KEY})
    worker = ApiWorker({"THE_KEY": KEY})
    assert KEY not in f"{call!r} {worker!r}"


def test_half_characters_are_replaced() -> None:
    with Service(whole({"choices": [{"message": {"content": "a\ud800b"}}]})) as service:
        attempt = Attempt([model("m", service.url)], prompt="Do \ud800 it.")
        report = attempt.run()
    assert report.result.exit_code == 0
    assert attempt.printed[Channel.STDOUT] == b"a?b"
    assert service.asked[0].body["messages"][1]["content"] == "Do ? it."


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("tls")
    made = directory / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    options = ["-nodes", "-days", "30", "-subj", "/CN=test", "-addext"]
    files = ["-keyout", str(directory / "key.pem"), "-out", str(made)]
    subprocess.run([*command, *options, "subjectAltName=IP:127.0.0.1", *files], check=True)
    return made


def secure(certificate: Path) -> Service:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_name("key.pem"))
    return Service(GOOD, tls=context)


def test_a_service_with_a_good_certificate_is_asked(certificate: Path) -> None:
    with secure(certificate) as service:
        report = Attempt([model("m", service.url)], authorities=str(certificate)).run()
    assert report.result.exit_code == 0


def test_a_service_that_cannot_prove_itself_gets_no_key(certificate: Path) -> None:
    with secure(certificate) as service:
        stranger = Attempt([model("m", service.url)]).run()
        wrong = model("m", service.url.replace("127.0.0.1", "localhost"))
        impostor = Attempt([wrong], authorities=str(certificate)).run()
    assert service.asked == []
    for report in (stranger, impostor):
        assert report.diagnosis is not None
        assert report.diagnosis.category is Category.NETWORK
        assert "certificate cannot be trusted" in report.diagnosis.message


def test_the_plug_in_needs_no_sandbox() -> None:
    sandbox = ScriptedSandbox(lambda _spec: ScriptedReply())
    with Service(GOOD) as service:
        attempt = Attempt([model("m", service.url)])
        worker = api_worker(sandbox, attempt.environment)
        report = asyncio.run(worker.run(attempt.request(), lambda _channel, _chunk: None))
    assert report.output == "```json\n{}\n```\n"
    assert sandbox.specs == []
