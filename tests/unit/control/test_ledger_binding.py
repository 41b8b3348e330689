"""A ledger belongs to one repository and one user."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from msgspec import Struct

from supervisor_ai.control.ledger_binding import LedgerBinding
from supervisor_ai.control.ports.ledger_binding import FoundLedger
from supervisor_ai.control.settings import Policy
from supervisor_ai.domain.errors import Denied


@dataclass
class Files:
    """A ledger's file, or none."""

    number: int | None = None
    beside: tuple[str, ...] = ()
    adopted: bool = False

    def find(self) -> FoundLedger | None:
        if self.number is None:
            return None
        path, at = Path("/p/.supervisor/state.db"), datetime(2030, 1, 1, tzinfo=UTC)
        return FoundLedger(path=path, number=self.number, size=4096, changed_at=at)

    def leftovers(self) -> tuple[str, ...]:
        return self.beside

    def make(self, number: int) -> None:
        self.number = number

    def adopt(self, number: int) -> None:
        self.number, self.adopted = number, True


class Home(Struct):
    """A repository in which another process may be a little faster."""

    files: Files
    tracked: tuple[str, ...] = ()
    place: str = "/p/.git"
    meanwhile: int | None = None
    is_alone: bool = False

    def mark(self) -> str | None:
        return "mark"

    def make_mark(self) -> str:
        return "mark"

    @contextmanager
    def alone(self) -> Iterator[None]:
        self.is_alone = True
        if self.meanwhile is not None:
            self.files.number = self.meanwhile
        yield

    def tracked_state(self) -> tuple[str, ...]:
        return self.tracked


@dataclass
class Words:
    """What the user said."""

    number: int | None = None
    places: tuple[str, ...] = ()
    said: list[int | None] = field(default_factory=list)

    def bound(self) -> int | None:
        return self.number

    def elsewhere(self) -> tuple[str, ...]:
        return self.places

    def bind(self, number: int | None) -> None:
        self.number = number
        self.said.append(number)


def binding(
    files: Files, words: Words, *, home: Home | None = None, trusts: bool = False
) -> LedgerBinding:
    return LedgerBinding(
        ledger=files,
        home=home or Home(files),
        bindings=words,
        policy=Policy(trusts_everything=trusts),
    )


def test_one_that_is_made_here_is_bound_before_it_is_there() -> None:
    files, words = Files(), Words()
    made = binding(files, words)
    assert not made.check()
    made.establish()
    assert files.number == words.number
    assert files.number
    assert made.check()
    assert made.review() is None
    made.establish()
    assert words.said == [files.number]


def test_each_one_has_a_number_of_its_own() -> None:
    made = [Files() for _ in range(20)]
    for files in made:
        binding(files, Words()).establish()
    assert len({files.number for files in made}) == 20


def test_who_is_a_little_late_takes_what_the_other_one_made() -> None:
    files, words = Files(), Words(number=7)
    binding(files, words, home=Home(files, meanwhile=7)).establish()
    assert (files.number, words.said) == (7, [])


@pytest.mark.parametrize(
    ("number", "words", "reason"),
    [
        (5, Words(), "was not made here by you: it may have come with the repository's files"),
        (0, Words(), "was made by an earlier version, or it came with the repository's files"),
        (0, Words(number=0), "another file took its place"),
        (5, Words(number=6), "another file took its place"),
        (5, Words(places=("/old/.git",)), "was moved or copied: you know the repository from"),
    ],
)
def test_one_that_is_not_the_users_is_refused(number: int, words: Words, reason: str) -> None:
    found = binding(Files(number=number), words)
    for opening in (found.check, found.establish):
        with pytest.raises(Denied, match=reason) as caught:
            opening()
        assert caught.value.hint == "Look at it and agree, if you do: supervisor trust"
    review = found.review()
    assert review is not None
    assert reason in review.reason
    assert words.said == []


def test_who_trusts_everything_for_one_call_binds_nothing() -> None:
    words = Words()
    assert binding(Files(number=5), words, trusts=True).check()
    assert words.said == []


@pytest.mark.parametrize(("number", "after"), [(5, 5), (0, None)])
def test_the_users_yes_binds_it(number: int, after: int | None) -> None:
    """A number that is there stays: another user's word names it."""
    files, words = Files(number=number), Words()
    found = binding(files, words)
    found.bind()
    assert files.adopted
    assert files.number == words.number
    assert after in (None, files.number)
    assert found.check()


def test_there_may_be_nothing_to_bind() -> None:
    words = Words()
    binding(Files(), words).bind()
    assert words.said == []


@pytest.mark.parametrize("trusts", [False, True])
def test_a_tracked_one_is_refused_and_no_longer_the_users(trusts: bool) -> None:  # noqa: FBT001
    files, words = Files(number=5), Words(number=5)
    home = Home(files, tracked=(".supervisor/it's",))
    found = binding(files, words, home=home, trusts=trusts)
    with pytest.raises(Denied, match="tracks") as caught:
        found.check()
    assert """--cached '.supervisor/it'"'"'s', and""" in (caught.value.hint or "")
    assert words.said == [None]
    with pytest.raises(Denied):
        found.review()
    assert words.said == [None]


def test_none_is_made_where_one_is_tracked() -> None:
    files, words = Files(), Words()
    with pytest.raises(Denied, match="tracks"):
        binding(files, words, home=Home(files, tracked=(".supervisor/state.db-wal",))).establish()
    assert files.number is None


def test_what_lies_there_before_is_nobodys_but_the_users_who_had_one() -> None:
    files = Files(beside=("artifacts", "state.db-wal"))
    with pytest.raises(Denied, match=r"belongs to one: artifacts, state\.db-wal in"):
        binding(files, Words()).establish()
    binding(files, Words(number=3)).establish()
    assert files.number
