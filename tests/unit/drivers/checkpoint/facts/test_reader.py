"""What is read from artifacts, and in which bounds."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.drivers.checkpoint.session import TEXTS

from supervisor_ai.drivers.checkpoint.facts.markdown import MOST_CHARACTERS, MOST_LINES, outline
from supervisor_ai.drivers.checkpoint.facts.model import (
    ArtifactFacts,
    Moscow,
    PlanComplexity,
    Statement,
)
from supervisor_ai.drivers.checkpoint.facts.reader import read_artifact

BRIEF = read_artifact("brief.md", TEXTS["spec/product-brief.md"], task="DRAFT-001")
PLAN = read_artifact("plan.md", TEXTS["spec/plan.md"])


def read(text: str) -> ArtifactFacts:
    return read_artifact("a.md", text)


def ids(found: tuple[Statement, ...]) -> list[str]:
    return [it.id for it in found]


def texts(found: tuple[Statement, ...]) -> list[str]:
    return [it.text for it in found]


def test_goals_are_read_and_what_is_no_goal_is_not() -> None:
    assert ids(BRIEF.goals) == ["G-1", "G-2", "G-3"]
    assert BRIEF.goals[0].text == "A customer pays within a minute"
    assert BRIEF.goals[0].quote == "- **G1**: A customer pays within a minute"
    assert BRIEF.task == "DRAFT-001"


def test_requirements_in_a_table_have_priority_and_goal() -> None:
    found = read(TEXTS["spec/requirements.md"]).requirements
    assert [(it.id, it.priority, it.refs) for it in found] == [
        ("REQ-1", Moscow.MUST, ("G-1",)),
        ("REQ-2", Moscow.MUST, ("G-2",)),
        ("REQ-3", Moscow.SHOULD, ("G-3",)),
    ]


@pytest.mark.parametrize(
    ("text", "priority"),
    [
        ("- REQ-1 [Must] pay", Moscow.MUST),
        ("- REQ-1: pay (should have)", Moscow.SHOULD),
        ("- REQ-1: Must: pay", Moscow.MUST),
        ("- REQ-1: a must-have", Moscow.MUST),
        ("- REQ-1: one MUST pay", Moscow.MUST),
        ("- REQ-1: pay (P0)", Moscow.MUST),
        ("- REQ-1: pay\n  - Priority: could", Moscow.COULD),
        ("### REQ-1: pay\n\n**Priority**: Won't have", Moscow.WONT),
        ("## Must Have\n- REQ-1: pay", Moscow.MUST),
        ("## Should haves\n### Money\n- REQ-1: pay", Moscow.SHOULD),
        ("- REQ-1: one must pay", None),
    ],
)
def test_priorities_are_marked_in_many_ways(text: str, priority: Moscow | None) -> None:
    assert [it.priority for it in read(text).requirements] == [priority]


def test_without_ids_the_outermost_entries_below_a_heading_count() -> None:
    facts = read(
        "# PRD\n## Goals\nprose\n- Pay fast\n  - by card\n    - in euro\n- Lose nothing\n\n"
        "1. Third\n## Functional Requirements\n### Money\n- Cards are taken\n\n| Name |\n|---|\n"
        "| Cash is taken |\n## Out of scope\n- Cheques\n## Risks\n- None of these\n"
    )
    assert texts(facts.goals) == ["Pay fast", "Lose nothing", "Third"]
    assert texts(facts.requirements) == ["Cards are taken", "Cash is taken"]
    assert ids(facts.goals) == ["", "", ""]
    assert facts.goals[0].name == "'Pay fast'"


def test_where_some_have_ids_the_others_are_details() -> None:
    facts = read("## Goals\n- G1: Pay\n- fast\n")
    assert ids(facts.goals) == ["G-1"]


def test_an_entry_that_says_none_is_none() -> None:
    assert read("## Goals\n- None.\n- n/a\n").goals == ()


def test_the_refs_of_an_entry_are_those_below_it() -> None:
    facts = read(
        "## REQ-1: a\n\nGoal 1\n\n- x G2\n  - y G3\n\n## REQ-2: b\nG4\n\n- REQ-3: c\n  G5\n\nG6\n"
    )
    assert {it.id: it.refs for it in facts.requirements} == {
        "REQ-1": ("G-1", "G-2", "G-3"),
        "REQ-2": ("G-4", "REQ-3", "G-5", "G-6"),
        "REQ-3": ("G-5",),
    }


def test_tasks_know_what_comes_before_them() -> None:
    assert [(it.id, it.needs) for it in PLAN.tasks] == [
        ("TASK-1", ()),
        ("TASK-2", ("TASK-1",)),
        ("TASK-3", ("TASK-2",)),
    ]
    table = read(
        "## Tasks\n| ID | Work | Depends on |\n|:--|---|--:|\n"
        "| T1 | a, after T9 | none |\n| WORK-2 | b | T1, REQ-3 |\n"
    )
    assert [(it.id, it.needs) for it in table.tasks] == [("TASK-1", ()), ("WORK-2", ("TASK-1",))]


def test_a_plan_says_how_large_it_is() -> None:
    assert PLAN.complexity is not None
    assert PLAN.complexity.complexity is PlanComplexity.MEDIUM
    assert texts(PLAN.modules) == ["checkout", "store", "export"]
    assert read("Modules: 5").module_count == 5
    assert read("It has 7 modules.").module_count == 7


@pytest.mark.parametrize(
    ("line", "thousandths"),
    [
        ("Self-score: 85", 85_000),
        ("**Quality Score**: 8.5/10", 85_000),
        ("overall score = 92.5%", 92_500),
        ("self_score: 0.85", 85_000),
        ("Readiness score: 1.0", 100_000),
        ("Self assessment: 4 / 5", 80_000),
        ("Self-score: 1", 1_000),
        ("Self-score: 85/0", None),
        ("Self-score: 120", None),
        ("Score: 85", None),
    ],
)
def test_scores_are_brought_to_one_scale(line: str, thousandths: int | None) -> None:
    found = [it.thousandths for it in read(line).scores]
    assert found == ([] if thousandths is None else [thousandths])


def test_questions_are_open_critical_or_neither() -> None:
    facts = read(
        "## Open Questions\n- [x] done\n- ~~gone~~\n- Colour? Resolved.\n- None\n- DB? (critical)\n"
        "- Non-critical: font?\n- Name?\n  - low\n- Who pays?\n"
        "| Q | W |\n|--|--|\n| Where? | P0 |\n"
        "### Later\nnothing\n"
    )
    assert [(it.text, it.is_critical) for it in facts.questions] == [
        ("DB? (critical)", True),
        ("Non-critical: font?", False),
        ("Name?", False),
        ("Who pays?", None),
        ("Where? | P0", True),
    ]


def test_a_glossary_names_words_that_are_not_to_be_used() -> None:
    assert [(it.term, it.synonyms, it.banned) for it in BRIEF.terms] == [
        ("Customer", (), ("client", "shopper")),
        ("Order", ("purchase",), ()),
        ("Service Level Agreement", (), ()),
    ]
    table = read(
        "# Terminology\n| Term | Meaning | Synonyms | Avoid |\n|---|---|---|---|\n"
        "| Workspace | a folder | work area | sandbox, dir |\n| | nothing | | |\n"
        f"| {'x' * 61} | too long | | |\n"
    )
    assert [(it.term, it.synonyms, it.banned) for it in table.terms] == [
        ("Workspace", ("work area",), ("sandbox", "dir")),
    ]
    prose = read(
        '## Glossary\n- Item - a thing, aka ticket or issue. Not "task".\n'
        "- Box = also known as: case\n  - never: a b c, lid\n- It also holds things\n"
    )
    assert [(it.term, it.synonyms, it.banned) for it in prose.terms] == [
        ("Item", ("ticket", "issue"), ("task",)),
        ("Box", ("case",), ("lid",)),
        ("It also holds things", (), ()),
    ]


def test_words_are_known_by_the_line_where_they_stand_first() -> None:
    uses = read(
        "The user-account and the user account.\nA UserAccount in `user_account` of my_thing, "
        "see https://user.example/x and [link](user).\n"
    ).uses
    assert {word: line for word, line in uses.items() if "user" in word.lower()} == {
        "user-account": 1,
        "user": 1,
        "user account": 1,
        "UserAccount": 2,
    }


def test_fences_and_comments_state_nothing() -> None:
    facts = read(
        "## Goals\n```\n- G1: no\n````\n- G2: yes\n~~~ md\n- G3: no\n```\n~~~\n<!-- - G4: no -->\n"
        "<!--\n- G5: no\n-->\n- G6: yes\n```\n- G7: never closed\n"
    )
    assert ids(facts.goals) == ["G-2", "G-6"]


def test_headings_are_known_in_lower_case_by_their_first_line() -> None:
    assert read("# One\n## Two *b*\n## Two b ##\n").headings == {"one": 1, "two b": 2}


def test_mentions_are_known_by_their_first_line() -> None:
    assert read("x\nsee ADR-1\nADR-1").mentions == {"ADR-1": 2}


def test_quotes_stand_in_the_lines_that_are_named() -> None:
    for path, text in TEXTS.items():
        facts = read_artifact(path, text)
        lines = text.split("\n")
        kinds = (facts.goals, facts.requirements, facts.tasks, facts.decisions, facts.components)
        stated = [(it.line, it.quote) for kind in kinds for it in kind]
        stated += [(it.line, it.quote) for it in facts.scores]
        for line, quote in (*stated, *((it.line, it.quote) for it in facts.terms)):
            assert quote in lines[line - 1]


JSON = """\
{"complexity": "Low", "modules": ["a", "b"],
 "tasks": [
  {"id": "TASK-001", "title": "Pay", "requirements": ["REQ-001"]},
  {"task_id": "TASK-002", "subject": "Store", "depends_on": ["TASK-001", 7, "x"]},
  {"title": "nameless"}, 3
 ]}
