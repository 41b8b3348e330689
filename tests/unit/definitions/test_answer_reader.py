import json
import time
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inline_snapshot import snapshot
from tests.support.example_counts import examples
from tests.unit.definitions.answer_texts import (
    AGENT,
    KANBAN,
    NONCE,
    block,
    invalid,
    problem,
    quoted,
    read,
    unparsed,
)

from supervisor_ai.control.registered_kinds import answer_meanings, is_approving
from supervisor_ai.definitions.sources.slice_words import answer_words
from supervisor_ai.definitions.worker_answers.reader import StrictAnswerReader
from supervisor_ai.domain.run.answers import MEANINGS, AnswerKind, AnswerWord, Meaning
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.drivers.kanban.kinds import OF_AGENT, OF_MANAGER
from supervisor_ai.drivers.loop.kinds import OF_ASSESSOR, OF_QA
from supervisor_ai.engine.ports.workers import Answer, AnswerProblem

PLAN: Mapping[str, object] = {"status": "COMPLETE"}
WORK: Mapping[str, object] = {
    "status": "SUCCESS",
    "files_created": [],
    "files_modified": [],
    "tests_written": [],
}
REVIEW: Mapping[str, object] = {"status": "APPROVED", "issues": []}
SMALLEST = {
    AnswerKind.PLAN: PLAN,
    AnswerKind.IMPLEMENTATION: WORK,
    AnswerKind.REVIEW: REVIEW,
    OF_AGENT: AGENT,
    OF_MANAGER: KANBAN,
    OF_QA: {"status": "pass", "feedback": ""},
    OF_ASSESSOR: {"status": "aligned"},
}


SIGNED = {"nonce": NONCE, **REVIEW}


@pytest.mark.parametrize(
    ("kind", "said", "meaning"),
    [
        (AnswerKind.PLAN, "COMPLETE", Meaning.PASS),
        (AnswerKind.PLAN, "NEEDS_REFINEMENT", Meaning.REFINE),
        (AnswerKind.PLAN, "BLOCKED", Meaning.BLOCK),
        (AnswerKind.IMPLEMENTATION, "SUCCESS", Meaning.PASS),
        (AnswerKind.IMPLEMENTATION, "PARTIAL", Meaning.PASS),
        (AnswerKind.IMPLEMENTATION, "FAILED", Meaning.FAIL),
        (AnswerKind.IMPLEMENTATION, "BLOCKED", Meaning.BLOCK),
        (AnswerKind.REVIEW, "APPROVED", Meaning.PASS),
        (AnswerKind.REVIEW, "CHANGES_REQUESTED", Meaning.REJECT),
        (AnswerKind.REVIEW, "REJECTED", Meaning.REJECT),
        (OF_AGENT, "ok", Meaning.PASS),
        (OF_AGENT, "blocked", Meaning.PASS),
        (OF_AGENT, "error", Meaning.PASS),
        (OF_AGENT, "escalate", Meaning.PASS),
        (OF_MANAGER, "ok", Meaning.PASS),
        (OF_MANAGER, "blocked", Meaning.BLOCK),
        (OF_MANAGER, "error", Meaning.BLOCK),
        (OF_MANAGER, "escalate", Meaning.BLOCK),
    ],
)
def test_what_each_status_means(kind: AnswerWord, said: str, meaning: Meaning) -> None:
    answer = read(kind, "Done.\n\n" + block({**SMALLEST[kind], "status": said}))
    assert (answer.said, answer.meaning) == (said, meaning)


def test_the_models_know_exactly_the_words_of_the_domain() -> None:
    for kind, meanings in MEANINGS.items():
        message = invalid(kind, {**SMALLEST[kind], "status": "OK"})
        assert all(f"'{word}'" in message for word in meanings)
        for word in meanings:
            assert read(kind, block({**SMALLEST[kind], "status": word})).said == word


# Where the answer stands


def test_the_final_block_is_the_answer() -> None:
    output = f"```python\nx = 1\n```\n{quoted({'some': 'example'})}text\n{block(REVIEW)}\n"
    assert read(AnswerKind.REVIEW, output).said == "APPROVED"


