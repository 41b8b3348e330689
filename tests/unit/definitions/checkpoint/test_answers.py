"""What a worker that judges has to answer."""

import json

import msgspec
import pytest

from supervisor_ai.definitions.checkpoint.answers import JUDGEMENT, JudgementOutput
from supervisor_ai.definitions.worker_answers.fit import FittedAnswer, fit
from supervisor_ai.drivers.checkpoint.checks.judgement import read_answers

ANSWER = (
    '{"checks": [{"check": "a", "verdict": "warn", "evidence": [{"file": "a.md", "line": 3}]},'
    ' {"check": "b", "verdict": "pass", "evidence": [], "note": "fine"}]}'
)


def test_an_answer_is_a_list_of_checks() -> None:
    fitted = fit(json.loads(ANSWER), JUDGEMENT.model)
    assert isinstance(fitted, FittedAnswer)
    found = fitted.answer
    assert isinstance(found, JudgementOutput)
    assert (found.status, found.told) == ("JUDGED", "a: warn, b: pass")
    assert [it.check for it in read_answers(msgspec.json.encode(found).decode())] == ["a", "b"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"warn"', '"block"'),
        ('"line": 3', '"line": 0'),
        ('"line": 3', '"line": "3"'),
        ('"evidence": []', '"evidence": null'),
        ('"note"', '"notes"'),
        ('"checks"', '"check"'),
    ],
)
def test_anything_else_is_refused(before: str, after: str) -> None:
    assert not isinstance(
        fit(json.loads(ANSWER.replace(before, after, 1)), JudgementOutput), FittedAnswer
    )
