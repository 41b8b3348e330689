"""A person at a terminal is asked which dependencies of the code belong into the plan."""

from pathlib import Path

import pytest
from tests.e2e.command import User
from tests.e2e.feature_shop import feature, shop
from tests.e2e.terminal import Terminal

__all__ = ["shop"]

UNKNOWN = "→ Is unheard_of a component or external package? [component/external/skip]"
ACCEPT = "Accept detected dependencies? [Y/n/edit]"
WHICH = "Which component?"
PRICES = "prices → items? [Y/n]:"
PAGE = "page → prices? [Y/n]:"


@pytest.fixture
def coded(shop: User) -> User:
    """Keep a plan, and code that needs more than it says."""
    shop.commit(
        {
            "src/items.py": "import unheard_of\n",
            "src/prices.py": "from src.items import Item\n",
            "src/page.py": "from src.prices import Price\n",
        }
    )
    assert feature(shop, "load", "plan.yaml").code == 0
    return shop


def answer(user: User, *answers: tuple[str, str]) -> str:
    """Answer one question after the other; return what was shown until the end."""
    terminal, begin = Terminal(user, "analyze-deps", "P1"), 0
    for question, typed in answers:
        terminal.wait_for(question, after=begin)
        begin = len(terminal.seen)
        terminal.type(f"{typed}\n")
    code = terminal.wait()
    assert code == 0, terminal.seen
    return terminal.seen


def kept(user: User) -> str:
    return (user.repository / ".supervisor/features/P1.yaml").read_text()


def test_what_was_detected_is_taken_with_the_enter_key(coded: User) -> None:
    shown = answer(coded, (UNKNOWN, "external"), (ACCEPT, ""))
    assert "Added 2 to " in shown
    assert "{id: prices, files: [src/prices.py], depends_on: [items]}" in kept(coded)
    assert "depends_on: [core.items, core.prices]" in kept(coded)
    assert 'id: P1\n  external: ["unheard_of"]\n' in kept(coded)
    assert "Nothing was added to the plan." in answer(coded)


@pytest.mark.long
def test_a_no_changes_nothing(coded: User) -> None:
    before = kept(coded)
    shown = answer(coded, (UNKNOWN, "skip"), (ACCEPT, "n"))
    assert "Nothing was added to the plan." in shown
    assert kept(coded) == before


def test_an_import_can_be_of_a_component_and_each_edge_is_chosen(coded: User) -> None:
    shown = answer(
        coded,
        (UNKNOWN, "thing"),
        ("Error: 'thing' is not one of 'component', 'external', 'skip'", "component"),
        (WHICH, "nobody"),
        ("The feature P1 has no other component 'nobody'.", "items"),
        ("The feature P1 has no other component 'items'.", "interfaces"),
        ("The feature P1 has no other component 'interfaces'.", "prices"),
        (ACCEPT, "edit"),
        (PAGE, "n"),
        (PRICES, "n"),
        ("items → prices? [Y/n]:", ""),
    )
    assert "Added 1 to " in shown
    assert "{id: items, files: [src/items.py, src/list.py], depends_on: [prices]}" in kept(coded)
    assert "depends_on: [core.items]}" in kept(coded)


@pytest.mark.long
def test_edges_that_go_round_are_refused_and_nothing_is_kept(coded: User) -> None:
    before = kept(coded)
    terminal = Terminal(coded, "analyze-deps", "P1")
    for question, typed in ((UNKNOWN, "component"), (WHICH, "prices"), (ACCEPT, "y")):
        terminal.wait_for(question)
        terminal.type(f"{typed}\n")
    assert terminal.wait() == 2, terminal.seen
    assert "core.items → core.prices → core.items" in terminal.seen
    assert kept(coded) == before


def test_a_terminal_that_is_closed_at_a_question_is_no_bug_of_ours(
    coded: User, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    coded.environment["SUPERVISOR_STATE"] = str(state)
    before = kept(coded)
    terminal = Terminal(coded, "analyze-deps", "P1")
    terminal.wait_for(UNKNOWN)
    assert terminal.hang_up() == 130
    assert kept(coded) == before
    assert state.is_dir()
    assert not (state / "bugs").exists()