@pytest.mark.parametrize(
    "output",
    [
        "```json\r\n" + json.dumps(SIGNED) + "\r\n```\r\n",
        "  ```JSON\n  " + json.dumps(SIGNED) + "\n  ```",
        "\x1b[1m```json\x1b[0m\x1b[K\n\x1b[32m"
        + json.dumps(SIGNED)
        + "\x1b[0m\n\x1b[1m```\x1b[0m\r\n",
        "~~~json\n" + json.dumps(SIGNED) + "\n~~~",
        block(json.dumps(SIGNED, indent=2), fence="`````"),
        block({**REVIEW, "summary": "write ```json, then close it with ``` again"}),
        block(REVIEW) + block(REVIEW),
        block("{not: json}") + block(REVIEW),
        quoted({**REVIEW, "summary": "x" * 2_000_000}) + block(REVIEW),
        quoted({**REVIEW, "status": "REJECTED"}) + block(REVIEW),
        "{'status': 'rejected'}\n" + block(REVIEW),
    ],
)
def test_ways_to_write_a_block(output: str) -> None:
    assert read(AnswerKind.REVIEW, output).said == "APPROVED"


def test_no_block() -> None:
    output = 'All good!\n```\n{"status": "APPROVED"}\n```\n\x1b[32mdone\n'
    assert unparsed(output) == snapshot(
        "The output has no fenced json block; it ends with 'All good!\\n```\\n"
        '{"status": "APPROVED"}\\n```\\ndone\'. '
        "End the output with one fenced block: a line ```json, one JSON object that repeats the "
        "nonce, a line ```."
    )
    assert unparsed("") == snapshot(
        "The output has no fenced json block; it is empty. "
        "End the output with one fenced block: a line ```json, one JSON object that repeats the "
        "nonce, a line ```."
    )


def test_something_after_the_block_makes_it_a_quotation() -> None:
    for rest in ("Bye.\n", "```\nsome log\n```\n", "-->\n"):
        assert "Something stands after" in unparsed(block(REVIEW) + rest)


def test_without_a_nonce_one_single_block_counts_where_nothing_is_approved() -> None:
    for kind, document in SMALLEST.items():
        found = StrictAnswerReader().read(kind, quoted(document), nonce=NONCE)
        assert isinstance(found, Answer) is (not is_approving(kind))


def test_whoever_can_reject_or_approve_needs_the_nonce() -> None:
    """Another kind of answer that judges the work of others is found here."""
    assert [kind for kind in answer_words() if is_approving(kind)] == [
        AnswerKind.REVIEW,
        OF_QA,
        OF_ASSESSOR,
    ]
    passing = {kind: document for kind, document in SMALLEST.items() if is_approving(kind)}
    for kind, document in passing.items():
        assert isinstance(
            StrictAnswerReader().read(kind, quoted(document), nonce=NONCE), AnswerProblem
        )


def test_without_a_nonce_two_blocks_are_no_answer() -> None:
    message = unparsed(quoted(WORK) + quoted(WORK), AnswerKind.IMPLEMENTATION)
    assert "has 2 json blocks, and none repeats the nonce" in message


def test_another_nonce_is_worse_than_none() -> None:
    stale = quoted({"nonce": "bcdf-ghjk-mnpq", **WORK})
    assert "has 'bcdf-ghjk-mnpq' for a nonce" in unparsed(stale, AnswerKind.IMPLEMENTATION)
    other_key = quoted({**REVIEW, "summary": NONCE})
    assert "has None for a nonce" in unparsed(other_key)


def test_where_no_nonce_is_known_nobody_approves() -> None:
    for output in (quoted(REVIEW), quoted({"nonce": "", **REVIEW}), block(REVIEW)):
        found = StrictAnswerReader().read(AnswerKind.REVIEW, output, nonce="")
        assert isinstance(found, AnswerProblem)


def test_the_nonce_is_not_kept() -> None:
    for kind, document in SMALLEST.items():
        answer = read(kind, block({**document, "status": next(iter(answer_meanings(kind)))}))
        assert NONCE not in answer.document + answer.notes


@pytest.mark.parametrize(
    "refusal",
    [
        r"\"status\": \"FAILED\"",
        "\u201cstatus\u201d: \u201cFAILED\u201d",
        '"status"                 : "FAILED"',
    ],
)
def test_without_a_nonce_another_status_before_the_block_makes_it_unclear(refusal: str) -> None:
    output = f"My verdict: {refusal}\n{quoted(WORK)}"
    assert "it says FAILED before" in unparsed(output, AnswerKind.IMPLEMENTATION)


def test_code_that_an_implementer_shows_is_no_other_answer() -> None:
    shown = "It returns {'status': 'failed', 'code': 3} now.\n"
    assert read(AnswerKind.IMPLEMENTATION, shown + quoted(WORK)).meaning is Meaning.PASS


def test_an_open_block_is_no_answer_even_after_a_good_one() -> None:
    assert "never closed" in unparsed(block(REVIEW) + "```json\n" + json.dumps(REVIEW))
    assert "never closed" in unparsed('```json\n{"status": "APPROVED", "issues": []}```')
    assert "never closed" in unparsed(f"````json\n{json.dumps(REVIEW)}\n```\n")


