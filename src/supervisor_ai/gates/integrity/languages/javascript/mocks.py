"""What a JavaScript test puts in the place of the very code whose answer it checks."""

import re
from collections.abc import Iterable, Iterator
from posixpath import normpath
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from supervisor_ai.gates.integrity.analysis.code_text import bare, wording
from supervisor_ai.gates.integrity.analysis.names import Names
from supervisor_ai.gates.integrity.analysis.syntax_tree import (
    LineIndex,
    field,
    items,
    source_of,
    walked,
)
from supervisor_ai.gates.integrity.languages.javascript.chains import (
    FUNCTIONS,
    STYLE,
    Link,
    chain,
    function_of,
)
from supervisor_ai.gates.integrity.model import Assertion, Oddity

if TYPE_CHECKING:
    from tree_sitter import Node

_MOCKING: Final = frozenset({"mock", "doMock", "unstable_mockModule", "module"})
_MOCKERS: Final = frozenset({"jest", "vi", "vitest", "mock"})
_ACTUAL: Final = ("importActual", "requireActual", "importOriginal")
_SPIES: Final = frozenset({"spyOn", "stub", "replace", "method"})
_ANSWERS: Final = re.compile(
    r"\.(?:mockReturnValue|mockResolvedValue|mockRejectedValue|mockImplementation)(?:Once)?\("
    r"|\.(?:returns|resolves|rejects|throws|callsFake|value)\("
)
_HEAD: Final = re.compile(r"(?:new )?([\w$]+)((?:\.[\w$]+)*)\(")
_MAPPED: Final = re.compile(
    r"\.(?:map|flatMap)\((?:async ?)?(?:\(?[\w$, ]{0,80}\)?=>)?([\w$]+)(?:\.[\w$]+)*[(,)]"
)
_LAST: Final = re.compile(r"\.([\w$]+)\([^()]{0,200}\)[^()]{0,80}$")
_SUFFIX: Final = re.compile(r"\.[cm]?[jt]sx?$")
_DEFAULT: Final = "default"
# What is asked of a mock itself, to see how it was used, is no answer of the code under test.
_ON_CALLS: Final = re.compile(r"(?i:called)|callCount|toHaveReturned|toHaveBeen|\.mock\b|\.calls\b")
_TESTS: Final = frozenset({"it", "test", "specify"})
_MOST: Final = 500
"""Whoever replaces more in one file wrote it by machine."""


class _Replacement(Struct, frozen=True, kw_only=True):
    """Something that stands in the place of a function."""

    owner: "Node | None" = None
    """What the function belongs to; None for one that is called by its name alone."""
    name: str
    node: "Node"
    test: int | None = None
    """Where the test begins that it stands in, if it stands in one."""


class Mocks:
    """What a file replaces, and what its tests ask."""

    def __init__(self, root: "Node", lines: LineIndex) -> None:
        self._lines = lines
        calls = [each for each in walked(root) if each.type == "call_expression"]
        self._modules = list(_replaced_modules(calls, imports_of(root)))[:_MOST]
        self._others = [*_spied(calls), *_overwritten(root)][:_MOST]

    def of(self, test: "Node", assertions: Iterable[Assertion], names: Names) -> tuple[Oddity, ...]:
        """Find what a test asks of something that was replaced, for it or for the whole file."""
        if not (self._modules or self._others):
            return ()
        subjects = {each.subject for each in assertions if not _ON_CALLS.search(each.text)}
        asked = {name for subject in subjects for name in _asked(subject)}
        near = [each for each in self._others if each.test in (None, test.start_byte)]
        found = [each for each in self._modules if each.name in asked]
        found += [each for each in near if _is_asked(each, subjects, names)]
        return tuple(self._oddity(each) for each in found)

    def _oddity(self, found: _Replacement) -> Oddity:
        message = f"The test replaces {found.name!r}, whose answer it checks."
        return Oddity(rule="subject_patched", message=message, line=self._lines.of(found.node))


def _asked(subject: str) -> Iterator[str]:
    """Yield the functions whose answer a subject is, by the names that the file has for them."""
    head = _HEAD.match(subject)
    if head is not None:
        yield head[1]
    yield from _MAPPED.findall(subject)


def _is_asked(found: _Replacement, subjects: Iterable[str], names: Names) -> bool:
    """Tell whether a subject is the answer of a method: `cart.total()` of `cart` and `total`."""
    subjects = [each for each in subjects if f".{found.name}(" in each]
    if not subjects:
        return False
    written = source_of(found.owner)
    owners = {written, wording(found.owner, STYLE, names)}
    for subject in subjects:
        if any(subject.startswith(f"{owner}.{found.name}(") for owner in owners):
            return True
        last = _LAST.search(subject)
        if written.endswith(".prototype") and last is not None and last[1] == found.name:
            return True
    return False


