"""TOML that was made to take all memory is refused before it is parsed."""

import tomllib
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.tools.toml import LARGEST, LONGEST_KEY, TooMuchError, read_toml

MOST_BYTES_FOR_ONE = 350
"""What the parser keeps for the worst text that is let through, and some more."""

HOSTILE: dict[str, Callable[[int], str]] = {
    "one dotted key": lambda n: ".".join("a" * (n // 2)) + " = 1",
    "one dotted table": lambda n: "[" + ".".join("a" * (n // 2)) + "]",
    "one quoted key": lambda n: '"".' * (n // 3) + '"" = 1',
    "blanks around dots": lambda n: "a . " * (n // 4) + "a = 1",
    "a key behind a long string": lambda n: (
        "a = ['''\n'''," + "{" + "a." * (n // 2) + "a = 1}] # '"
    ),
    "a key behind a quote": lambda n: 'a = ["""\nit\'s""", {' + "a." * (n // 2) + "a = 1}] # '",
    "keys of many parts": lambda n: "".join(f"a{i}.{'b.' * 29}b = 1\n" for i in range(n // 70)),
    "keys below a deep table": lambda n: (
        f"[{'h.' * 31}h]\n" + "".join(f"a{i}.{'b.' * 29}b = 1\n" for i in range(n // 70))
    ),
    "many tables": lambda n: "".join(f"[a{i}]\n" for i in range(n // 8)),
    "many tables in tables": lambda n: "".join(f"[a{i}.b]\n" for i in range(n // 10)),
    "many lists of tables": lambda n: "[[a]]\n[[a.b]]\n" * (n // 14),
    "nothing but brackets": lambda n: "a = " + "[" * n,
    "nothing but braces": lambda n: "a = " + "{a=" * (n // 3),
    "small tables": lambda n: "a = [" + "{a=1}," * (n // 6) + "]",
    "a long number": lambda n: "a = " + "1" * n,
    "a long fraction": lambda n: "a = 0." + "1" * n,
    "a long hexadecimal": lambda n: "a = 0x" + "f" * n,
    "quotes": lambda n: 'a = "' + '\\"' * (n // 2),
    "open quotes": lambda n: '"' * n,
    "plain": lambda n: "".join(f"a{i} = 1\n" for i in range(n // 10)),
}


def peak(text: str) -> int:
    tracemalloc.start()
    try:
        read_toml(text)
    except (ValueError, RecursionError):
        pass
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return most


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("size", [40_000, pytest.param(160_000, marks=pytest.mark.long)])
def test_memory_grows_no_faster_than_the_text(kind: str, size: int) -> None:
    text = HOSTILE[kind](size)
    assert peak(text) < MOST_BYTES_FOR_ONE * len(text) + 100_000


@pytest.mark.parametrize(
    "kind", ["one dotted key", "one dotted table", "one quoted key", "blanks around dots"]
)
@pytest.mark.parametrize("size", [LONGEST_KEY * 12, 40_000])
def test_a_key_of_too_many_parts_is_named(kind: str, size: int) -> None:
    with pytest.raises(TooMuchError, match="parts"):
        read_toml(HOSTILE[kind](size))


def test_a_text_that_is_too_long_is_refused() -> None:
    with pytest.raises(TooMuchError, match=str(LARGEST)):
        read_toml("#" * (LARGEST + 1))


@pytest.mark.parametrize(
    "text",
    [
        "a." * (LONGEST_KEY - 1) + "a = 1",
        f'a = "{"." * 100}"',
        f'a = "{"b." * 100}"',
        f"a = '''\n{'b.' * 100}\n'''",
        f'a = """\n{"b." * 100} \\""" {"b." * 50}\n"""',
        "a = 1 # " + "b." * 100,
        'dependencies = ["' + '>=1.2.3", "'.join("abcdefghijklmnopqrstuvwxyz") + '"]',
    ],
)
def test_dots_that_make_no_key_are_let_through(text: str) -> None:
    assert read_toml(text) == tomllib.loads(text)


KEYS = st.lists(
    st.sampled_from(["a", "b-c", "1", '"x.y"', "'z'", '"\\""']), min_size=1, max_size=50
)
VALUES = st.sampled_from(['"a.b.c"', "'''\n'.\n'''", '"""\n".\\"""."""', "1.5", "[1.2, 'x']", "{}"])
LINES = st.tuples(KEYS, VALUES, st.sampled_from(["", " # a.b", " #'"]))


@given(lines=st.lists(LINES, max_size=4))
def test_the_longest_key_decides(lines: list[tuple[list[str], str, str]]) -> None:
    text = "".join(
        f"k{number}.{'.'.join(key)} = {value}{end}\n"
        for number, (key, value, end) in enumerate(lines)
    )
    if max((len(key) + 1 for key, _, _ in lines), default=0) > LONGEST_KEY:
        with pytest.raises(TooMuchError):
            read_toml(text)
    else:
        assert read_toml(text) == tomllib.loads(text)
