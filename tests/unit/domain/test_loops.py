"""The loop detector: a step that comes to the same files again and again gets nowhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.ids import TreeSha
from supervisor_ai.domain.run.failures.degradation import Level
from supervisor_ai.domain.run.failures.loops import (
    Loop,
    LoopKind,
    LoopPolicy,
    Trace,
    Trail,
    find_loop,
)

A, B, C = (TreeSha(name * 40) for name in "abc")


def trail(trees: str, words: str | None = None) -> Trail:
    """Make a trail of trees by their letters, and of words by theirs; without words all differ."""
    found = Trail()
    for number, tree in enumerate(trees):
        said = str(number) if words is None else words[number]
        found = found.record(Trace(tree=TreeSha(tree * 40), words=said))
    return found


def test_nothing_was_done_yet() -> None:
    assert find_loop(Trail()) is None


def test_the_same_files_after_the_same_words_three_times() -> None:
    assert find_loop(trail("aa", "xx")) is None
    loop = find_loop(trail("aaa", "xxx"))
    assert loop == Loop(kind=LoopKind.REPETITION, trees=(A,), times=3)
    assert loop.reason == "Attempts led to the same files 3 times (tree 'aaaaaaaaaaaa')."


def test_they_need_not_follow_each_other() -> None:
    assert find_loop(trail("abaca", "xyxzx")) == Loop(kind=LoopKind.REPETITION, trees=(A,), times=3)


def test_other_words_are_another_try_but_not_for_ever() -> None:
    assert find_loop(trail("aaaa")) is None
    assert find_loop(trail("aaaaa")) == Loop(kind=LoopKind.REPETITION, trees=(A,), times=5)


def test_less_of_the_task_is_another_try() -> None:
    before = trail("aaaa", "xxxx")
    simpler = Trace(tree=A, words="x", level=Level.SIMPLIFIED)
    assert find_loop(before) is not None
    assert find_loop(before.record(simpler)) is None
    assert find_loop(before.record(simpler).record(simpler).record(simpler)) is not None


def test_other_files_are_another_try() -> None:
    assert find_loop(trail("abc", "xxx")) is None


@pytest.mark.parametrize(
    ("trees", "cycle"), [("abab", (A, B)), ("cabab", (A, B)), ("abcabc", (A, B, C))]
)
def test_going_to_and_fro(trees: str, cycle: tuple[TreeSha, ...]) -> None:
    assert find_loop(trail(trees)) == Loop(kind=LoopKind.OSCILLATION, trees=cycle, times=2)


@pytest.mark.parametrize("trees", ["aba", "abba", "abac", "aabb"])
def test_coming_back_once_is_no_loop(trees: str) -> None:
    assert find_loop(trail(trees)) is None


def test_an_oscillation_says_so() -> None:
    loop = Loop(kind=LoopKind.OSCILLATION, trees=(A, B), times=2)
    assert loop.reason == (
        "Attempts go round between the same files (trees 'aaaaaaaaaaaa', 'bbbbbbbbbbbb'), 2 times."
    )


def test_the_limits_can_be_chosen() -> None:
    assert find_loop(trail("aa", "xx"), LoopPolicy(repeats=2)) is not None
    assert find_loop(trail("aa"), LoopPolicy(patience=2)) is not None
    assert find_loop(trail("abab"), LoopPolicy(rounds=3)) is None


def test_a_trail_forgets_what_is_long_ago() -> None:
    long = trail("".join(chr(0x4E00 + number) for number in range(100)))
    assert len(long.traces) == 64
    assert long.traces[-1].words == "99"


@given(st.lists(st.integers(), unique=True, max_size=40))
def test_ever_new_files_are_never_a_loop(numbers: list[int]) -> None:
    found = Trail()
    for number in numbers:
        found = found.record(Trace(tree=TreeSha(str(number)), words="same"))
        assert find_loop(found) is None


@given(st.text(alphabet="abc", min_size=1, max_size=12), st.text(alphabet="xy", min_size=12))
def test_a_loop_is_one_wherever_the_trail_began(trees: str, words: str) -> None:
    """A fold over the same facts finds the same loop, also after a restart."""
    whole = trail(trees, words)
    resumed = Trail(traces=whole.traces)
    assert find_loop(whole) == find_loop(resumed)
    before = trail("z" + trees, "z" + words)
    assert find_loop(before) == find_loop(whole)


@given(st.sampled_from("abc"), st.integers(3, 20))
def test_the_same_again_and_again_is_always_a_loop(tree: str, times: int) -> None:
    loop = find_loop(trail(tree * times, "x" * times))
    assert loop is not None
    assert loop.times == times
