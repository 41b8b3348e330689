"""Whatever updates come, the store stays valid; what people wrote stays as they wrote it."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from supervisor_ai.control.ports.knowledge import StoreFile
from supervisor_ai.documents.knowledge.reader import KnowledgeReader
from supervisor_ai.documents.knowledge.store_text import MarkdownStore
from supervisor_ai.documents.knowledge.writer import document_text, index_text
from supervisor_ai.domain.knowledge.documents import (
    INDEX,
    KnowledgeArea,
    KnowledgeStatus,
)
from supervisor_ai.domain.knowledge.updates import SetStatus, Update, WriteDocument
from supervisor_ai.domain.redaction.redactor import RuleRedactor

READER = KnowledgeReader(RuleRedactor())
STORE = MarkdownStore(READER)
ALL = tuple(KnowledgeArea)

LINES = st.one_of(
    st.sampled_from(
        [
            *("## Rules", "# Title", "## Changelog", "_Status: established_", "- a, b: c", "```"),
            *("Status: deprecated", "\x1b[31m", "\u202e", "1. Do it", "", "  indented", "Rules"),
        ]
    ),
    st.text(max_size=40),
)
TEXTS = st.lists(LINES, max_size=8).map("\n".join)
PATHS = st.sampled_from(["conventions/a.md", "design/b.md", "lessons/c.md", "nowhere/d.md"])
UPDATES = st.lists(
    st.one_of(
        st.builds(
            WriteDocument,
            by=st.one_of(st.sampled_from(["user", "design, or not: _x_"]), st.text(max_size=20)),
            task=st.text(max_size=20),
            what=TEXTS,
            area=st.sampled_from(KnowledgeArea),
            name=st.sampled_from(["a", "b", "c", "../x", "A B"]),
            title=st.one_of(TEXTS, st.just("Rules")),
            rules=TEXTS,
            examples=TEXTS,
            rationale=TEXTS,
            needs_review=st.booleans(),
        ),
        st.builds(
            SetStatus,
            by=st.text(max_size=20),
            what=TEXTS,
            path=PATHS,
            status=st.sampled_from(KnowledgeStatus),
        ),
    ),
    max_size=12,
)


def as_files(store: dict[str, bytes]) -> list[StoreFile]:
    return [StoreFile(path=path, content=content) for path, content in store.items()]


@settings(max_examples=40)
@given(UPDATES, st.sets(st.sampled_from(KnowledgeArea)))
def test_whatever_updates_come_the_store_is_valid(
    updates: list[Update], areas: set[KnowledgeArea]
) -> None:
    store: dict[str, bytes] = {}
    for update in updates:
        revision = STORE.revise(as_files(store), [update], areas)
        assert all(it.partition("/")[0] in {str(area) for area in areas} for it in revision.changed)
        assert bool(revision.changed) is not bool(revision.refused)
        store |= revision.contents
    found = STORE.contents(as_files(store))
    assert [it.sentence for it in found.problems] == []
    for path, document in found.documents.items():
        assert document.path == path
        assert READER.read(path, document_text(document).encode()).document == document
    if found.documents:
        assert store[INDEX].decode() == index_text(found.documents.values())


def revised(store: dict[str, bytes], *updates: Update) -> dict[str, bytes]:
    return {**store, **STORE.revise(as_files(store), updates, ALL).contents}


def test_several_updates_build_on_each_other() -> None:
    write = WriteDocument(
        by="internaliser",
        task="task_3",
        area=KnowledgeArea.LESSONS,
        name="reducers",
        title="Reducers",
        rules="Give every field a default",
    )
    firm = SetStatus(by="user", path="lessons/reducers.md", status=KnowledgeStatus.ESTABLISHED)
    store = revised({}, write, firm)
    assert store["lessons/reducers.md"].decode() == (
        "# Reducers\n\n_Last updated by: user_\n_Status: established_\n\n## Rules\n\n"
        "Give every field a default\n\n## Changelog\n\n- internaliser, task_3: written\n"
        "- user: provisional → established\n"
    )
    assert "- [Reducers](lessons/reducers.md)\n" in store[INDEX].decode()


def test_what_a_person_wrote_besides_stays() -> None:
    text = (
        b"# Names\r\nWritten by hand.\n\nStatus: provisional\n\n## Notes\nKeep me.\n\n"
        b"## Rules\nShort names.\n\n## Changelog\n- ada: began\n\n## Rationale\nBecause.\n"
    )
    firm = SetStatus(by="user", path="design/names.md", status=KnowledgeStatus.ESTABLISHED)
    store = revised({"design/names.md": text}, firm)
    assert store["design/names.md"].decode() == (
        "# Names\n\n_Last updated by: user_\n_Status: established_\n\nWritten by hand.\n\n\n"
        "## Notes\nKeep me.\n\n## Rules\nShort names.\n\n## Rationale\nBecause.\n\n"
        "## Changelog\n\n- ada: began\n- user: provisional → established\n"
    )


def test_nothing_changes_where_all_is_refused() -> None:
    gone = SetStatus(by="user", path="design/none.md", status=KnowledgeStatus.DEPRECATED)
    revision = STORE.revise([], [gone], ALL)
    assert (revision.contents, revision.changed) == ({}, ())
    assert [it.reason for it in revision.refused] == ["there is no such document"]


def test_no_secret_is_written() -> None:
    token = "sk-ant-api03-" + "a1B2" * 20
    write = WriteDocument(
        by="user", area=KnowledgeArea.DOMAIN, name="keys", title="Keys", rules=f"Use {token}"
    )
    assert token.encode() not in revised({}, write)["domain/keys.md"]


def test_an_index_names_what_is_no_more_and_what_is_a_guess() -> None:
    files: Sequence[tuple[str, bytes]] = (
        ("design/b (1).md", b"# B [x]\n_Status: deprecated_\n## Rules\nx"),
        ("conventions/a.md", b"# A\n_Status: provisional_\n## Rules\nx"),
        ("directives/c.md", b"# C\n## Rules\nx"),
    )
    found = STORE.contents(as_files(dict(files)))
    index = index_text(found.documents.values())
    assert "- [A](conventions/a.md) (provisional)\n" in index
    assert "- [B (x)](design/b%20%281%29.md) (deprecated)\n" in index
    assert index.index("Conventions:") < index.index("Design:") < index.index("Directives:")
