"""What the attributes of a Rust function or module say about its tests."""

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec import field as default

from supervisor_ai.gates.integrity.analysis.code_text import wording

if TYPE_CHECKING:
    from tree_sitter import Node

    from supervisor_ai.gates.integrity.analysis.language_table import LanguageTable

_TESTING: Final = frozenset({"test", "rstest", "test_case", "quickcheck", "wasm_bindgen_test"})
_USUAL: Final = frozenset({"test", "unix", "debug_assertions", 'panic = "unwind"'})
_USUAL_VALUES: Final = frozenset(
    {"target_os", "target_family", "target_pointer_width", "target_arch"}
)
_HERE: Final = frozenset({'"linux"', '"unix"', '"64"', '"x86_64"'})
_WORD: Final = re.compile(r'"[^"]*"|\w+|[(),=]')
_PATH: Final = re.compile(r"[\w:]+")
_MAX_WORDS: Final = 300
_MAX_DEPTH: Final = 20


class Attributes(Struct, frozen=True, kw_only=True):
    """The attributes in front of an item, as they are written."""

    texts: tuple[str, ...] = default(default_factory=tuple)

    @property
    def is_test(self) -> bool:
        """Tell whether a function is run as a test."""
        return any(_name(text) in _TESTING for text in self.texts)

    @property
    def is_for_tests(self) -> bool:
        """Tell whether an item is there in test builds only."""
        return any(text.startswith("cfg(") and "test" in _WORD.findall(text) for text in self.texts)

    @property
    def is_left_out(self) -> bool:
        """Tell whether an item is ignored, or not there in a usual test build."""
        return any(_leaves_out(text) for text in self.texts)

    @property
    def cases(self) -> int:
        """How many cases are listed for a test; 1 if none."""
        return max(1, len(self.listed))

    @property
    def listed(self) -> list[str]:
        """The cases that are listed for a test."""
        return [text for text in self.texts if _is_case(text)]

    @property
    def panic(self) -> str | None:
        """Return how a test must panic; None if it must not."""
        return next((text for text in self.texts if _name(text) == "should_panic"), None)


def attribute_text(node: "Node", table: "LanguageTable") -> str:
    """Return what stands between the brackets of an attribute."""
    return wording(next(iter(node.named_children), None), table)


def _is_case(text: str) -> bool:
    return text.startswith(("case(", "case::")) or _name(text) == "test_case"


def _name(text: str) -> str:
    path = _PATH.match(text)
    return path[0].rpartition(":")[2] if path else ""


def _leaves_out(text: str) -> bool:
    name = _name(text)
    if name == "ignore":
        return True
    words = _WORD.findall(text)[1:_MAX_WORDS]
    if name == "cfg":
        return not _holds(words[1:-1], 0)
    if name == "cfg_attr":
        options = _split(words[1:-1])
        ignores = any(option[:1] == ["ignore"] for option in options[1:])
        return ignores and _holds(options[0], 0)
    return False


def _holds(words: list[str], depth: int) -> bool:
    """Tell whether a condition holds in a usual test build."""
    if depth > _MAX_DEPTH or not words:
        return False
    if words[0] in ("all", "any", "not") and words[1:2] == ["("]:
        results = [_holds(part, depth + 1) for part in _split(words[2:-1])]
        if words[0] == "not":
            return not any(results)
        return all(results) if words[0] == "all" else any(results)
    if words[1:2] == ["="]:
        return words[0] in _USUAL_VALUES and words[-1] in _HERE
    return words[0] in _USUAL


def _split(words: list[str]) -> list[list[str]]:
    """Split words at the commas that stand in no brackets."""
    found: list[list[str]] = [[]]
    depth = 0
    for word in words:
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and not depth:
            found.append([])
        else:
            found[-1].append(word)
    return [part for part in found if part]