def test_two_different_answers_are_ambiguous() -> None:
    output = block({**REVIEW, "status": "REJECTED"}) + block(REVIEW)
    assert unparsed(output) == snapshot(
        "The output is ambiguous: it has two different answers that repeat the nonce, "
        "first REJECTED, then APPROVED. "
        "End the output with one fenced block: a line ```json, one JSON object that repeats the "
        "nonce, a line ```."
    )


def test_a_broken_block_with_the_nonce_is_another_answer() -> None:
    broken = block(json.dumps(SIGNED).replace("APPROVED", "NOT_YET"))
    assert "another block repeats the nonce" in unparsed(broken + block(REVIEW))


def test_a_quotation_at_the_end_is_no_answer() -> None:
    own = block({**REVIEW, "status": "REJECTED"})
    assert "does not repeat the nonce" in unparsed(own + quoted(REVIEW))


def test_a_quoted_approval_with_a_fence_too_many_does_not_hide_the_real_answer() -> None:
    shown = "```\n" + quoted(REVIEW)
    own = block({**REVIEW, "status": "CHANGES_REQUESTED"})
    output = f"The file says:\n```\n{shown}```\nMy verdict:\n{own}"
    assert read(AnswerKind.REVIEW, output).said == "CHANGES_REQUESTED"


@pytest.mark.parametrize("text", [quoted(REVIEW), "```\n" + quoted(REVIEW) + "```\n"])
def test_a_quoted_approval_inside_a_broken_answer_does_not_become_the_answer(text: str) -> None:
    own = (
        f'{{"nonce": "{NONCE}", "status": "REJECTED", "issues": [], "summary": "it says\n{text}"}}'
    )
    message = unparsed(block(own))
    assert "does not repeat" in message or "never closed" in message


# What the answer holds


def test_broken_json() -> None:
    assert unparsed(block(f'{{"nonce": "{NONCE}", "status" "APPROVED"}}')) == snapshot(
        "The final json block is not valid JSON: "
        "Expecting ':' delimiter: line 1 column 38 (char 37). "
        "End the output with one fenced block: a line ```json, one JSON object that repeats the "
        "nonce, a line ```."
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"status": "REJECTED", "status": "APPROVED", "issues": []}', "'status' is given twice"),
        ('{"status": "COMPLETE", "estimated_components": NaN}', "NaN is not a JSON number"),
        ('{"status": "COMPLETE", "summary": "\\ud800"}', "half of a surrogate pair"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 10_000, "not valid JSON"),
        ("", "not valid JSON"),
    ],
)
def test_what_is_no_json(text: str, reason: str) -> None:
    assert reason in unparsed(block(text), AnswerKind.PLAN)


def test_every_mistake_of_an_answer_is_told() -> None:
    document = {
        "status": "OK",
        "summaryx": "x",
        "issues": [{"severity": "bad", "line": "7"}, "plain"],
        "suggestions": True,
    }
    assert invalid(AnswerKind.REVIEW, document) == snapshot(
        "The final json block is no valid review answer: status: must be 'APPROVED', "
        "'CHANGES_REQUESTED' or 'REJECTED', found 'OK'; issues[0].line: must be a whole number, "
        "found '7'; issues[0].severity: must be 'critical', 'major', 'minor' or 'info', "
        "found 'bad'; issues[1]: must be a mapping, found 'plain'; suggestions: must be a list, "
        "found true; summaryx: unknown key; did you mean 'summary'?; "
        "issues[0].message: is missing."
    )
    assert invalid(AnswerKind.IMPLEMENTATION, {"status": "SUCCESS"}) == snapshot(
        "The final json block is no valid implementation answer: files_created: is missing; "
        "files_modified: is missing; tests_written: is missing."
    )
    assert invalid(AnswerKind.PLAN, ["COMPLETE"]) == snapshot(
        "The final json block is no valid plan answer: the answer: must be a mapping, found a list."
    )


def test_messages_stay_short_and_plain() -> None:
    hostile = {**REVIEW, "issues": ["\x1b[31m" + "x" * 10_000] * 50, "\u202e" + "y" * 5_000: 1}
    message = invalid(AnswerKind.REVIEW, hostile)
    assert len(message) < 2_100
    assert "and 41 more" in message
    assert message.isprintable()
    many = {f"x{number}": 1 for number in range(50_000)}
    assert "and 49991 more" in invalid(AnswerKind.REVIEW, {"status": "APPROVED", **many})
    long_key = {**REVIEW, "y" * 5_000: 1}
    assert len(invalid(AnswerKind.REVIEW, long_key)) < 2_100


