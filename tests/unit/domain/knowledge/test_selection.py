"""Which documents a worker is told of: the seed's rules as a table, then the budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.knowledge.documents import KnowledgeArea, KnowledgeStatus
from supervisor_ai.domain.knowledge.selection import (
    Candidate,
    KnowledgePlan,
    StoreName,
    choose,
)
from supervisor_ai.domain.structs import replace

CONVENTION = Candidate(
    path="conventions/errors.md",
    store=StoreName.PROJECT,
    status=KnowledgeStatus.ESTABLISHED,
    area=KnowledgeArea.CONVENTIONS,
    tokens=100,
)
GUESS = replace(CONVENTION, path="conventions/guess.md", status=KnowledgeStatus.PROVISIONAL)
OLD = replace(CONVENTION, path="conventions/old.md", status=KnowledgeStatus.DEPRECATED)
DESIGN = replace(CONVENTION, path="design/storage.md", area=KnowledgeArea.DESIGN, relevance=2.0)
LESSON = replace(CONVENTION, path="lessons/none.md", area=KnowledgeArea.LESSONS)
DOMAIN = replace(CONVENTION, path="domain/orders.md", area=KnowledgeArea.DOMAIN)
DIRECTIVE = replace(CONVENTION, path="directives/now.md", area=KnowledgeArea.DIRECTIVES)


@pytest.mark.parametrize(
    ("candidate", "is_shown", "reason"),
    [
        (CONVENTION, True, "a convention in force"),
        (GUESS, True, "a convention in force"),
        (OLD, False, "it is deprecated"),
        (DESIGN, True, "design that fits the work"),
        (replace(DESIGN, relevance=0.0), False, "nothing in it fits the work"),
        (replace(LESSON, is_recent=True), True, "a lesson of this milestone"),
        (LESSON, False, "nothing in it fits the work"),
        (replace(LESSON, relevance=0.5), True, "fits the work"),
        (DOMAIN, False, "nothing in it fits the work"),
        (replace(DOMAIN, relevance=0.5), True, "fits the work"),
        (replace(DOMAIN, is_recent=True), False, "nothing in it fits the work"),
        (DIRECTIVE, False, "the role does not ask for this directory"),
    ],
)
def test_the_rules_of_the_seed(candidate: Candidate, *, is_shown: bool, reason: str) -> None:
    (choice,) = choose([candidate], KnowledgePlan())
    assert (choice.is_shown, choice.reason) == (is_shown, reason)


def test_a_role_may_ask_for_less() -> None:
    plan = KnowledgePlan(areas=(KnowledgeArea.DESIGN,))
    shown = [it.candidate.path for it in choose([CONVENTION, DESIGN], plan) if it.is_shown]
    assert shown == ["design/storage.md"]


def test_the_project_has_the_last_word_on_a_name() -> None:
    own = replace(CONVENTION, store=StoreName.USER)
    mine = replace(own, path="conventions/mine.md")
    choices = {(it.candidate.store, it.candidate.path): it for it in choose(
        [CONVENTION, own, mine], KnowledgePlan()
    )}  # fmt: skip
    assert choices[StoreName.PROJECT, CONVENTION.path].is_shown
    assert choices[StoreName.USER, CONVENTION.path].reason.startswith("the project has")
    assert choices[StoreName.USER, mine.path].is_shown


def test_firm_and_fitting_ones_come_first() -> None:
    fitting = replace(GUESS, path="conventions/z.md", relevance=1.0)
    order = [it.candidate.path for it in choose([GUESS, CONVENTION, fitting], KnowledgePlan())]
    assert order == [fitting.path, CONVENTION.path, GUESS.path]


def test_many_conventions_leave_room_for_what_fits_the_work() -> None:
    many = [replace(CONVENTION, path=f"conventions/{number}.md") for number in range(30)]
    choices = choose([*many, DESIGN], KnowledgePlan(budget=1000))
    shown = [it.candidate.path for it in choices if it.is_shown]
    assert DESIGN.path in shown
    assert len(shown) == 10
    left_out = [it for it in choices if not it.is_shown]
    assert {it.reason for it in left_out} == {"a convention in force, but the budget is used up"}


CANDIDATES = st.lists(
    st.builds(
        Candidate,
        path=st.sampled_from(["conventions/a.md", "design/b.md", "lessons/c.md", "domain/d.md"]),
        store=st.sampled_from(StoreName),
        status=st.sampled_from(KnowledgeStatus),
        area=st.sampled_from(KnowledgeArea),
        tokens=st.integers(0, 900),
        relevance=st.floats(0, 9),
        is_recent=st.booleans(),
    ),
    max_size=20,
)


@given(CANDIDATES, st.integers(0, 2000))
def test_every_candidate_is_decided_on_and_the_budget_is_kept(
    candidates: list[Candidate], budget: int
) -> None:
    choices = choose(candidates, KnowledgePlan(budget=budget))
    assert sorted(map(repr, (it.candidate for it in choices))) == sorted(map(repr, candidates))
    assert sum(it.candidate.tokens for it in choices if it.is_shown) <= budget
    assert all(it.reason for it in choices)
    assert not any(
        it.is_shown and it.candidate.status is KnowledgeStatus.DEPRECATED for it in choices
    )
