"""The same concept has the same term, as glossaries say."""

import pytest
from tests.unit.drivers.checkpoint.session import TEXTS, check, material, result

from supervisor_ai.drivers.checkpoint.checks.model import CheckResult, WorkerQuestion
from supervisor_ai.drivers.checkpoint.score import CheckVerdict

GLOSSARY = """\
## Glossary
- **Customer** (not: client)
- **Work item**; also called: ticket
- **User account**: who one is
"""


def found(text: str, glossary: str = GLOSSARY) -> CheckResult:
    return result("terminology", material({"a.md": glossary, "b.md": text}))


def test_the_shop_uses_its_terms() -> None:
    made = result("terminology", material())
    assert (made.verdict, made.note) == (
        CheckVerdict.PASS,
        "3 terms of the glossary, each used for itself.",
    )


@pytest.mark.parametrize(
    ("text", "verdict", "note", "line"),
    [
        ("x\nA client pays.", CheckVerdict.FAIL, "'client' for 'Customer'.", 2),
        ("Clients pay.", CheckVerdict.FAIL, "'clients' for 'Customer'.", 1),
        ("A ticket is open.", CheckVerdict.WARN, "'ticket' for 'Work item'.", 1),
        ("A work-item is open.", CheckVerdict.WARN, "'work-item' for 'Work item'.", 1),
        ("A UserAccount", CheckVerdict.WARN, "'UserAccount' for 'User account'.", 1),
        ("a\n\nuser-accounts", CheckVerdict.WARN, "'user-accounts' for 'User account'.", 3),
    ],
)
def test_another_word_is_found_with_its_line(
    text: str, verdict: CheckVerdict, note: str, line: int
) -> None:
    made = found(text)
    assert (made.verdict, made.note) == (verdict, note)
    assert [(it.file, it.line) for it in made.citations] == [("b.md", line)]


@pytest.mark.parametrize(
    "text",
    [
        "Customers have work items and a user account.",
        "`client_id` is a field, see https://client.example/ and my_client.",
        "```\nclient\n```",
        "The clientele of a customer.",
    ],
)
def test_what_is_no_use_of_a_word_is_fine(text: str) -> None:
    assert found(text).verdict is CheckVerdict.PASS


def test_a_word_that_the_same_glossary_defines_may_be_used() -> None:
    glossary = "## Glossary\n- Customer (not: user)\n- User: who logs in\n"
    assert found("A user.", glossary).verdict is CheckVerdict.PASS


def test_two_glossaries_contradict_each_other() -> None:
    made = found("## Terms\n- Client: who buys\n")
    assert made.verdict is CheckVerdict.FAIL
    assert [(it.file, it.line) for it in made.citations] == [("b.md", 2)]


def test_the_worst_comes_first_and_many_are_counted() -> None:
    made = found(
        "client\nticket\nwork-item\nuseraccount\nuser-account\nUserAccount\nWorkItem\nworkitem\n"
    )
    assert made.verdict is CheckVerdict.FAIL
    assert made.note.startswith("'client' for 'Customer'; 'ticket' for 'Work item'; ")
    assert made.note.endswith(" and 3 more.")


def test_without_a_glossary_a_worker_is_asked() -> None:
    asked = check("terminology", material({"a.md": "text"}))
    assert isinstance(asked, WorkerQuestion)
    assert asked.why == "No artifact has a glossary."
    assert "same term" in asked.question
    nothing = result("terminology", material({}))
    assert (nothing.verdict, nothing.note) == (
        CheckVerdict.UNDECIDED,
        "No artifact has a glossary.",
    )


def test_the_glossary_itself_is_no_misuse() -> None:
    only = {"spec/product-brief.md": TEXTS["spec/product-brief.md"]}
    assert result("terminology", material(only)).verdict is CheckVerdict.PASS
