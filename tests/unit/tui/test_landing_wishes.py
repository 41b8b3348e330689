"""Options of `merge` and `complete-task`, as they are written on the screen."""

import pytest

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.git_flow.policy import MergeStrategy
from supervisor_ai.tui.landing_wishes import LandingVerb, LandingWish, option_words, read_wish


@pytest.mark.parametrize(
    ("words", "wish"),
    [
        ("", LandingWish()),
        ("--squash", LandingWish(strategy=MergeStrategy.SQUASH)),
        ("--ff --merge", LandingWish(strategy=MergeStrategy.MERGE)),
        ("--into release", LandingWish(into="release")),
        ("--into='my branch' --ff", LandingWish(into="my branch", strategy=MergeStrategy.FORWARD)),
        ("--no-merge-back", LandingWish(merges_back=False)),
    ],
)
def test_options_mean_what_they_mean_on_the_command_line(words: str, wish: LandingWish) -> None:
    assert read_wish(words, LandingVerb.COMPLETE) == wish


@pytest.mark.parametrize("words", ["squash", "--rebase", "--into", "--into=", "'", "-y", "main"])
def test_anything_else_is_refused(words: str) -> None:
    with pytest.raises(InvalidInput, match="is no option of merge") as error:
        read_wish(words, LandingVerb.MERGE)
    assert error.value.hint == f"There are: {option_words(LandingVerb.MERGE)}"


def test_a_merge_always_merges() -> None:
    with pytest.raises(InvalidInput, match="--no-merge-back"):
        read_wish("--no-merge-back", LandingVerb.MERGE)
    assert "--no-merge-back" in option_words(LandingVerb.COMPLETE)
    assert "--no-merge-back" not in option_words(LandingVerb.MERGE)
