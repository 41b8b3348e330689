"""The two ways to read YAML differ in what a plain word means, and in nothing else."""

from collections.abc import Callable
from typing import Final

import pytest

from supervisor_ai.tools.yaml_tree import (
    TextValue,
    Value,
    YamlLimits,
    YamlTree,
    read_yaml_texts,
    read_yaml_tree,
)

LIMITS: Final = YamlLimits(characters=200_000, depth=5, values=1000)
READERS: Final = [read_yaml_tree, read_yaml_texts]
Reader = Callable[..., YamlTree[Value] | YamlTree[TextValue]]

both = pytest.mark.parametrize("read", READERS)


def problems(tree: YamlTree[Value] | YamlTree[TextValue]) -> list[tuple[int, str]]:
    return [(at.line, at.text) for at in tree.problems]


def test_plain_words_have_a_meaning_or_stay_texts() -> None:
    text = "[1, -2.5, true, 012, null, ~, '', 'null', yes, 1_000]"
    typed: list[Value] = [1, -2.5, True, 12, None, None, "", "null", "yes", "1_000"]
    assert read_yaml_tree(text, limits=LIMITS).value == typed
    texts = ["1", "-2.5", "true", "012", None, None, "", "null", "yes", "1_000"]
    assert read_yaml_texts(text, limits=LIMITS).value == texts


@both
def test_lines_count_from_where_the_text_begins(read: Reader) -> None:
    tree = read("a:\n- b\n- c: d\n", limits=LIMITS, first_line=10)
    assert tree.lines == {("a",): 10, ("a", 0): 11, ("a", 1): 12, ("a", 1, "c"): 12}
    assert tree.line("a", 1, "c", "x") == 12
    assert tree.line("z") == 10


@both
def test_the_first_of_two_alike_keys_counts_with_its_lines(read: Reader) -> None:
    tree = read("a:\n  b: x\na:\n  b: y\n  c: z\n", limits=LIMITS)
    assert tree.value == {"a": {"b": "x"}}
    assert tree.line("a", "b") == 2
    assert problems(tree) == [(3, "is given twice, first in line 1")]
    assert tree.is_read


@both
def test_a_tag_is_a_mistake_and_reading_goes_on(read: Reader) -> None:
    tree = read("a: !!python/name:os.system x\nb: y\n", limits=LIMITS)
    assert tree.value == {"a": "x", "b": "y"}
    assert problems(tree) == [(1, "has a tag; write the plain value instead")]
    assert tree.problems[0].path == ("a",)


@both
def test_an_anchor_and_an_alias_are_mistakes_and_nothing_is_copied(read: Reader) -> None:
    tree = read("a: &x [b]\nc: [*x, *x]\n*x : d\n", limits=LIMITS)
    assert tree.value == {"a": ["b"], "c": [None, None], "?": "d"}
    assert problems(tree) == [
        (1, "has an anchor; write the value out instead"),
        (2, "is an alias; write the value out instead"),
        (2, "is an alias; write the value out instead"),
        (3, "has a key that is not plain text"),
        (3, "is an alias; write the value out instead"),
    ]


@both
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("x" * 200_001, (1, "is larger than 200000 characters")),
        ("[" * 100_000, (1, "is nested deeper than 5 levels")),
        ("a:\n" + "- b\n" * 1000, (1000, "holds more than 1000 values")),
        ("a: b\nc: [\n", (2, "is not valid YAML: did not find expected node content")),
        ("a: b\nc: \x00d\n", (2, "is not valid YAML: it contains control characters")),
    ],
)
def test_what_cannot_be_read_is_said(read: Reader, text: str, problem: tuple[int, str]) -> None:
    tree = read(text, limits=LIMITS)
    assert problems(tree) == [problem]
    assert not tree.is_read


@both
def test_a_second_document_is_a_mistake(read: Reader) -> None:
    tree = read("a: b\n---\nc: d\n", limits=LIMITS)
    assert tree.value == {"a": "b"}
    assert problems(tree) == [(2, "has a second document; expected one")]


@both
def test_even_mistakes_are_bounded(read: Reader) -> None:
    tree = read("- *x\n" * 900, limits=LIMITS)
    assert len(tree.problems) == 501
    assert problems(tree)[-1] == (501, "has more than 500 mistakes up to here")
    assert not tree.is_read
