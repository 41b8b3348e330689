"""Whether Go leaves a file out when nobody asks for more than the usual."""

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.languages.syntax import source_of

if TYPE_CHECKING:
    from tree_sitter import Node

_USUAL: Final = frozenset({"linux", "amd64", "unix", "cgo", "gc"})
_SYSTEMS: Final = frozenset(
    """aix android darwin dragonfly freebsd illumos ios js netbsd openbsd plan9 solaris wasip1
    windows zos 386 arm arm64 loong64 mips mips64 ppc64 ppc64le riscv64 s390x wasm""".split()  # noqa: SIM905 - a list of words
)
_WORD: Final = re.compile(r"[\w.]+|&&|\|\||[!()]")
_MAX_WORDS: Final = 200


def is_left_out(path: str, root: "Node") -> bool:
    """Tell whether a file's name or build tags keep it out of a usual test run."""
    parts = PurePosixPath(path).name.removesuffix(".go").removesuffix("_test").split("_")[1:]
    if any(part in _SYSTEMS for part in parts[-2:]):
        return True
    comments = []
    for node in root.named_children:
        if node.type != "comment":
            break
        comments.append(source_of(node))
    tags = next((line for line in comments if line.startswith("//go:build ")), None)
    if tags is not None:
        return not _holds(_WORD.findall(tags.removeprefix("//go:build "))[:_MAX_WORDS])
    old = [line.split()[2:] for line in comments if line.startswith("// +build ")]
    return not all(any(_all_hold(option) for option in options) for options in old)


def _all_hold(option: str) -> bool:
    return all(
        _is_usual(tag.removeprefix("!")) is not tag.startswith("!") for tag in option.split(",")
    )


def _is_usual(tag: str) -> bool:
    return tag in _USUAL or tag.startswith("go1")


def _holds(words: list[str]) -> bool:
    """Work out an expression of tags, loosest first, without recursion into hostile depth."""
    values: list[bool] = []
    operators: list[str] = []
    for word in words:
        if word in ("(", "!"):
            operators.append(word)
        elif word == ")":
            _settle(values, operators, 0)
            if operators:
                operators.pop()
            _negate(values, operators)
        elif word in _BINDING:
            _settle(values, operators, _BINDING[word])
            operators.append(word)
        else:
            values.append(_is_usual(word))
            _negate(values, operators)
    _settle(values, operators, 0)
    return values[-1] if values else True


_BINDING: Final = {"||": 1, "&&": 2}


def _negate(values: list[bool], operators: list[str]) -> None:
    while operators and operators[-1] == "!" and values:
        operators.pop()
        values.append(not values.pop())


def _settle(values: list[bool], operators: list[str], binding: int) -> None:
    while operators and _BINDING.get(operators[-1], -1) >= binding and len(values) > 1:
        right, left = values.pop(), values.pop()
        values.append(left and right if operators.pop() == "&&" else left or right)