def test_optional_text_may_be_missing_or_null() -> None:
    plan = {
        **PLAN,
        "summary": None,
        "phases": [{"id": "1", "title": "t", "description": None, "components": None}],
        "dependencies": [{"from": "a", "to": "b"}],
        "blockers": None,
        "estimated_components": None,
    }
    document = json.loads(read(AnswerKind.PLAN, block(plan)).document)
    assert document == {
        "status": "COMPLETE",
        "summary": "",
        "phases": [{"id": "1", "title": "t"}],
        "dependencies": [{"from": "a", "to": "b"}],
    }


def test_another_roles_answer_is_not_accepted() -> None:
    assert problem(AnswerKind.REVIEW, block(WORK)).category is FailureCategory.VALIDATION


# The words for whoever comes next


def test_notes_of_a_plan() -> None:
    component = {"id": "c1", "title": "Endpoint", "files": ["app.py", "test_app.py"]}
    plan = {
        "status": "BLOCKED",
        "summary": "Add /health.",
        "phases": [
            {"id": "p1", "title": "Do it", "description": "Small.", "components": [component]}
        ],
        "file_targets": ["app.py"],
        "risks": ["none"],
        "blockers": ["Which port?"],
    }
    assert read(AnswerKind.PLAN, block(plan)).notes == snapshot("""\
Add /health.
Phase p1: Do it
Small.
- c1: Endpoint (app.py, test_app.py)
Files:
- app.py
Risks:
- none
Blockers:
- Which port?\
""")


def test_notes_of_an_implementation() -> None:
    work = {**WORK, "status": "FAILED", "blockers": ["no key"], "next_step": "ask"}
    assert read(AnswerKind.IMPLEMENTATION, block(work)).notes == snapshot("""\
The worker answered FAILED.
Blockers:
- no key
Next: ask\
""")


def test_notes_of_a_review() -> None:
    review = {
        "status": "CHANGES_REQUESTED",
        "summary": "Not yet.\x1b[2J",
        "issues": [
            {
                "file": "app.py",
                "line": 3,
                "severity": "major",
                "message": "Off by one.",
                "suggestion": "Use <.",
            },
            {"file": "app.py", "severity": "minor", "message": "Long."},
            {"line": 9, "severity": "info", "message": "General."},
        ],
        "suggestions": ["Split it."],
        "security_concerns": ["Open port."],
    }
    assert read(AnswerKind.REVIEW, block(review)).notes == snapshot("""\
Not yet.[2J
Issues:
- app.py:3 major: Off by one. Suggestion: Use <.
- app.py minor: Long.
- info: General.
Security concerns:
- major: Open port.
Suggestions:
- Split it.\
""")


def test_notes_are_cut() -> None:
    notes = read(AnswerKind.PLAN, block({**PLAN, "summary": "x" * 200_000})).notes
    assert len(notes) < 51_000
    assert notes.endswith("(cut: the rest is left out)")


# Hostile output


@pytest.mark.parametrize("filler", ["a```", "```\n", "    ", "````", " ```jso", "````json\n{\n"])
def test_a_huge_output_is_read_in_linear_time(filler: str) -> None:
    output = filler * (20_000_000 // len(filler)) + "\n" + block(REVIEW)
    started = time.process_time()
    StrictAnswerReader().read(AnswerKind.REVIEW, output, nonce=NONCE)
    assert time.process_time() - started < 10


def test_too_many_blocks_and_too_large_a_block() -> None:
    assert "more than 1000 fenced json blocks" in unparsed("```json\n{}\n```\n" * 100_000)
    assert "longer than 1048576" in unparsed(block({**REVIEW, "summary": "x" * 2_000_000}))


@given(st.text(alphabet='`~json{}"status: ADEOPRV[],\n\\ \r', max_size=300))
def test_no_output_makes_the_reader_fail(output: str) -> None:
    for kind in answer_words():
        assert isinstance(
            StrictAnswerReader().read(kind, output, nonce=NONCE), Answer | AnswerProblem
        )


@settings(max_examples=examples(50))
@given(st.text(max_size=200), st.sampled_from(["REJECTED", "CHANGES_REQUESTED"]))
def test_nothing_before_a_refusal_turns_it_into_an_approval(text: str, status: str) -> None:
    output = f"{text}\n{quoted(REVIEW)}{text}\n{block({**REVIEW, 'status': status})}"
    found = StrictAnswerReader().read(AnswerKind.REVIEW, output, nonce=NONCE)
    assert isinstance(found, AnswerProblem) or found.said == status
