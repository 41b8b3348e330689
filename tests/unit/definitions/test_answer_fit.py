"""Every way in which a part of an answer can be wrong, and what is said of it."""

from typing import Annotated, Literal

import pytest
from msgspec import Meta, field

from supervisor_ai.definitions.worker_answers.fit import FittedAnswer, fit
from supervisor_ai.definitions.worker_answers.models import AnswerModel, Output, SummedOutput


class Part(AnswerModel, frozen=True, kw_only=True):
    name: Annotated[str, Meta(min_length=1, max_length=3)]
    place: str | None = field(default=None, name="at")


class Whole(SummedOutput, frozen=True, kw_only=True):
    status: Literal["good", "bad", "awful"]
    parts: Annotated[list[Part], Meta(min_length=1, max_length=2)] = field(default_factory=list)
    loose: list[Part | str] | None = None
    count: Annotated[int, Meta(ge=1, le=9)] | None = None
    share: Annotated[float, Meta(gt=0, le=1)] | None = None
    is_done: bool = False


class Open(Output, frozen=True, kw_only=True, forbid_unknown_fields=False):
    status: Literal["good"]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ([], ": must be a mapping, found a list"),
        ({"status": "fine"}, "status: must be 'good', 'bad' or 'awful', found 'fine'"),
        ({"status": ["good"]}, "status: must be 'good', 'bad' or 'awful', found a list"),
        ({}, "status: is missing"),
        ({"statuses": "good"}, "statuses: unknown key; did you mean 'status'?"),
        ({"status": "good", "summary": 3}, "summary: must be text, found 3"),
        ({"status": "good", "parts": {}}, "parts: must be a list, found a mapping"),
        ({"status": "good", "parts": []}, "parts: must have at least 1 entry, found 0"),
        (
            {"status": "good", "parts": ["x"] * 3},
            "parts: must have at most 2 entries, found 3",
        ),
        ({"status": "good", "parts": [{}]}, "parts/0/name: is missing"),
        (
            {"status": "good", "parts": [{"name": ""}]},
            "parts/0/name: must be at least 1 characters long, found ''",
        ),
        (
            {"status": "good", "parts": [{"name": "abcd"}]},
            "parts/0/name: must be at most 3 characters long, found 'abcd'",
        ),
        (
            {"status": "good", "parts": [{"name": "a", "at": 1}]},
            "parts/0/at: must be text, found 1",
        ),
        ({"status": "good", "loose": ["a", 7]}, "loose/1: must be a mapping, found 7"),
        ({"status": "good", "count": True}, "count: must be a whole number, found true"),
        ({"status": "good", "count": 1.0}, "count: must be a whole number, found 1.0"),
        ({"status": "good", "count": 0}, "count: must be at least 1, found 0"),
        ({"status": "good", "count": 10}, "count: must be at most 9, found 10"),
        ({"status": "good", "share": "1"}, "share: must be a number, found '1'"),
        ({"status": "good", "share": 0}, "share: must be more than 0, found 0"),
        ({"status": "good", "share": 2.5}, "share: must be at most 1, found 2.5"),
        ({"status": "good", "is_done": 1}, "is_done: must be true or false, found 1"),
        ({"status": "good", "share": 10**400}, "share: must be at most 1, found "),
    ],
)
def test_what_is_wrong_is_told(said: object, told: str) -> None:
    found = fit(said, Whole)
    assert not isinstance(found, FittedAnswer)
    [finding] = found
    assert f"{'/'.join(map(str, finding.path))}: {finding.problem}".startswith(told)


def test_all_of_it_is_told_and_what_is_missing_last() -> None:
    found = fit({"parts": [{"at": None}, 3], "color": 1}, Whole)
    assert not isinstance(found, FittedAnswer)
    assert [finding.path for finding in found] == [
        ("parts", 1),
        ("color",),
        ("status",),
        ("parts", 0, "name"),
    ]


def test_what_fits_is_the_answer() -> None:
    said = {"status": "bad", "summary": None, "parts": [{"name": "a", "at": "b"}], "share": 1}
    found = fit(said, Whole)
    assert isinstance(found, FittedAnswer)
    assert found.answer == Whole(status="bad", parts=[Part(name="a", place="b")], share=1.0)
    assert not found.ignored


def test_what_an_open_answer_says_besides_is_noted() -> None:
    found = fit({"status": "good", "more": [1]}, Open)
    assert isinstance(found, FittedAnswer)
    assert found.ignored == {"more": [1]}
    assert found != fit({"status": "good", "more": [2]}, Open)
    assert not isinstance(fit({"more": 1}, Open), FittedAnswer)
