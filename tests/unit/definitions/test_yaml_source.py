from inline_snapshot import snapshot

from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.definitions.sources.yaml_document import (
    MAX_CHARACTERS,
    Document,
    Value,
    read_yaml,
)


def read(text: str) -> tuple[Document | None, str]:
    mistakes = FileMistakes()
    document = read_yaml("f.yaml", text, mistakes)
    return document, mistakes.error().message if mistakes else ""


def value_of(text: str) -> Value:
    document, problems = read(text)
    assert document is not None
    assert not problems
    return document.value


def problems_of(text: str) -> str:
    return read(text)[1]


def test_scalars_follow_the_core_schema_of_yaml_1_2() -> None:
    text = """
    words: [yes, no, on, off, 12:30:45, 2020-01-01, "true", .nan, 0x1f, 1_000]
    others: [true, False, null, ~, "", 12, -3, 012, 1.5, 1e3]
    on: 1
    7: 2
    """
    assert value_of(text) == {
        "words": [
            "yes",
            "no",
            "on",
            "off",
            "12:30:45",
            "2020-01-01",
            "true",
            ".nan",
            "0x1f",
            "1_000",
        ],
        "others": [True, False, None, None, "", 12, -3, 12, 1.5, 1000.0],
        "on": 1,
        "7": 2,
    }


def test_an_empty_file_says_nothing() -> None:
    assert value_of("# only a comment\n") is None


def test_every_key_and_item_knows_its_line() -> None:
    document, _ = read("a:\n  b:\n    - x\n    - y: 1\n")
    assert document is not None
    assert document.lines == {
        ("a",): 1,
        ("a", "b"): 2,
        ("a", "b", 0): 3,
        ("a", "b", 1): 4,
        ("a", "b", 1, "y"): 4,
    }
    place = document.place("a", "b", 1, "missing")
    assert (place.line, place.key) == (4, "a.b[1].missing")


def test_a_key_that_is_given_twice_is_a_mistake_and_the_first_one_counts() -> None:
    document, problems = read("a: 1\nb:\n  c: 1\n  c: 2\na: 3\n")
    assert document is not None
    assert document.value == {"a": 1, "b": {"c": 1}}
    assert problems == snapshot("""\
The definitions have 2 mistakes:
  f.yaml:4: b.c: is given twice, first in line 3
  f.yaml:5: a: is given twice, first in line 1\
""")


def test_syntax_errors_have_line_and_column() -> None:
    assert problems_of("a: 1\nb: c: d\n") == snapshot("""\
The definitions have a mistake:
  f.yaml:2:5: is not valid YAML: mapping values are not allowed in this context\
""")
    assert problems_of("a: [1, 2\n") == snapshot("""\
The definitions have a mistake:
  f.yaml:1: is not valid YAML: did not find expected ',' or ']'\
""")


def test_what_can_make_a_small_file_large_or_active_is_a_mistake() -> None:
    assert problems_of("a: &x [1]\nb: *x\n") == snapshot("""\
The definitions have 2 mistakes:
  f.yaml:1: a: has an anchor; write the value out instead
  f.yaml:2: b: is an alias; write the value out instead\
""")
    assert problems_of("a: !!python/object:os.system x\n") == snapshot("""\
The definitions have a mistake:
  f.yaml:1: a: has a tag; write the plain value instead\
""")
    assert problems_of("? [a, b]\n: 1\n") == snapshot("""\
The definitions have a mistake:
  f.yaml:1: has a key that is not plain text\
""")
    assert problems_of("a: 1\n---\nb: 2\n") == snapshot("""\
The definitions have a mistake:
  f.yaml:2: has a second document; expected one\
""")


def test_hostile_files_end_in_a_mistake() -> None:
    assert problems_of("[" * 500_000) == snapshot("""\
The definitions have a mistake:
  f.yaml:1: is nested deeper than 40 levels\
""")
    assert problems_of("a: \x00") == snapshot("""\
The definitions have a mistake:
  f.yaml:1: is not valid YAML: it contains control characters\
""")
    assert problems_of("a: \ud800") == snapshot("""\
The definitions have a mistake:
  f.yaml:1: is not valid YAML: it contains control characters\
""")
    assert problems_of("x" * (MAX_CHARACTERS + 1)) == snapshot("""\
The definitions have a mistake:
  f.yaml:1: is larger than 1048576 characters\
""")


def test_messages_show_no_control_characters_of_the_file() -> None:
    problems = problems_of('"a\\e[31m\\u202e": 1\n"a\\e[31m\\u202e": 2\n')
    assert "\x1b" not in problems
    assert "\u202e" not in problems
    assert "a\\x1b[31m\\u202e" in problems