def _test_around(node: "Node") -> int | None:
    around = node.parent
    while around is not None:
        if around.type == "call_expression" and chain(around)[0].name in _TESTS:
            return around.start_byte
        around = around.parent
    return None


def imports_of(root: "Node") -> dict[str, dict[str, str]]:
    """Return for every module that a file imports the local names, and what they name there."""
    found: dict[str, dict[str, str]] = {}
    for node in walked(root):
        if node.type == "import_statement":
            module, names = _text(field(node, "source")), _imported(node)
        elif node.type == "variable_declarator" and "require(" in source_of(field(node, "value")):
            value = field(node, "value")
            links = chain(value) if value is not None else ()
            is_require = bool(links) and links[0].name == "require"
            given = items(links[0].arguments) if is_require else []
            module, names = _text(next(iter(given), None)), _declared(field(node, "name"))
        else:
            continue
        if module:
            found.setdefault(_plain(module), {}).update(names)
    return found


def _imported(node: "Node") -> dict[str, str]:
    found = {}
    for each in walked(node):
        if each.type == "import_specifier":
            name = source_of(field(each, "name"))
            found[source_of(field(each, "alias")) or name] = name
        elif each.type == "import_clause":
            plain = [source_of(it) for it in items(each) if it.type == "identifier"]
            found.update(dict.fromkeys(plain, _DEFAULT))
        elif each.type == "namespace_import":
            found[source_of(next(iter(items(each)), None))] = "*"
    return found


def _declared(pattern: "Node | None") -> dict[str, str]:
    if pattern is None or pattern.type == "identifier":
        return {source_of(pattern): "*"}
    found = {}
    for each in items(pattern):
        if each.type == "pair_pattern":
            found[source_of(field(each, "value"))] = source_of(field(each, "key"))
        else:
            found[source_of(each)] = source_of(each)
    return found


def _replaced_modules(
    calls: Iterable["Node"], imports: dict[str, dict[str, str]]
) -> Iterator[_Replacement]:
    for node in calls:
        links = chain(node)
        is_mock = links[0].name in _MOCKERS and links[-1].name in _MOCKING
        given = items(links[-1].arguments) if is_mock else []
        names = imports.get(_plain(_text(given[0]))) if given else None
        if names is None:
            continue
        kept, replaced = _made(function_of(links[-1].arguments))
        for local, name in names.items():
            if name in replaced or not kept:
                yield _Replacement(name=local, node=node)


def _made(factory: "Node | None") -> tuple[bool, set[str]]:
    """Return whether what makes a mock keeps the rest of the module, and what it replaces."""
    if factory is None:
        return False, set()
    text = source_of(factory)
    kept = any(word in text for word in _ACTUAL)
    whole = next((each for each in walked(factory) if each.type == "object"), None)
    keys = {source_of(field(each, "key") or field(each, "name") or each) for each in items(whole)}
    return kept, {key.strip("\"'") for key in keys}


def _spied(calls: Iterable["Node"]) -> Iterator[_Replacement]:
    """Find `spyOn(cart, "total").mockReturnValue(3)` and its kin; a spy alone lets calls pass."""
    for node in calls:
        spy = next((link for link in chain(node) if link.name in _SPIES), None)
        given = items(spy.arguments) if spy is not None else []
        if len(given) > 1 and _has_answer(node, spy):
            yield _method(given[0], _text(given[1]), node)


def _has_answer(node: "Node", spy: Link | None) -> bool:
    text = source_of(node)
    is_whole = spy is not None and len(items(spy.arguments)) > len(("cart", "total"))
    return is_whole or _ANSWERS.search(text) is not None


def _overwritten(root: "Node") -> Iterator[_Replacement]:
    """Find `Cart.prototype.total = () => 3` and `cart.total = () => 3`."""
    for node in walked(root):
        left, right = field(node, "left"), field(node, "right")
        if node.type != "assignment_expression" or left is None or right is None:
            continue
        value = bare(right, STYLE)
        is_mock = value.type in FUNCTIONS or source_of(value).startswith(("jest.fn", "vi.fn"))
        owner = field(left, "object")
        if left.type == "member_expression" and is_mock and owner is not None:
            yield _method(owner, source_of(field(left, "property")), node)


def _method(owner: "Node", name: str, node: "Node") -> _Replacement:
    return _Replacement(owner=owner, name=name, node=node, test=_test_around(node))


def _text(node: "Node | None") -> str:
    """Return a string without its quotes; of `import("./cart")` what is imported."""
    if node is not None and node.type == "call_expression":
        node = next(iter(items(field(node, "arguments"))), None)
    is_text = node is not None and node.type in ("string", "template_string")
    return source_of(node)[1:-1] if is_text else ""


def _plain(module: str) -> str:
    """Return the name of a module without what may be left out of it."""
    return _SUFFIX.sub("", normpath(module)).removesuffix("/index") if module else ""
