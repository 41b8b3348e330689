"""A worker's answers count only as far as what they cite is there."""

import json
from typing import Final

import pytest
from tests.unit.drivers.checkpoint.session import TEXTS

from supervisor_ai.drivers.checkpoint.checks.judgement import (
    NOBODY,
    WorkerAnswer,
    exists,
    read_answers,
    weigh,
)
from supervisor_ai.drivers.checkpoint.checks.model import CheckGroup, WorkerQuestion
from supervisor_ai.drivers.checkpoint.facts.model import Citation
from supervisor_ai.drivers.checkpoint.score import CheckVerdict

PASS, WARN, FAIL = CheckVerdict.PASS, CheckVerdict.WARN, CheckVerdict.FAIL
ASKED: Final = WorkerQuestion(
    check="decisions_agree", title="Agree", group=CheckGroup.CONSISTENCY, question="Do they?"
)
PLAN: Final = "spec/plan.md"
HERE: Final = Citation(file=PLAN, line=3, quote="Complexity: medium")


def answer(verdict: CheckVerdict = PASS, *evidence: Citation, note: str = "") -> WorkerAnswer:
    return WorkerAnswer(check="decisions_agree", verdict=verdict, evidence=evidence, note=note)


@pytest.mark.parametrize(
    ("given", "verdict", "note", "refuted"),
    [
        (None, CheckVerdict.UNDECIDED, NOBODY, 0),
        ([], CheckVerdict.UNDECIDED, "the worker did not answer it", 0),
        ([answer()], PASS, "", 0),
        ([answer(FAIL, HERE, note="a\nb")], FAIL, "a b", 0),
        ([answer(WARN, Citation(file=PLAN, line=3))], WARN, "", 0),
        ([answer(FAIL, note="bad")], WARN, "fail without evidence: bad", 1),
        ([answer(FAIL, Citation(file=PLAN, line=99))], WARN, "is not there: spec/plan.md:99", 1),
        ([answer(), answer()], WARN, "the worker answered it 2 times", 1),
    ],
)
def test_an_answer_becomes_a_result(
    given: list[WorkerAnswer] | None, verdict: CheckVerdict, note: str, refuted: int
) -> None:
    found = weigh([ASKED], given, TEXTS)
    assert found.refuted == refuted
    assert found.results[0].verdict is verdict
    assert note in found.results[0].note
    assert found.results[0].check == "decisions_agree"


def test_answers_to_other_questions_are_not_heard() -> None:
    other = WorkerAnswer(check="role_errors", verdict=PASS)
    assert [it.check for it in weigh([ASKED], [other], TEXTS).results] == ["decisions_agree"]


@pytest.mark.parametrize(
    ("citation", "is_there"),
    [
        (HERE, True),
        (Citation(file=PLAN, line=3, quote="plexity"), True),
        (Citation(file=PLAN, line=4, quote="Complexity"), False),
        (Citation(file=PLAN, line=0), False),
        (Citation(file="other.md", line=1), False),
        (Citation(file=PLAN, line=10_000), False),
    ],
)
def test_what_is_cited_has_to_be_there(citation: Citation, is_there: bool) -> None:  # noqa: FBT001 - a case
    assert exists(citation, TEXTS) is is_there


def test_answers_are_read_from_json() -> None:
    text = json.dumps(
        {
            "checks": [
                {
                    "check": "a",
                    "verdict": "fail",
                    "evidence": [{"file": PLAN, "line": 3, "quote": " x "}, {"line": "3"}, 7],
                    "note": "n",
                },
                {"check": "b", "verdict": "maybe"},
                "c",
            ]
        }
    )
    nowhere = Citation(file="", line=0)
    assert read_answers(text) == (
        WorkerAnswer(
            check="a",
            verdict=FAIL,
            evidence=(Citation(file=PLAN, line=3, quote="x"), nowhere, nowhere),
            note="n",
        ),
    )
    assert read_answers("[]") == ()
