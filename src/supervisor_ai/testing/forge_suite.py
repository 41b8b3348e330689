"""What every forge has to keep, as tests that a subclass for pytest runs."""
# ruff: noqa: D102, S101 - a test's name is its sentence; it asserts

import asyncio
from abc import abstractmethod

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import (
    CheckState,
    Forge,
    NotOpened,
    NotSeen,
    Opened,
    PullRequest,
    PullRequestState,
    PullRequestView,
)


class ForgeSuite:
    """Conformance of a forge; a heir sets the stage for each test and says what is pushed."""

    request: PullRequest
    """What is to be shown: its commit exists."""

    @abstractmethod
    def stage(self, scene: str) -> Forge:
        """Return a forge in one of these states.

        `empty`: nothing is open for the branch. `open`: a pull request shows the commit. `barred`:
        the user may not open any. `red`: checks failed, and somebody who counts and somebody who
        does not have said something. `merged`, `closed`: it is over. `busy`: too many questions.
        """

    @abstractmethod
    def url(self) -> str:
        """Return the address of the pull request that scenes after `empty` are about."""

    def _opened(self, scene: str) -> Opened | NotOpened:
        return asyncio.run(self.stage(scene).open(self.request))

    def _seen(self, scene: str) -> PullRequestView | NotSeen:
        return asyncio.run(self.stage(scene).look(self.url()))

    def test_a_pull_request_is_opened(self) -> None:
        opened = self._opened("empty")
        assert isinstance(opened, Opened)
        assert not opened.is_found
        assert opened.url.startswith("https://")

    def test_one_that_is_open_is_found(self) -> None:
        assert self._opened("open") == Opened(url=self.url(), is_found=True)

    def test_what_cannot_be_opened_is_told_in_a_sentence(self) -> None:
        refused = self._opened("barred")
        assert isinstance(refused, NotOpened)
        assert refused.reason.endswith(".")

    def test_failed_checks_and_comments_are_seen(self) -> None:
        seen = self._seen("red")
        assert isinstance(seen, PullRequestView)
        assert (seen.state, seen.head) == (PullRequestState.OPEN, self.request.commit)
        failed = [check for check in seen.checks if check.state is CheckState.FAILED]
        assert any("AssertionError" in check.log for check in failed)
        assert {remark.counts for remark in seen.remarks} == {True, False}
        assert any(remark.file and remark.line for remark in seen.remarks)
        keys = [remark.key for remark in seen.remarks]
        assert len(set(keys)) == len(keys)

    def test_looking_twice_names_comments_alike(self) -> None:
        first, second = self._seen("red"), self._seen("red")
        assert isinstance(first, PullRequestView)
        assert isinstance(second, PullRequestView)
        assert replace(first, checks=()) == replace(second, checks=())

    def test_an_end_is_seen(self) -> None:
        ends = [self._seen("merged"), self._seen("closed")]
        assert [it.state for it in ends if isinstance(it, PullRequestView)] == [
            PullRequestState.MERGED,
            PullRequestState.CLOSED,
        ]

    def test_too_many_questions_go_away_by_themselves(self) -> None:
        unseen = self._seen("busy")
        assert isinstance(unseen, NotSeen)
        assert unseen.is_passing
