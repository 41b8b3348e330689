"""The simple commands of a shell text, as far as they can be told without running it."""

import re
import shlex
from collections.abc import Iterator
from typing import Final

Words = tuple[str, ...]

_OPERATOR: Final = re.compile(r"[();<>|&`]+")
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
_KEYWORDS: Final = frozenset(
    {
        *("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "!", "{", "}"),
        *("time", "exec", "command", "builtin", "eval", "case", "esac"),
    }
)
_PASSED_ON: Final = frozenset({"tee", "cat", "tail"})
"""They show what they are given."""
HIDDEN: Final = "|"
"""The first word of a command whose output somebody else gets."""
_LINES: Final = 2_000
_LONGEST: Final = 4_000


def simple_commands(text: str) -> Iterator[Words]:
    """Yield what a shell text starts, word by word; what is only said about it is left out."""
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ")
    for line in joined.splitlines()[:_LINES]:
        yield from _of_line(line.strip()[:_LONGEST])


def _of_line(line: str) -> Iterator[Words]:
    segment: list[str] = []
    words = [*_split(line), ";"]
    for place, word in enumerate(words):
        if not _OPERATOR.fullmatch(word):
            segment.append(word)
            continue
        hides = _hides(word, segment, words[place + 1 : place + 2])
        yield from ((HIDDEN, *it) if hides else it for it in _started(segment))
        segment = []


def _hides(operator: str, segment: list[str], following: list[str]) -> bool:
    """Tell whether an operator takes the output away from whoever reads it."""
    if operator in {"|", "|&"}:
        return not _PASSED_ON.issuperset(following)
    return operator in {">", ">>", "&>"} and segment[-1:] != ["2"]


def _split(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:  # a quotation that ends on another line, or never
        return line.replace("'", " ").replace('"', " ").split()


def _started(segment: list[str]) -> Iterator[Words]:
    words = list(segment)
    while words and (words[0] in _KEYWORDS or _ASSIGNMENT.match(words[0])):
        words.pop(0)
    if words:
        yield tuple(words)
