"""Approvals that name something critical or major."""

import json
from typing import Final

import pytest

from supervisor_ai.definitions.sources.slice_words import answer_words
from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader, schema_text
from supervisor_ai.domain.run.answers import AnswerKind, Meaning
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.engine.ports.workers import Answer, AnswerProblem

NONCE: Final = "kvmq-tzrb-xwph"


def read(**fields: object) -> Answer | AnswerProblem:
    document = json.dumps({"nonce": NONCE, "status": "APPROVED", "issues": [], **fields})
    output = f"```json\n{document}\n```\n"
    return StrictAnswerReader().read(AnswerKind.REVIEW, output, nonce=NONCE)


def issue(severity: str, message: str = "Keys are logged.") -> dict[str, str]:
    return {"severity": severity, "message": message}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"issues": [issue("minor", "Long."), issue("critical")]}, "critical: Keys are logged."),
        ({"issues": [issue("major")]}, "major: Keys are logged."),
        ({"security_concerns": ["critical: remote code execution"]}, "remote code execution"),
        ({"security_concerns": ["Keys are logged."]}, "major: Keys are logged."),
        ({"security_concerns": [issue("critical")]}, "critical: Keys are logged."),
        ({"security_concerns": [issue("minor", "Long."), issue("major")]}, "minor: Long."),
        ({"suggestions": ["**Critical**: rotate the key."]}, "critical: **Critical**: rotate"),
        ({"suggestions": ["[MAJOR] rotate the key."]}, "major: [MAJOR] rotate"),
        ({"issues": [issue("info", "critical - anyone can log in")]}, "critical: critical - any"),
        ({"security_concerns": [issue("minor", "Major: no lock")]}, "major: Major: no lock"),
    ],
)
def test_an_approval_with_anything_heavy_requests_changes(
    fields: dict[str, object], told: str
) -> None:
    answer = read(**fields)
    assert isinstance(answer, Answer), answer
    assert (answer.said, answer.meaning) == ("CHANGES_REQUESTED", Meaning.REJECT)
    assert json.loads(answer.document)["status"] == "CHANGES_REQUESTED"
    assert told in answer.notes.partition("Issues:")[2]
    assert answer.concerns


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"issues": [issue("minor"), issue("info")]},
        {"security_concerns": [issue("minor"), issue("info")]},
        {"security_concerns": []},
        {"suggestions": ["A major release could rename it.", "Critical paths deserve tests."]},
    ],
)
def test_an_approval_may_have_remarks(fields: dict[str, object]) -> None:
    answer = read(**fields)
    assert isinstance(answer, Answer)
    assert (answer.said, answer.meaning, answer.concerns) == ("APPROVED", Meaning.PASS, ())


def test_a_refusal_is_known_again_by_its_security_concerns() -> None:
    answer = read(status="REJECTED", security_concerns=["Keys are logged."])
    assert isinstance(answer, Answer)
    assert answer.concerns
    assert json.loads(answer.document)["security_concerns"] == [issue("major")]


@pytest.mark.parametrize(
    ("concern", "problem"),
    [
        (7, "security_concerns[0]: must be a mapping, found 7"),
        (issue("grave"), "security_concerns[0].severity: must be 'critical'"),
        ({"severity": "minor"}, "security_concerns[0].message: is missing"),
    ],
)
def test_a_concern_of_another_form_is_told(concern: object, problem: str) -> None:
    found = read(security_concerns=[concern])
    assert isinstance(found, AnswerProblem)
    assert found.category is FailureCategory.VALIDATION
    assert problem in found.message


def test_the_schema_shows_both_forms_of_a_concern() -> None:
    schema = json.loads(schema_text(AnswerKind.REVIEW))
    lists = schema["properties"]["security_concerns"]["anyOf"]
    items = next(it["items"] for it in lists if it.get("type") == "array")
    assert {"type": "string"} in items["anyOf"]
    assert {"$ref": "#/$defs/ReviewIssue"} in items["anyOf"]


def test_every_schema_wants_the_nonce() -> None:
    for kind in answer_words():
        schema = json.loads(schema_text(kind))
        assert schema["required"][0] == "nonce"
        assert schema["properties"]["nonce"]["type"] == "string"
