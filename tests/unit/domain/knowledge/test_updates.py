"""What may be done to the store, and what is refused."""

import pytest

from supervisor_ai.domain.knowledge.documents import (
    MAX_CHANGES,
    KnowledgeArea,
    KnowledgeDocument,
    KnowledgeStatus,
    area_of,
    section_text,
)
from supervisor_ai.domain.knowledge.updates import (
    MOST_DOCUMENTS,
    SetStatus,
    UpdateRefusal,
    WriteDocument,
    apply_update,
)
from supervisor_ai.domain.structs import replace

ALL = tuple(KnowledgeArea)
WRITE = WriteDocument(
    by="code_style_supervisor",
    task="task_12",
    area=KnowledgeArea.CONVENTIONS,
    name="errors",
    title="Error handling",
    rules="1. Raise ToolError",
)


def written(update: WriteDocument = WRITE) -> KnowledgeDocument:
    document = apply_update({}, update, ALL)
    assert isinstance(document, KnowledgeDocument)
    return document


def refused(
    update: WriteDocument | SetStatus, documents: dict[str, KnowledgeDocument] | None = None
) -> str:
    refusal = apply_update(documents or {}, update, ALL)
    assert isinstance(refusal, UpdateRefusal)
    return refusal.reason


def test_a_new_document_is_a_guess_that_says_where_it_comes_from() -> None:
    document = written()
    assert document.status is KnowledgeStatus.PROVISIONAL
    assert (document.by, document.task) == ("code_style_supervisor", "task_12")
    assert [it.what for it in document.changes] == ["written"]


def test_what_a_person_says_holds() -> None:
    assert written(replace(WRITE, by="user")).status is KnowledgeStatus.ESTABLISHED


def test_new_rules_have_to_prove_themselves_again() -> None:
    before = replace(written(), status=KnowledgeStatus.ESTABLISHED)
    changed = apply_update({before.path: before}, replace(WRITE, rules="1. Raise"), ALL)
    assert isinstance(changed, KnowledgeDocument)
    assert changed.status is KnowledgeStatus.PROVISIONAL
    assert [it.what for it in changed.changes] == ["written", "written anew"]


def test_nobody_writes_where_somebody_else_does() -> None:
    refusal = apply_update({}, WRITE, (KnowledgeArea.DESIGN,))
    assert isinstance(refusal, UpdateRefusal)
    assert refusal.reason == "code_style_supervisor may write design and not conventions"
    nowhere = apply_update({}, WRITE, ())
    assert isinstance(nowhere, UpdateRefusal)
    assert "may write no directory" in nowhere.reason


@pytest.mark.parametrize(
    ("update", "reason"),
    [
        (replace(WRITE, rules="x" * 501), "501 characters of rules are too many, at most 500"),
        (replace(WRITE, title="x" * 81), "81 characters of title are too many"),
        (replace(WRITE, examples="x" * 2001), "2001 characters of examples"),
        (replace(WRITE, rationale="x" * 1001), "1001 characters of rationale"),
        (replace(WRITE, rules="\x1b[31m \n"), "it has no rules"),
        (replace(WRITE, title="##"), "it has no title"),
        (replace(WRITE, name="../../etc/passwd"), "a document's name has small letters"),
        (replace(WRITE, name="Ä"), "a document's name has small letters"),
        (SetStatus(by="x", path="x.md", status=KnowledgeStatus.DEPRECATED), "no directory"),
        (
            SetStatus(by="x", path="design/x.md", status=KnowledgeStatus.DEPRECATED),
            "there is no such document",
        ),
    ],
)
def test_what_has_not_the_form_is_refused(update: WriteDocument | SetStatus, reason: str) -> None:
    assert reason in refused(update)


def test_nothing_is_written_twice() -> None:
    document = written()
    assert refused(WRITE, {document.path: document}) == "it says the same already"


def test_a_full_store_takes_changes_only() -> None:
    document = written()
    full = {f"design/{number}.md": document for number in range(MOST_DOCUMENTS)}
    assert "the most that it may have" in refused(WRITE, full)
    full[document.path] = document
    changed = apply_update(full, replace(WRITE, rules="2. Other"), ALL)
    assert isinstance(changed, KnowledgeDocument)


@pytest.mark.parametrize("status", [KnowledgeStatus.ESTABLISHED, KnowledgeStatus.DEPRECATED])
def test_a_status_is_set_and_noted(status: KnowledgeStatus) -> None:
    document = replace(written(), needs_review=True)
    update = SetStatus(by="user", path=document.path, status=status)
    changed = apply_update({document.path: document}, update, ALL)
    assert isinstance(changed, KnowledgeDocument)
    assert (changed.status, changed.needs_review) == (status, False)
    assert changed.changes[-1].what == f"provisional → {status.value}"
    again = apply_update({document.path: changed}, update, ALL)
    assert isinstance(again, UpdateRefusal)


def test_what_is_too_long_to_be_told_is_not_promoted() -> None:
    document = replace(written(), rules="x" * 501)
    known = {document.path: document}
    firm = SetStatus(by="user", path=document.path, status=KnowledgeStatus.ESTABLISHED)
    assert "at most 500" in refused(firm, known)
    gone = apply_update(known, replace(firm, status=KnowledgeStatus.DEPRECATED), ALL)
    assert isinstance(gone, KnowledgeDocument)


def test_a_changelog_keeps_its_newest_entries() -> None:
    document = written()
    for number in range(MAX_CHANGES + 5):
        update = replace(WRITE, rules=f"{number}. Rule", what=f"change {number}", by="")
        changed = apply_update({document.path: document}, update, ALL)
        assert isinstance(changed, KnowledgeDocument)
        document = changed
    assert len(document.changes) == MAX_CHANGES
    assert document.changes[-1].what == f"change {MAX_CHANGES + 4}"
    assert document.by == "unknown"


def test_no_heading_of_ours_hides_in_a_section() -> None:
    text = section_text("Do\n## Rules\n### changelog:\n## Other\n\n\n\nend \n")
    assert text == "Do\n\\## Rules\n\\### changelog:\n## Other\n\nend"
    assert section_text(text) == text


@pytest.mark.parametrize(
    ("path", "area"),
    [
        ("conventions/x.md", KnowledgeArea.CONVENTIONS),
        ("design/sub/x.md", KnowledgeArea.DESIGN),
        ("conventions", None),
        ("conventions/", None),
        ("api/x.md", "api"),
        ("../x.md", None),
    ],
)
def test_the_directory_of_a_path(path: str, area: str | None) -> None:
    assert area_of(path) == area


def test_a_document_knows_its_directory() -> None:
    assert written().area == KnowledgeArea.CONVENTIONS
