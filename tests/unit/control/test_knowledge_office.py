"""The store as people ask about it and change it, over stores in memory."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.support.knowledge_office import FIRM, GUESS, READER, Folder, Guides, office

from supervisor_ai.control.commands.decisions.knowledge import (
    GuideChange,
    carry_out,
    due_documents,
    first_guide,
    guide_difference,
    plan_document,
    plan_guide,
    plan_seeds,
    plan_statuses,
    preview,
    write_guide,
)
from supervisor_ai.control.dashboard.knowledge import (
    KnowledgeOffice,
    find_document,
    list_documents,
    review_queue,
    search_documents,
    show_document,
)
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.knowledge.documents import KnowledgeStatus
from supervisor_ai.domain.knowledge.life import KnowledgeUse, UseStatus
from supervisor_ai.domain.knowledge.selection import StoreName
from supervisor_ai.domain.knowledge.updates import WriteDocument
from supervisor_ai.engine.ports.knowledge import KnowledgeHit

DRAFT = WriteDocument(by="", area="", name="", title="New", rules="Do it.")


class Commits:
    """Remembers what is committed."""

    def __init__(self) -> None:
        self.made: list[tuple[list[str], str]] = []

    def commit_files(self, files: Mapping[str, bytes], message: str) -> tuple[str, CommitSha]:
        self.made.append((sorted(files), message))
        return "main", CommitSha("c1")


def clean_uses(path: str, content: bytes, number: int) -> list[KnowledgeUse]:
    document = READER.read(path, content).document
    assert document is not None
    use = KnowledgeUse(path=path, fingerprint=document.fingerprint, status=UseStatus.CLEAN)
    return [use] * number


def files(of: KnowledgeOffice, store: StoreName = StoreName.PROJECT) -> dict[str, bytes]:
    folder = of.stores[store]
    assert isinstance(folder, Folder)
    return folder.files


def test_documents_are_listed_with_their_uses_and_problems() -> None:
    uses = clean_uses("conventions/names.md", GUESS, 2)
    found = list_documents(office(own={"lessons/x.md": FIRM}, uses=uses))
    views = {it.path: it for it in found.documents}
    names = views["docs/knowledge/conventions/names.md"]
    assert (names.uses, names.clean_uses, names.updated_by) == (2, 2, "code_style, task_2")
    assert not names.is_committed
    assert views["docs/knowledge/conventions/errors.md"].is_committed
    assert views["/home/me/knowledge/lessons/x.md"].is_committed
    assert (found.total, found.truncated) == (5, False)
    assert [it.sentence for it in found.problems] == [
        "design/odd.md:2: the status 'sure' is none of: provisional, established, deprecated;"
        " taken as provisional"
    ]
    some = list_documents(office(), status="provisional", most=1)
    assert (len(some.documents), some.total, some.truncated) == (1, 3, True)


@pytest.mark.parametrize(
    "name",
    [
        "docs/knowledge/conventions/names.md",
        "conventions/names.md",
        "names.md",
        "names",
    ],
)
def test_a_document_is_found_by_any_of_its_names(name: str) -> None:
    assert show_document(office(), name).title == "Names"


def test_a_name_of_two_documents_is_not_guessed() -> None:
    two = {"conventions/a.md": FIRM, "design/a.md": FIRM}
    with pytest.raises(InvalidInput, match="names 2 documents"):
        find_document(office(two), "a")
    with pytest.raises(NotFound) as missing:
        find_document(office(), "conventions/nams.md")
    assert missing.value.hint == "Did you mean 'conventions/names.md'?"
    both = office({"design/a.md": FIRM}, {"design/a.md": GUESS})
    assert find_document(both, "design/a.md").store is StoreName.PROJECT
    assert find_document(both, "user:design/a.md").store is StoreName.USER


def test_what_waits_for_a_person_stands_in_order() -> None:
    uses = clean_uses("conventions/names.md", GUESS, 5)
    queue = review_queue(office(uses=uses))
    assert [(it.path.rpartition("/")[2], it.why) for it in queue] == [
        ("orders.md", "whoever wrote it wants a person to look at it"),
        ("names.md", "5 tasks in a row went well with it: promote it"),
        ("odd.md", "a guess; 0 of 5 tasks in a row went well with it"),
    ]
    assert due_documents(office(uses=uses)) == ("conventions/names.md",)


def test_a_search_says_how_well_a_document_fits() -> None:
    document = READER.read("conventions/errors.md", FIRM).document
    assert document is not None
    hit = KnowledgeHit(store=StoreName.PROJECT, document=document, relevance=1.234)
    (found,) = search_documents(office(hits=[hit]), "errors", most=3)
    assert (found.title, found.why) == ("Errors", "relevance 1.23")


def test_documents_of_both_stores_are_promoted() -> None:
    where = office(own={"lessons/x.md": GUESS})
    changes = plan_statuses(
        where, ["names", "lessons/x.md"], KnowledgeStatus.ESTABLISHED, "Seen often"
    )
    commits = Commits()
    dry = carry_out(where, changes, dry_run=True)
    assert (dry.applied, dry.target) == (False, "2 documents")
    assert files(where)["conventions/names.md"] == GUESS
    done = carry_out(where, changes, dry_run=False, commits=commits)
    assert done.applied
    assert b"_Status: established_" in files(where)["conventions/names.md"]
    assert b"- user: Seen often" in files(where, StoreName.USER)["lessons/x.md"]
    assert commits.made == [
        (
            ["docs/knowledge/_index.md", "docs/knowledge/conventions/names.md"],
            "knowledge: conventions/names.md\n",
        )
    ]
    again = plan_statuses(where, ["names"], KnowledgeStatus.ESTABLISHED, "")
    done = carry_out(where, again, dry_run=False)
    assert (done.applied, done.detail) == (False, "Nothing changes.")
    assert done.notes == ("conventions/names.md: it is established already",)


def test_a_document_is_written_where_it_belongs() -> None:
    where = office()
    change = plan_document(where, "docs/knowledge/lessons/new.md", DRAFT, StoreName.PROJECT)
    assert next(preview(where, change)) == "── docs/knowledge/lessons/new.md"
    carry_out(where, [change], dry_run=False)
    assert show_document(where, "lessons/new.md").status is KnowledgeStatus.ESTABLISHED
    for place in ("new", "lessons/", "lessons/a/b", "../x"):
        with pytest.raises(InvalidInput, match="DIRECTORY/NAME"):
            plan_document(where, place, DRAFT, StoreName.PROJECT)


def test_a_file_for_agents_is_a_seed_and_does_not_get_its_own_words_back() -> None:
    guides = Guides(AGENTS="# Style\n\nBe brief.\n\n# Long\n\n" + "x" * 600)
    where = office({}, guides=guides)
    change = plan_seeds(where, "AGENTS.md", StoreName.PROJECT)
    assert change.changed == ("conventions/style.md",)
    assert change.notes == (
        "AGENTS.md: Long: a passage of 600 characters is longer than rules may be",
    )
    carry_out(where, [change], dry_run=False)
    with pytest.raises(NotFound, match="does not have already"):
        plan_guide(where, "AGENTS.md", undo=False)
    assert "Be brief." in (plan_guide(where, "CLAUDE.md", undo=False).after or "")
    with pytest.raises(NotFound):
        plan_seeds(where, "GEMINI.md", StoreName.PROJECT)
    with pytest.raises(InvalidInput, match="is none of"):
        plan_seeds(where, "../etc/passwd", StoreName.PROJECT)


def test_a_new_project_is_offered_its_own_guide(tmp_path: Path) -> None:
    assert first_guide(tmp_path) is None
    (tmp_path / "CLAUDE.md").write_text("Be brief.")
    assert first_guide(tmp_path) == "CLAUDE.md"
    (tmp_path / "docs" / "knowledge").mkdir(parents=True)
    assert first_guide(tmp_path) is None


def test_an_export_is_shown_written_and_taken_back() -> None:
    guides = Guides(AGENTS="Mine.\n")
    where = office(guides=guides)
    change = plan_guide(where, "AGENTS.md", undo=False)
    assert "+Raise ToolError." in list(guide_difference(change))
    assert not write_guide(where, change, dry_run=True).applied
    assert guides.files["AGENTS.md"] == "Mine.\n"
    assert write_guide(where, change, dry_run=False).applied
    back = plan_guide(where, "AGENTS.md", undo=True)
    again = GuideChange(name="AGENTS.md", before=back.before, after=back.before)
    assert not write_guide(where, again, dry_run=False).applied
    write_guide(where, back, dry_run=False)
    assert guides.files["AGENTS.md"] == "Mine.\n"
    assert plan_guide(where, "CLAUDE.md", undo=True).after is None
    gone = GuideChange(name="AGENTS.md", before="Mine.\n", after=None)
    assert write_guide(where, gone, dry_run=True).detail == "would be removed."


def test_what_somebody_changed_after_the_plan_is_left_as_it_is() -> None:
    guides = Guides(AGENTS="Mine.\n")
    where = office(guides=guides)
    guide = plan_guide(where, "AGENTS.md", undo=False)
    promoted, deprecated = (
        plan_statuses(where, ["conventions/names.md"], status, "used a lot")
        for status in (KnowledgeStatus.ESTABLISHED, KnowledgeStatus.DEPRECATED)
    )
    guides.files["AGENTS.md"] = "Mine, and more.\n"

    with pytest.raises(Conflict, match="changed"):
        write_guide(where, guide, dry_run=False)
    carry_out(where, promoted, dry_run=False)
    with pytest.raises(Conflict, match="changed"):
        carry_out(where, deprecated, dry_run=False)

    assert guides.files["AGENTS.md"] == "Mine, and more.\n"
