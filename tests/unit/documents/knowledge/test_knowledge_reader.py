"""Documents as people and agents write them: read tolerantly, every problem named with its line."""

import pytest

from supervisor_ai.control.ports.knowledge import FILE_BYTES, ReadDocument, StoreFile
from supervisor_ai.documents.knowledge.reader import KnowledgeReader
from supervisor_ai.documents.knowledge.writer import document_text
from supervisor_ai.domain.knowledge.documents import KnowledgeDocument, KnowledgeStatus
from supervisor_ai.domain.redaction.redactor import RuleRedactor

SEED = b"""\
# Error Handling Conventions

_Last updated by: code_style_supervisor, task_12_
_Status: established_

## Rules

1. All tool functions raise `ToolError` with descriptive message, never bare `Exception`
2. Agent nodes catch `ToolError` and include in result summary, never swallow silently

## Examples

Good:
  raise ToolError(f"File not found: {path}")

Bad:
  raise Exception("error")
  return None  # silently swallowing

## Rationale

Consistent error handling ensures QA can diagnose failures from result summaries
without reading implementation code.
"""
READER = KnowledgeReader(RuleRedactor())


def read(content: bytes, path: str = "conventions/errors.md") -> ReadDocument:
    return READER.read(path, content)


def document(content: bytes) -> KnowledgeDocument:
    found = read(content).document
    assert found is not None
    return found


def told(content: bytes, path: str = "conventions/errors.md") -> list[str]:
    return [it.sentence for it in read(content, path).problems]


def test_the_document_of_the_seed_is_read_and_written_as_it_is() -> None:
    found = read(SEED)
    assert found.problems == ()
    assert found.document is not None
    assert found.document.title == "Error Handling Conventions"
    assert found.document.status is KnowledgeStatus.ESTABLISHED
    assert (found.document.by, found.document.task) == ("code_style_supervisor", "task_12")
    assert found.document.rules.startswith("1. All tool functions")
    assert document_text(found.document).encode() == SEED


@pytest.mark.parametrize(
    "head",
    [
        b"_Status: deprecated_",
        b"*Status: Deprecated*",
        b"**Status:** deprecated",
        b"Status : deprecated",
        b"> status: DEPRECATED  ",
        b"- _Status_: deprecated",
    ],
)
def test_a_status_is_found_however_it_is_written(head: bytes) -> None:
    content = b"# T\n" + head + b"\n\n## Rules\n\nDo it.\n"
    assert document(content).status is KnowledgeStatus.DEPRECATED
    assert told(content) == []


def test_what_a_person_wrote_without_a_status_holds() -> None:
    assert document(b"# T\n\n## Rules\nDo it.").status is KnowledgeStatus.ESTABLISHED


def test_a_text_without_form_is_taken_for_rules() -> None:
    found = document(b"\xef\xbb\xbfAlways write tests.\r\nNever sleep.\r\n")
    assert (found.title, found.rules) == ("Errors", "Always write tests.\nNever sleep.")
    assert told(b"Always write tests.") == [
        "conventions/errors.md:1: there is no section '## Rules'; what stands there is taken"
        " for rules",
        "conventions/errors.md:1: there is no title; expected a line such as '# Error handling'",
    ]


def test_headings_of_ones_own_belong_to_the_section() -> None:
    found = document(b"# T\n## RULES:\nDo it.\n### When\nAlways.\n# not a title\n## Rationale\nx")
    assert found.rules == "Do it.\n### When\nAlways.\n# not a title"
    assert found.rationale == "x"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"# T\n_Status: sure_\n## Rules\nx", ":2: the status 'sure' is none of: provisional"),
        (b"# T\n## Rules\n" + b"x" * 501, ":2: the rules have 501 characters"),
        (b"# T\n## Rules\nx\n## Rules\ny", ":4: there is a second section 'rules'"),
        (b"# " + b"T" * 90 + b"\n## Rules\nx", ": the title has 90 characters"),
        (b"# T\n## Rules\ncaf\xe9\n", ":3: the byte 0xe9 is not UTF-8 text"),
        (b"# T\n## Rules\n\x1b[31mred\x1b]0;evil\x07\n", ":3: control characters were taken out"),
        (b"# T\n## Rules\na\nkey = sk-ant-api03-" + b"a1B2" * 20 + b"\n", ":4: 1 secrets"),
        (b"# T\n## Rules\n\n", ": it says nothing, and nobody is told of it"),
        (b"x" * (FILE_BYTES + 1), ": the file has 65537 bytes, at most 65536 are read"),
    ],
)
def test_every_problem_is_named_with_its_line(content: bytes, problem: str) -> None:
    assert any(problem in it for it in told(content)), told(content)


def test_a_long_document_that_is_deprecated_is_no_problem() -> None:
    assert told(b"# T\n_Status: deprecated_\n## Rules\n" + b"x" * 900) == []


def test_nothing_secret_and_nothing_that_a_terminal_obeys_is_left() -> None:
    token = b"sk-ant-api03-" + b"a1B2" * 20
    found = document(b"# T\x1b[2J\n## Rules\nuse " + token + b"\n## Rationale\n\x9b31m\xe2\x80\xae")
    whole = document_text(found)
    assert token.decode() not in whole
    assert "\x1b" not in whole
    assert "\u202e" not in whole


def test_a_file_outside_the_directories_is_named() -> None:
    assert told(SEED, "errors.md") == [
        "errors.md: it lies in no directory of the store, and nobody is told of it"
    ]


def test_what_could_not_be_read_is_a_problem_of_the_store() -> None:
    file = StoreFile(path="design/link.md", content=None, trouble="it is a symbolic link")
    found = READER.read_file(file)
    assert found.document is None
    assert [it.sentence for it in found.problems] == ["design/link.md: it is a symbolic link"]


@pytest.mark.parametrize(
    ("path", "is_one"),
    [("design/x.md", True), ("_index.md", False), ("design/README.md", False), ("x.png", False)],
)
def test_which_files_are_documents(path: str, *, is_one: bool) -> None:
    assert READER.is_document(path) is is_one
