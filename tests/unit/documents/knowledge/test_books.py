"""What is kept of what supervisors leave in the store."""

from supervisor_ai.documents.knowledge.books import MarkdownBooks
from supervisor_ai.documents.knowledge.reader import KnowledgeReader
from supervisor_ai.domain.knowledge.documents import KnowledgeStatus
from supervisor_ai.domain.knowledge.life import KnowledgeUse, UseStatus
from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.drivers.quality.ports import KnowledgeItem, SettledKnowledge, WrittenKnowledge

READER = KnowledgeReader(RuleRedactor())
BOOKS = MarkdownBooks(READER)
ERRORS = "docs/knowledge/conventions/errors.md"
DRAFT = b"# Errors\n_Status: established_\n\n## Rules\n\n1. Raise ToolError\n"
LESSON = "LangGraph state reducers silently drop None values; always provide defaults"


def settle(
    after: dict[str, bytes],
    before: dict[str, bytes] | None = None,
    *items: KnowledgeItem,
    owns: tuple[str, ...] = ("conventions",),
) -> SettledKnowledge:
    return BOOKS.settle(
        WrittenKnowledge(
            writer="code_style",
            task="task_12",
            owns=owns,
            before=before or {},
            after=after,
            items=items,
        )
    )


def test_a_new_document_is_provisional_whatever_its_writer_says() -> None:
    settled = settle({ERRORS: DRAFT, "docs/knowledge/_index.md": b"forged", "src/app.py": b"x"})
    assert settled.updated == (ERRORS,)
    assert sorted(settled.files) == ["docs/knowledge/_index.md", ERRORS]
    kept = settled.files[ERRORS]
    assert kept is not None
    assert b"_Last updated by: code_style, task_12_\n_Status: provisional_" in kept
    assert b"- code_style, task_12: written\n" in kept
    assert b"[Errors](conventions/errors.md)" in (settled.files["docs/knowledge/_index.md"] or b"")


def test_what_is_not_the_writers_is_refused_and_not_kept() -> None:
    settled = settle({"docs/knowledge/design/a.md": DRAFT, ERRORS: DRAFT})
    assert settled.updated == (ERRORS,)
    assert settled.refused == (
        ("docs/knowledge/design/a.md", "code_style may write conventions and not design"),
    )


def test_a_malformed_document_is_refused_with_the_reason() -> None:
    long = b"# T\n## Rules\n" + b"x" * 501
    deep = "docs/knowledge/conventions/a/b.md"
    settled = settle({ERRORS: long, deep: DRAFT, "docs/knowledge/conventions/c.md": b""})
    assert (settled.files, settled.updated) == ({}, ())
    reasons = dict(settled.refused)
    assert "the rules have 501 characters" in reasons[ERRORS]
    assert reasons[deep] == "documents lie right in their directory"
    assert "it says nothing" in reasons["docs/knowledge/conventions/c.md"]


def test_nothing_is_removed_but_it_can_be_deprecated() -> None:
    before = settle({ERRORS: DRAFT}).files[ERRORS]
    assert before is not None
    gone = settle({}, {ERRORS: before})
    assert gone.refused == ((ERRORS, "documents are deprecated and never removed"),)
    assert gone.files == {}
    marked = before.replace(b"_Status: provisional_", b"_Status: deprecated_")
    settled = settle({ERRORS: marked}, {ERRORS: before})
    kept = settled.files[ERRORS]
    assert kept is not None
    assert b"provisional \xe2\x86\x92 deprecated" in kept


def test_what_was_learnt_becomes_documents_once() -> None:
    owns = ("lessons", "domain")
    lesson = KnowledgeItem(
        category="lesson", content=LESSON, source_task="task_3", confidence="high"
    )
    doubt = KnowledgeItem(category="domain", content="Orders never go.", needs_user_review=True)
    settled = settle({}, {}, lesson, doubt, lesson, owns=owns)
    path = "docs/knowledge/lessons/langgraph-state-reducers-silently-drop.md"
    assert settled.updated == ("docs/knowledge/domain/orders-never-go.md", path)
    assert settled.reviews == 1
    text = settled.files[path]
    assert text is not None
    assert b"- code_style, task_3: captured, confidence high\n" in text
    store = {name: content for name, content in settled.files.items() if content is not None}
    again = settle(store, store, lesson, owns=owns)
    assert again.updated == ()
    other = KnowledgeItem(category="lesson", content=f"{LESSON}\nTwice seen.")
    assert settle(store, store, other, owns=owns).updated == (
        "docs/knowledge/lessons/langgraph-state-reducers-silently-drop-2.md",
    )


def test_what_has_proved_itself_becomes_established() -> None:
    before = settle({ERRORS: DRAFT}).files[ERRORS]
    assert before is not None
    document = READER.read("conventions/errors.md", before).document
    assert document is not None
    use = KnowledgeUse(path=document.path, fingerprint=document.fingerprint, status=UseStatus.CLEAN)
    assert BOOKS.promoted({ERRORS: before}, [use] * 4, "task_20").updated == ()
    settled = BOOKS.promoted({ERRORS: before}, [use] * 5, "task_20")
    after = READER.read("conventions/errors.md", settled.files[ERRORS] or b"").document
    assert after is not None
    assert (after.status, after.by) == (KnowledgeStatus.ESTABLISHED, "supervisor")


def test_a_store_is_read_for_supervisors() -> None:
    files = {
        ERRORS: DRAFT,
        "docs/knowledge/design/guess.md": b"# Guess\n_Status: provisional_\n## Rules\nMaybe.",
        "docs/knowledge/directives/a.md": b"# First\n## Rules\nMend the build.",
        "docs/knowledge/directives/b.md": b"# Done\n_Status: deprecated_\n## Rules\nOld.",
    }
    assert BOOKS.is_empty(files, ("lessons",))
    assert not BOOKS.is_empty(files, ("lessons", "design"))
    assert BOOKS.directives(files) == ("First\nMend the build.",)
    digest = BOOKS.digest(files, most=1000)
    assert digest.index("(established): Errors") < digest.index("(provisional): Guess")
    assert "Mend the build" not in digest
    assert "Guess" not in BOOKS.digest(files, most=90)
    assert BOOKS.digest(files, most=10) == ""
