"""Comments on lines of a change, on either side of it."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import pytest
from tests.unit.control.asked_run import ASKED
from tests.unit.control.gate_facts import RUN
from tests.unit.control.run_rows import FakeQueries, run_row

from supervisor_ai.control.commands.decisions.line_comments import (
    comment_on,
    read_comment,
    read_place,
)
from supervisor_ai.control.queries.approvals import read_comments
from supervisor_ai.control.records import Records
from supervisor_ai.domain.envelope import Actor, ActorKind
from supervisor_ai.domain.errors import Conflict, InvalidInput, NotFound
from supervisor_ai.domain.ids import ArtifactHash, CommitSha
from supervisor_ai.domain.run.inbox_commands import Comment
from supervisor_ai.domain.run.line_places import LinePlace, LineSide
from supervisor_ai.domain.structs import replace
from supervisor_ai.testing.world import fake_world

if TYPE_CHECKING:
    from supervisor_ai.control.project import OpenProject

BASE: Final = CommitSha("b" * 40)
FILES: Final[Mapping[tuple[CommitSha, str], str]] = {
    (ASKED.commit, "shop.py"): "one\n\tkept\n",
    (BASE, "shop.py"): "one\r\ngone\r\n\n",
    (BASE, "old.py"): "x = secret",
    (ASKED.commit, "empty.py"): "",
}


class Desk:
    """As much of a project as a comment needs."""

    def __init__(self, *, has_base: bool = True) -> None:
        self.world = fake_world()
        row = run_row(RUN, self.world.artifacts.put("Do it"))
        self.queries = FakeQueries(
            rows=[row if has_base else replace(row, base=None)], asked=[ASKED]
        )
        self.records = Records(
            ledger=Path("state.db"),
            queries=self.queries,
            log=self.world.log,
            artifacts=self.world.artifacts,
            documents=self.world.documents,
        )
        self.actor = Actor(kind=ActorKind.USER, id="ada", via="cli")
        self.repository = self

    def read(self, commit: CommitSha, path: str) -> str | None:
        return FILES.get((commit, path))

    def keep(self, text: str) -> ArtifactHash:
        return self.world.artifacts.put(text.replace("secret", "[hidden]"))

    def say(self, place: str, words: str = "Why?", *, dry_run: bool = False) -> str:
        project = cast("OpenProject", self)
        return comment_on(project, RUN, read_place(place), words, dry_run=dry_run).detail

    def sent(self) -> Comment:
        """Return the newest comment in the inbox."""
        command = self.world.inbox.pending(RUN)[-1].command
        assert isinstance(command, Comment)
        return command

    def quoted(self) -> str | None:
        quote = self.sent().quote
        return None if quote is None else self.world.artifacts.get(quote)


@pytest.mark.parametrize(
    ("text", "file", "line", "side"),
    [
        ("a.py:3", "a.py", 3, LineSide.NEW),
        ("a.py:-3", "a.py", 3, LineSide.OLD),
        ("./a:b.py:12", "a:b.py", 12, LineSide.NEW),
        ("a-1.py:-12", "a-1.py", 12, LineSide.OLD),
        ("two\nlines:1", "two\nlines", 1, LineSide.NEW),
    ],
)
def test_a_line_is_named_by_its_file_its_side_and_its_number(
    text: str, file: str, line: int, side: LineSide
) -> None:
    place = read_place(text)
    assert place == LinePlace(file=file, line=line, side=side)
    assert read_place(str(place)) == place


@pytest.mark.parametrize(
    "text",
    ["a.py", "a.py:", ":3", "a.py:0", "a.py:-0", "a.py:--3", "a.py:+3", "a.py:³", "a.py:1e3"],
)
def test_anything_else_is_no_line(text: str) -> None:
    with pytest.raises(InvalidInput, match="is no line of a file") as error:
        read_place(text)
    assert "src/shop.py:-12" in str(error.value.hint)


def test_words_stand_behind_the_line() -> None:
    assert read_comment(" my file.py:-3  Why: 4 of them? ") == (
        LinePlace(file="my file.py", line=3, side=LineSide.OLD),
        "Why: 4 of them?",
    )
    for nothing in ("a.py:3", "a.py Why?", ""):
        with pytest.raises(InvalidInput, match="is no comment on a line"):
            read_comment(nothing)


def test_a_comment_goes_with_what_its_line_says() -> None:
    desk = Desk()
    assert desk.say("shop.py:2") == "Commented on shop.py:2."
    assert (desk.sent().side, desk.quoted()) == (LineSide.NEW, "\tkept")
    assert desk.say("shop.py:-2") == "Commented on shop.py:-2."
    assert (desk.sent().side, desk.quoted()) == (LineSide.OLD, "gone")
    assert desk.say("old.py:-1") == "Commented on old.py:-1."
    assert desk.quoted() == "x = [hidden]"
    assert desk.say("shop.py:-3") == "Commented on shop.py:-3."
    assert desk.quoted() is None, "an empty line says nothing"


def test_the_same_words_about_either_side_are_two_comments() -> None:
    desk = Desk()
    desk.say("shop.py:2")
    assert desk.say("shop.py:2") == "The same was said about shop.py:2 before."
    assert desk.say("shop.py:-2") == "Commented on shop.py:-2."


def test_who_looks_sees_the_side_and_the_line_before_the_owner_took_it_in() -> None:
    desk = Desk()
    desk.say("shop.py:-2")
    desk.queries.sent = list(desk.world.inbox.pending(RUN))
    [seen] = read_comments(desk.records, RUN)
    assert (str(seen.at), seen.quote, seen.text) == ("shop.py:-2", "gone", "Why?")


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("shop.py:3", "'shop.py' has 2 lines, so there is no line 3"),
        ("shop.py:-4", "'shop.py' had 3 lines, so there is no line 4"),
        ("empty.py:1", "'empty.py' has 0 lines"),
        ("old.py:1", "The change has no file 'old.py'"),
        ("empty.py:-1", "There was no file 'empty.py' before the change"),
    ],
)
def test_a_line_that_is_not_there_cannot_be_commented_on(place: str, why: str) -> None:
    desk = Desk()
    with pytest.raises(NotFound, match=why):
        desk.say(place)
    assert not desk.world.inbox.pending(RUN)


def test_a_run_without_a_base_has_no_old_lines() -> None:
    desk = Desk(has_base=False)
    with pytest.raises(Conflict, match="no commit that it started from"):
        desk.say("shop.py:-1")
    desk.say("shop.py:1")


def test_trying_it_leaves_nothing_behind() -> None:
    desk = Desk()
    assert "Would comment on shop.py:-2" in desk.say("shop.py:-2", dry_run=True)
    for words in ("  ", "x" * 4_001):
        with pytest.raises(InvalidInput, match="A comment has 1 to 4000"):
            desk.say("shop.py:1", words)
    assert not desk.world.inbox.pending(RUN)
