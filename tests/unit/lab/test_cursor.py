"""Which turn a request gets: in sequence, by history, by the clock."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from supervisor_ai.lab import cursor as cursors
from supervisor_ai.lab.cursor import Cue, Cursor
from supervisor_ai.lab.dialect import LabQuestion
from supervisor_ai.lab.script import read_script
from supervisor_ai.tools.json_value import Json


@dataclass
class Time:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


def ask(
    cursor: Cursor,
    answered: int = 0,
    *,
    opening: str = "a",
    tools: bool = True,
    schema: Mapping[str, Json] | None = None,
) -> Cue:
    question = LabQuestion(
        model="m",
        is_streamed=True,
        has_tools=tools,
        answered=answered,
        opening=opening,
        schema=schema,
    )
    return cursor.next(question, "chat", f"says {opening}")


def text(cue: Cue) -> str | int | None:
    return cue.turn.status or cue.turn.text


def by_history(*turns: Mapping[str, object]) -> Cursor:
    return Cursor(read_script({"cursor": "history", "scenarios": [{"turns": [*turns]}]}))


def test_a_sequence_goes_on_with_every_request_and_repeats_its_last_turn() -> None:
    cursor = Cursor(read_script([{"status": 500, "times": 2}, {"text": "a"}, {"text": "b"}]))
    assert [text(ask(cursor)) for _ in range(6)] == [500, 500, "a", "b", "b", "b"]
    assert text(ask(cursor.rewound())) == 500


def test_a_turn_for_ever_never_ends() -> None:
    cursor = Cursor(read_script([{"status": 429, "times": -1}, {"text": "a"}]))
    assert {text(ask(cursor)) for _ in range(20)} == {429}


def test_history_counts_the_answers_of_the_request() -> None:
    cursor = by_history({"text": "a"}, {"text": "b"})
    assert [text(ask(cursor, n)) for n in (0, 0, 1, 0, 1, 7)] == ["a", "a", "b", "a", "b", "b"]


def test_trouble_before_an_answer_is_counted_for_each_conversation() -> None:
    cursor = by_history({"status": 500, "times": 2}, {"text": "a"}, {"status": 503}, {"text": "b"})
    assert [text(ask(cursor)) for _ in range(3)] == [500, 500, "a"]
    assert [text(ask(cursor, opening="b")) for _ in range(3)] == [500, 500, "a"]
    assert [text(ask(cursor, 1)) for _ in range(3)] == [503, "b", "b"]


def test_trouble_at_the_end_stays() -> None:
    cursor = by_history({"text": "a"}, {"status": 500}, {"status": 503})
    assert [text(ask(cursor, 1)) for _ in range(3)] == [500, 503, 503]


def test_a_limit_ends_by_the_clock_for_everybody() -> None:
    time = Time(now=100)
    script = read_script([{"status": 429, "reset": 30}, {"text": "a"}])
    cursor = Cursor(script.model_copy(update={"cursor": "history"}), time)
    assert ask(cursor).remaining == 30
    time.now = 120
    assert ask(cursor, opening="b").remaining == 10
    time.now = 130
    assert text(ask(cursor)) == text(ask(cursor, opening="b")) == "a"


def test_a_limit_begins_with_the_first_request_that_meets_it() -> None:
    time = Time()
    cursor = Cursor(read_script([{"text": "a"}, {"status": 429, "reset": 30}]), time)
    ask(cursor)
    time.now = 500
    assert ask(cursor).remaining == 30
    time.now = 600
    assert ask(cursor).remaining == 30


def test_a_scenario_is_chosen_by_words_and_by_dialect() -> None:
    scenarios = [
        {"dialect": "gemini", "turns": [{"text": "gemini"}]},
        {"match": "says (b|c)$", "turns": [{"text": "b"}]},
        {"match": "says a", "turns": [{"text": "a"}]},
    ]
    cursor = Cursor(read_script({"scenarios": scenarios}))
    assert [text(ask(cursor, opening=words)) for words in "abc"] == ["a", "b", "b"]
    nobody = ask(cursor, opening="d")
    assert (nobody.turn.status, nobody.place) == (500, "none")


def test_a_side_call_does_not_move_the_play() -> None:
    cursor = Cursor(read_script([{"text": "a"}, {"text": "b"}]))
    assert text(ask(cursor, tools=False)) == "ok"
    assert text(ask(cursor)) == "a"


def test_a_side_call_gets_what_its_schema_asks_for() -> None:
    properties: Json = {
        "route": {"enum": ["flash", "pro"]},
        "why": {"type": "string"},
        "sure": {"type": ["boolean", "null"]},
        "depth": {"type": "INTEGER"},
        "files": {"type": "array"},
        "more": {"type": "object"},
        "odd": True,
    }
    cue = ask(Cursor(read_script([{"text": "a"}])), tools=False, schema={"properties": properties})
    assert json.loads(str(cue.turn.text)) == {
        "route": "flash",
        "why": "ok",
        "sure": False,
        "depth": 1,
        "files": [],
        "more": {},
        "odd": "ok",
    }


def test_a_script_can_answer_side_calls_itself_or_have_none() -> None:
    scenarios = [{"turns": [{"text": "a"}]}]
    named = Cursor(read_script({"scenarios": scenarios, "side": {"text": "title"}}))
    assert text(ask(named, tools=False)) == "title"
    none = Cursor(read_script({"scenarios": scenarios, "side_calls": False}))
    assert text(ask(none, tools=False)) == "a"


def test_old_conversations_are_forgotten() -> None:
    cursor = by_history({"status": 500}, {"text": "a"})
    for number in range(cursors._MAX_COUNTED + 5):
        ask(cursor, opening=str(number))
    assert len(cursor._uses) == cursors._MAX_COUNTED
