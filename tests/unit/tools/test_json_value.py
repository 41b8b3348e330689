import pytest

from supervisor_ai.tools.json_value import (
    BadJson,
    canonical_json,
    inner,
    mapping,
    parse_json,
    parse_object,
    read_json,
    sequence,
    text,
)

DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' is given twice"),
        ('{"\\u001b": 1, "\\u001b": 2}', r"the key '\\\\x1b' is given twice"),
        ("[NaN]", "NaN is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ('"\\ud800"', "it contains half of a surrogate pair"),
        (DEEP, "it is nested too deeply"),
        ("{", "Expecting property name"),
    ],
)
def test_strict_reading_refuses_what_the_standard_does(said: str, problem: str) -> None:
    with pytest.raises(BadJson, match=f"^{problem}"):
        read_json(said)


def test_lenient_parsing_fails_in_one_way_only() -> None:
    assert parse_json('{"a": 1, "a": 2}') == {"a": 2}
    for said in (DEEP, "{", b"\xff", "", b"\x00"):
        with pytest.raises(BadJson):
            parse_json(said)


def test_one_object_or_nothing() -> None:
    assert parse_object(b'{"a": 1}') == {"a": 1}
    for said in ("[1]", "1", "null", "{", DEEP):
        assert parse_object(said) is None


def test_what_is_of_another_shape_reads_as_nothing() -> None:
    value = parse_json('{"a": [{"b": "c"}], "n": 1}')
    assert inner(value, "a", 0, "b") == "c"
    assert inner(value, "a", "b") is None
    assert inner(value, "a", 1) is None
    assert inner(value, "n", "x") is None
    assert inner(value, 0) is None
    assert inner(value, "a", 0, "b", "c") is None
    assert mapping(inner(value, "a")) == {}
    assert sequence(value) == []
    assert text(inner(value, "n"), "x") == "x"
    assert text("", "x") == "x"
    assert text("c") == "c"


def test_the_same_value_is_always_written_in_the_same_way() -> None:
    assert canonical_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'
