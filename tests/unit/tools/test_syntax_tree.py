import pytest

from supervisor_ai.tools.syntax_tree import Grammar, is_deeper, parse_in_time, parse_whole

PYTHON = Grammar("tree_sitter_python")


@pytest.mark.parametrize(
    "grammar",
    [
        *(Grammar(f"tree_sitter_{it}") for it in ("go", "java", "javascript", "python", "rust")),
        *(Grammar("tree_sitter_typescript", f"language_{it}") for it in ("tsx", "typescript")),
    ],
)
def test_every_grammar_can_be_loaded(grammar: Grammar) -> None:
    tree, is_late = parse_in_time(grammar, b"", seconds=5)
    assert tree.root_node.end_byte == 0
    assert not is_late


def test_what_lies_beyond_the_time_counts_as_not_there() -> None:
    source = b"a = 1\n" * 10_000
    tree, is_late = parse_in_time(PYTHON, source, seconds=-1)
    assert is_late
    assert tree.root_node.end_byte < len(source)
    tree, is_late = parse_in_time(PYTHON, source, seconds=60)
    assert not is_late
    assert tree.root_node.end_byte == len(source)


def test_levels_are_counted_without_recursion() -> None:
    root = parse_whole(PYTHON, b"(" * 20_000 + b")" * 20_000)
    assert is_deeper(root, 1000)
    flat = parse_whole(PYTHON, b"a\n" * 5000)
    assert is_deeper(flat, 1)
    assert not is_deeper(flat, 3)
    assert flat.text == b"a\n" * 5000
