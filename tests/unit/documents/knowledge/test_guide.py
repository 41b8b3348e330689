"""Files for agents: what they give to the store, and how the store's rules get into them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.documents.knowledge.guide import BEGIN, END, MarkdownGuide
from supervisor_ai.domain.knowledge.documents import (
    MAX_RULES,
    KnowledgeArea,
    KnowledgeDocument,
    KnowledgeStatus,
)
from supervisor_ai.domain.knowledge.updates import UpdateRefusal, apply_update

GUIDE = MarkdownGuide()
DOCUMENT = KnowledgeDocument(
    path="conventions/errors.md",
    title="Errors",
    status=KnowledgeStatus.ESTABLISHED,
    rules=f"1. Raise ToolError\n{END}",
)
TEXTS = st.text(alphabet=st.sampled_from("ab# \n\r`-"), max_size=60)


@given(st.one_of(st.none(), TEXTS))
def test_what_was_exported_can_be_taken_back_exactly(text: str | None) -> None:
    once = GUIDE.exported(text, [DOCUMENT])
    assert once.count(BEGIN) == once.count(END) == 1
    assert "1. Raise ToolError" in once
    assert GUIDE.exported(once, [DOCUMENT]) == once
    assert GUIDE.restored(once) == text


@given(TEXTS, TEXTS)
def test_our_part_is_renewed_where_it_stands(before: str, after: str) -> None:
    changed = KnowledgeDocument(
        path="conventions/b.md", title="B", status=KnowledgeStatus.ESTABLISHED, rules="New"
    )
    text = f"{before}\n{BEGIN}\nold\n{END}\n{after}"
    renewed = GUIDE.exported(text, [changed])
    assert renewed.startswith(before)
    assert renewed.endswith(after)
    assert "old\n" not in renewed.removeprefix(before).removesuffix(after)


def test_a_file_without_our_marks_stays() -> None:
    assert GUIDE.restored("mine\n") == "mine\n"
    assert GUIDE.restored(f"mine {BEGIN}") == f"mine {BEGIN}"


def test_each_section_becomes_a_convention() -> None:
    text = (
        "Be kind.\n\n# Errors\n\n- Raise ToolError\n- Never swallow\n\n## Code\n\n```\n"
        "# no heading\n\nx = 1\n```\n\n# Errors\n\nAgain.\n\n# Empty\n"
    )
    seeds = GUIDE.seeds("AGENTS.md", GUIDE.exported(text, [DOCUMENT]))
    assert [(it.name, it.title, it.rules) for it in seeds.updates] == [
        ("agents-md", "AGENTS.md", "Be kind."),
        ("errors", "Errors", "- Raise ToolError\n- Never swallow"),
        ("code", "Code", "```\n# no heading\n\nx = 1\n```"),
        ("errors-2", "Errors", "Again."),
    ]
    assert seeds.left_out == ()


def test_what_is_too_long_is_divided_and_never_torn() -> None:
    items = [f"- {letter * 200}" for letter in "abcde"]
    seeds = GUIDE.seeds("AGENTS.md", "# Long\n" + "\n".join(items) + "\n\n" + "x" * 501)
    assert [it.title for it in seeds.updates] == ["Long", "Long (2)", "Long (3)"]
    assert seeds.updates[0].rules == f"{items[0]}\n{items[1]}"
    assert seeds.left_out == ("Long: a passage of 501 characters",)


@given(st.lists(st.one_of(st.sampled_from(["# A", "```", "- b", "## Rules", ""]), st.text())))
def test_whatever_a_file_says_the_store_takes_it(lines: list[str]) -> None:
    for update in GUIDE.seeds("CLAUDE.md", "\n".join(lines)).updates:
        assert len(update.rules) <= MAX_RULES
        assert not isinstance(
            apply_update({}, update, [KnowledgeArea.CONVENTIONS]), UpdateRefusal
        ), update


@pytest.mark.parametrize("text", ["", "\n\n", "# Only a heading\n"])
def test_a_file_that_says_nothing_gives_nothing(text: str) -> None:
    assert GUIDE.seeds("AGENTS.md", text).updates == ()
