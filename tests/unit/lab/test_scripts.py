"""Scripts: what can be said in them, and every mistake at once with its key."""

import pytest
import yaml

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.lab.script import BadScript, read_script
from supervisor_ai.lab.service import example as text_of
from supervisor_ai.lab.service import names, purpose


def flaws(value: object) -> list[str]:
    with pytest.raises(BadScript) as caught:
        read_script(value)
    return [flaw.text for flaw in caught.value.flaws]


def test_a_plain_list_is_one_scenario() -> None:
    script = read_script([{"text": "hi"}])
    assert [turn.text for turn in script.scenarios[0].turns] == ["hi"]
    assert script.cursor == "sequence"


def test_one_tool_stands_before_many() -> None:
    turn = {"tool": {"name": "a", "input": {}}, "tools": [{"name": "b"}, {"name": "c"}]}
    (scenario,) = read_script([turn]).scenarios
    assert [call.name for call in scenario.turns[0].calls] == ["a", "b", "c"]


def test_numbers_are_welcome_as_headers() -> None:
    (scenario,) = read_script([{"status": 429, "headers": {"retry-after": 60}}]).scenarios
    assert scenario.turns[0].headers == {"retry-after": "60"}


def test_all_mistakes_are_told_at_once() -> None:
    scenario = {
        "match": "(",
        "cursor": "random",
        "turns": [{"txt": "hi"}, {"status": 200}, {"fault": "fire"}, {"hang": -1}, {"delay": 1}],
    }
    assert flaws({"scenarios": [scenario, {"turns": []}, 3], "sides": {}}) == [
        "scenarios[0].turns[4]: a turn needs text, thinking, tool, tools, custom, status, fault "
        "or hang",
        "scenarios[0].turns[0].txt: unknown key; did you mean 'text'?",
        "scenarios[0].turns[1].status: must be at least 400, found 200",
        "scenarios[0].turns[2].fault: must be 'malformed_sse', 'truncated_sse', 'sse_error', "
        "'empty_200', 'html_200' or 'reset', found 'fire'",
        "scenarios[0].turns[3].hang: must be at least 0, found -1",
        "scenarios[0].match: is not a regular expression: missing ), unterminated subpattern "
        "at position 0",
        "scenarios[0].cursor: must be 'sequence' or 'history', found 'random'",
        "scenarios[1].turns: must not be empty",
        "scenarios[2]: must be a mapping, found 3",
        "sides: unknown key; did you mean 'side'?",
    ]


@pytest.mark.parametrize(
    ("turn", "words"),
    [
        ({"status": 500, "hang": 1},
         "[0]: a turn does one thing, but this one has status and hang"),
        ({"status": 500, "text": "a"}, "[0]: a turn with status cannot have text"),
        ({"fault": "reset", "custom": {"name": "a", "input": "b"}},
         "[0]: a turn with fault cannot have custom"),
        ({"text": "a", "times": 2}, "[0].times: is only for a turn with status, fault or hang"),
        ({"text": "a", "reset": 2}, "[0].reset: is only for a turn with status"),
        ({"hang": 1, "stop": "refusal"},
         "[0].stop: is only for a turn with text, thinking, tool, tools or custom"),
        ({"status": 429, "reset": 0}, "[0].reset: must be more than 0, found 0"),
        ({"text": "a", "headers": {"Content-Length": "1"}},
         "[0].headers.Content-Length: is a header that the server sets by itself"),
        ({"text": "a", "headers": {"a b": "1"}}, "[0].headers.a b: is not the name of a header"),
        ({"text": "a", "headers": {"a": "1\r\nb: 2"}},
         "[0].headers.a: is not the value of a header"),
        ({"text": "a", "headers": {"a": True}}, "[0].headers.a: must be text, found True"),
        ({"text": 3}, "[0].text: must be text, found 3"),
        ({"tool": {"title": "a"}}, "[0].tool.name: is missing"),
        ({"tools": [{"name": "a", "what": {}}]},
         "[0].tools[0].what: unknown key (known: name, input, id, namespace)"),
        ({"text": "a", "usage": {"ins": 3}}, "[0].usage.ins: unknown key; did you mean 'in'?"),
        ({"text": "a", "times": "x" * 100, "status": 500},
         f"[0].times: must be a whole number, found '{'x' * 60}…'"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_turn(turn: object, words: str) -> None:
    assert words in flaws([turn])


@pytest.mark.parametrize("value", [None, "text", 3, {}, []])
def test_what_is_no_script_is_refused(value: object) -> None:
    assert len(flaws(value)) == 1


def test_words_may_come_before_a_fault_and_before_silence() -> None:
    read_script([{"fault": "truncated_sse", "text": "so far"}, {"hang": 1, "text": "well"}])


@pytest.mark.parametrize("name", names())
def test_an_example_is_valid_and_says_what_it_is_for(name: str) -> None:
    read_script(yaml.safe_load(text_of(name)))
    assert purpose(name)[0].isupper()


def test_an_unknown_example_names_the_others() -> None:
    with pytest.raises(NotFound) as caught:
        text_of("../script")
    assert caught.value.hint == "There are edit, limit, outage, stall."
