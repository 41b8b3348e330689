"""One way to write what Rust can say in many: `f().unwrap() == 3` is `f() == Ok(3)`."""

import re
from typing import TYPE_CHECKING, Final

from supervisor_ai.gates.integrity.analysis.syntax_tree import source_of

if TYPE_CHECKING:
    from tree_sitter import Node

_OPENED: Final = re.compile(r"\.(?:unwrap|unwrap_err)\(\)$|\.(?:expect|expect_err)\(\"[^\"]*\"\)$")
_VIEWED: Final = re.compile(
    r"\.(?:clone|as_ref|as_str|as_deref|as_slice|to_string|to_owned|to_vec|into|copied|cloned)\(\)$"
)
_HOLDING: Final = ("Ok(", "Some(", "String::from(")
_ERROR: Final = "Err("
_DEFAULTS: Final = frozenset({"0", "0.0", '""', "false", "vec![]", "Vec::new()", "String::new()"})
_MAX_LAYERS: Final = 8


def borrowed(text: str) -> str:
    """Return what a reference is to: `x` of `&x` and of `&mut x`."""
    return text.lstrip("&").removeprefix("mut ")


def unwrapped(subject: str) -> tuple[str, bool]:
    """Return what is asked, without how its result is opened, and whether an error is wanted."""
    is_error = False
    for _ in range(_MAX_LAYERS):
        found = _OPENED.search(subject) or _VIEWED.search(subject)
        if found is None or not found.start():
            break
        is_error = is_error or "_err" in found[0]
        subject = subject[: found.start()]
    return subject, is_error


def plain_value(wanted: str) -> str:
    """Return a wanted value without what holds it: `"a"` of `Ok("a".to_string())`."""
    if _is_around(wanted, _ERROR):
        return f"{_ERROR}{_opened(wanted[len(_ERROR) : -1])})"
    return _opened(wanted)


def falls_back_to(subject: str, wanted: str) -> bool:
    """Tell whether a subject takes the wanted value where there is none: `f().unwrap_or(3)`."""
    if subject.endswith(".unwrap_or_default()"):
        return _opened(wanted) in _DEFAULTS
    return subject.endswith((f".unwrap_or({wanted})", f".unwrap_or_else(||{wanted})"))


def _opened(wanted: str) -> str:
    for _ in range(_MAX_LAYERS):
        holder = next((each for each in _HOLDING if _is_around(wanted, each)), None)
        viewed = _VIEWED.search(wanted)
        if holder is not None:
            wanted = wanted[len(holder) : -1]
        elif viewed is not None and viewed.start():
            wanted = wanted[: viewed.start()]
        else:
            break
    return wanted


def _is_around(text: str, holder: str) -> bool:
    """Tell whether a call holds all of a text, not only its beginning."""
    if not text.startswith(holder) or not text.endswith(")"):
        return False
    depth = 0
    for place, letter in enumerate(text):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if not depth and letter == ")":
            return place == len(text) - 1
    return False


def parts(tree: "Node") -> list[list["Node"]]:
    """Split the words within the brackets of a macro at its commas."""
    found: list[list[Node]] = [[]]
    for child in tree.children[1:-1]:
        if source_of(child) == ",":
            found.append([])
        elif not child.is_extra:
            found[-1].append(child)
    return [part for part in found if part]
