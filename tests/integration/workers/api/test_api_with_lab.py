"""A whole attempt against the scripted model server, from the prompt's schema to the answer."""

import json
from datetime import timedelta

import pytest
from tests.integration.workers.api.attempt import KEY, Attempt, model

from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader, schema_text
from supervisor_ai.domain.run.answers import AnswerKind, Meaning
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.engine.ports.workers import Answer, WorkerReport
from supervisor_ai.lab.server import LabServer

NONCE = "kvmq-tzrb-xwph"
PLAN = {"nonce": "{{nonce}}", "status": "COMPLETE", "summary": "One step."}
SCHEMA = f"```schema\n{schema_text(AnswerKind.PLAN)}\n```"
PROMPT = f"Plan it.\n\n{SCHEMA}\n\nThe nonce of this attempt is `{NONCE}`.\n"
TEXT = {"text": json.dumps(PLAN), "usage": {"in": 40, "out": 9}}
TOOL = {"tool": {"name": "answer", "input": PLAN}, "usage": {"in": 40, "out": 9}}


def read(report: WorkerReport) -> Answer:
    answer = StrictAnswerReader().read(AnswerKind.PLAN, report.output, nonce=NONCE)
    assert isinstance(answer, Answer), report
    return answer


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("provider", "path", "turn"),
    [("anthropic", "", TOOL), ("openai_compatible", "/v1", TEXT), ("openrouter", "/v1", TEXT)],
)
def test_an_answer_of_each_dialect_is_valid(
    provider: str, path: str, turn: dict[str, object], *, stream: bool
) -> None:
    with LabServer({"scenarios": [{"turns": [turn]}], "side_calls": False}) as lab:
        one = model("m", f"{lab.url}{path}", provider, stream=stream)
        report = Attempt([one], prompt=PROMPT).run()
    assert read(report).meaning is Meaning.PASS
    assert (report.usage.tokens_in, report.usage.tokens_out) == (40, 9)
    [seen] = lab.requests
    assert (seen.key or "").removeprefix("Bearer ") == KEY
    assert seen.is_streamed is stream


def test_a_limit_leads_to_the_next_model() -> None:
    limit = {"status": 429, "headers": {"retry-after": "60"}, "times": -1}
    script = {
        "scenarios": [
            {"dialect": "anthropic", "turns": [limit]},
            {"dialect": "chat", "turns": [TEXT]},
        ],
        "side_calls": False,
    }
    with LabServer(script) as lab:
        primary = model("primary", lab.url, "anthropic")
        backup = model("backup", f"{lab.url}/v1")
        report = Attempt([primary, backup], prompt=PROMPT).run()
        alone = Attempt([primary], prompt=PROMPT, timeout=timedelta(seconds=20)).run()
    assert read(report).said == "COMPLETE"
    assert report.diagnosis is not None
    assert "primary (anthropic, primary-1): HTTP 429" in report.diagnosis.message
    assert alone.diagnosis is not None
    assert alone.diagnosis.category is FailureCategory.LIMIT
    assert alone.diagnosis.reset_at is not None
