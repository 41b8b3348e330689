"""What a script says of a nonce is filled from the prompt."""

import json

import pytest

from supervisor_ai.lab.exchange import with_nonce
from supervisor_ai.lab.script import read_script
from supervisor_ai.lab.shapes import Turn

TOLD = json.dumps({"content": "Do it.\nThe nonce of this attempt is `kvmq-tzrb-xwph`. Repeat it."})


def turn(**fields: object) -> Turn:
    return read_script([fields]).scenarios[0].turns[0]


@pytest.mark.parametrize("mark", ["{{nonce}}", "{{ nonce }}"])
def test_the_nonce_is_filled_in_wherever_it_is_wanted(mark: str) -> None:
    call = {"name": "Write", "input": {"content": {"deep": [mark]}}}
    asked = turn(text=f"a {mark} b", tool=call, usage={"in": 7, "out": 1}, headers={"x-a": 1})
    filled = with_nonce(asked, TOLD)
    assert filled.text == "a kvmq-tzrb-xwph b"
    assert filled.calls[0].input == {"content": {"deep": ["kvmq-tzrb-xwph"]}}
    assert (filled.usage, filled.headers) == (asked.usage, asked.headers)


def test_what_a_prompt_quotes_stands_before_its_own_nonce() -> None:
    quoted = TOLD.replace("kvmq-tzrb-xwph", "bcdf-ghjk-mnpq")
    assert with_nonce(turn(text="{{nonce}}"), quoted + TOLD).text == "kvmq-tzrb-xwph"


def test_where_there_is_no_nonce_nothing_changes() -> None:
    wanting, plain = turn(text="{{nonce}}"), turn(text="Done.")
    assert with_nonce(wanting, "Do it.") is wanting
    assert with_nonce(plain, TOLD) is plain


def test_trouble_stays_trouble() -> None:
    trouble = turn(status=429, reset=20.0, times=2, body={"why": "{{nonce}}"})
    assert with_nonce(trouble, TOLD).model_dump(exclude={"body"}) == trouble.model_dump(
        exclude={"body"}
    )
