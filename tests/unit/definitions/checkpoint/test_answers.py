"""What a worker that judges has to answer."""

import pytest
from pydantic import ValidationError

from supervisor_ai.definitions.checkpoint.answers import JUDGEMENT, JudgementOutput
from supervisor_ai.drivers.checkpoint.checks.judgement import read_answers

ANSWER = (
    '{"checks": [{"check": "a", "verdict": "warn", "evidence": [{"file": "a.md", "line": 3}]},'
    ' {"check": "b", "verdict": "pass", "evidence": [], "note": "fine"}]}'
)


def test_an_answer_is_a_list_of_checks() -> None:
    found = JUDGEMENT.model.model_validate_json(ANSWER)
    assert isinstance(found, JudgementOutput)
    assert (found.status, found.told) == ("JUDGED", "a: warn, b: pass")
    assert [it.check for it in read_answers(found.model_dump_json())] == ["a", "b"]


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
    with pytest.raises(ValidationError):
        JudgementOutput.model_validate_json(ANSWER.replace(before, after, 1))