"""


def test_a_plan_may_be_json() -> None:
    facts = read_artifact("plan/PLAN.json", JSON, task="PLAN-001")
    assert [(it.id, it.text, it.line, it.refs, it.needs) for it in facts.tasks] == [
        ("TASK-1", "Pay", 3, ("REQ-1",), ()),
        ("TASK-2", "Store", 4, (), ("TASK-1", "x")),
    ]
    assert facts.module_count == 2
    assert facts.complexity is not None
    assert (facts.complexity.complexity, facts.complexity.line) == (PlanComplexity.LOW, 1)
    assert facts.mentions["TASK-1"] == 3


@pytest.mark.parametrize(
    ("text", "count"),
    [('{"modules": 4}', 4), ('{"modules": true}', None), ("[1]", None), ("no json", None)],
)
def test_json_that_is_no_plan_says_little(text: str, count: int | None) -> None:
    facts = read_artifact("a.json", text)
    assert (facts.module_count, facts.complexity, facts.tasks) == (count, None, ())


def test_an_id_that_is_hidden_in_json_stands_in_its_first_line() -> None:
    facts = read_artifact("a.json", '{"complexit\\u0079": "low",\n"tasks": [{"id": "\\u0041-1"}]}')
    assert [(it.id, it.line) for it in facts.tasks] == [("A-1", 1)]
    assert facts.complexity is not None
    assert facts.complexity.line == 1


@given(st.text(max_size=2000))
def test_any_text_is_read(text: str) -> None:
    facts = read(text)
    assert facts == read(text)
    read_artifact("a.json", text)


MARKDOWN = st.lists(
    st.sampled_from(
        [
            *("## Goals", "- G1: a", "  - b", "| a | b |", "|---|---|", "```", "", "<!--", "-->"),
            *("- x", "prose G2", "# REQ-1", "\t- deep", "| R1 | Must |", "---", "~~~", "- **T** :"),
            *("## Glossary", '- X (not: y; "z")', "## Open Questions", "- Q? critical", "|"),
        ]
    ),
    max_size=40,
).map("\n".join)


@given(MARKDOWN)
def test_any_markdown_is_read_and_quotes_itself(text: str) -> None:
    facts = read(text)
    lines = text.split("\n")
    stated = [(it.line, it.quote) for it in (*facts.goals, *facts.requirements, *facts.tasks)]
    stated += [(it.line, it.quote) for it in facts.terms]
    for line, quote in (*stated, *((it.line, it.quote) for it in facts.questions)):
        assert quote in lines[line - 1]


SIZE = 64 * 1024
HOSTILE = [
    *(it * (SIZE // len(it)) for it in ("#", "- ", "[", "*_`", "G1 ", "a", "a-", "<!--", "```\n")),
    "quality score " * (SIZE // 14),
    ("  " * 10 + "- G1: x\n") * 2_000,
    ("| " * 400 + "\n") * 80,
    "## Glossary\n" + ("- X: not: " + "a, " * 300 + "\n") * 70,
    "## Glossary\n" + ("- X: " + "aka " * 240 + "\n") * 70,
    "## Glossary\n" + ("- X: " + 'not "' * 190 + "\n") * 70,
    "## Goals\n" + "".join(f"- G{n}: word{n} word{n + 1}\n" for n in range(2_500)),
    "".join(f"{'#' * (n % 6 + 1)} h{n} G{n}\n" for n in range(3_000)),
]


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_text_costs_little_time(text: str) -> None:
    began = time.process_time()
    read(text)
    assert time.process_time() - began < 10


def test_what_is_too_large_is_cut_and_says_so() -> None:
    assert not outline("x\n").is_cut
    assert outline("\n" * (MOST_LINES + 1)).is_cut
    assert outline("x" * (MOST_CHARACTERS + 1)).is_cut
    assert read_artifact("a.json", " " * (MOST_CHARACTERS + 1)).is_cut
    many = read("## Goals\n" + "".join(f"- G{n}: x\n" for n in range(1_100)))
    assert len(many.goals) == 1_000


def test_components_may_have_headings_of_their_own() -> None:
    facts = read(
        "# System Components\n\n## Overview\n- not one\n\n## 2. Components\n- Mailer\n\n"
        "### 2.1 Checkout Service\n- Responsibility: payments\n#### Details\n- more\n"
        "### 2.2. Order Store\n\n## Risks\n- not one\n### Nor this\n"
    )
    assert texts(facts.components) == ["Mailer", "Checkout Service", "Order Store"]


def test_headings_that_group_requirements_are_none() -> None:
    facts = read("# Requirements\n## Intro\n- words\n## Functional\n### Login\n- Users log in\n")
    assert texts(facts.requirements) == ["Users log in"]


def test_paragraphs_that_begin_with_an_id_are_entries() -> None:
    facts = read(
        "## Vision\n\n**G1**: Pay\nwith cards\n**G2** \u2014 Store\n\n- x\nG3) Sell\n\n"
        "G4 is prose\n  G5: indented\n\nREQ-1: a\nPriority: must\n\nREQ-2: b\n\nPriority: must\n"
    )
    assert [(it.id, it.text) for it in facts.goals] == [
        ("G-1", "Pay"),
        ("G-2", "Store"),
        ("G-3", "Sell"),
    ]
    assert [(it.id, it.priority) for it in facts.requirements] == [
        ("REQ-1", Moscow.MUST),
        ("REQ-2", None),
    ]


def test_a_glossary_may_be_a_whole_document() -> None:
    facts = read("# Glossary\n## A\n- Account: a\n## C\n- Customer: c\n# Other\n- Box: b\n")
    assert [it.term for it in facts.terms] == ["Account", "Customer"]


LIKE_A_MODEL = """\
# Product Requirements Document

## 2. Functional Requirements

### REQ-001: User login

**Description**: The customer logs in.
**Priority**: Must
**Traces to**: G1

**Acceptance Criteria**:
- given a name
- given a password

### REQ-002: Export

- **Priority**: Could Have
- **Goal**: Goal 2
"""


def test_a_document_as_models_write_them_is_read() -> None:
    found = read(LIKE_A_MODEL).requirements
    assert [(it.id, it.text, it.priority, it.refs) for it in found] == [
        ("REQ-1", "User login", Moscow.MUST, ("G-1",)),
        ("REQ-2", "Export", Moscow.COULD, ("G-2",)),
    ]
