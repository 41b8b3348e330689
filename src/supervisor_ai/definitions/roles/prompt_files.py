"""Prompt templates of the package, the user and the project; a later one replaces another."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from supervisor_ai.definitions.sources.files import DefinitionSource, Origin
from supervisor_ai.definitions.sources.mistakes import FileMistakes, FilePlace, unknown

PROMPTS: Final = "prompts"
SCHEMA: Final = "schema.json"
INCLUDE: Final = re.compile(r"""^\{% include "([\w.-]+)" %\}\n?""", re.MULTILINE)
_MADE: Final = frozenset({SCHEMA, "words_before", "words_after"})
"""What templates include that is no file."""
_SUFFIX: Final = ".j2"
_LONGEST: Final = 64 * 1024
_DEEPEST: Final = 10
_VARIABLES: Final = frozenset(
    {
        *("task", "role", "step", "attempt", "feedback", "context", "diff", "turns", "material"),
        *("instructions", "instruction", "nonce"),
    }
)
"""What a template may speak of."""


def read_prompts(shelves: Sequence[DefinitionSource], mistakes: FileMistakes) -> Mapping[str, str]:
    """Read all templates by their names and note what is wrong with those of the user's own."""
    texts: dict[str, str] = {}
    own: dict[str, FilePlace] = {}
    for shelf in shelves:
        for name in shelf.names(PROMPTS):
            text = shelf.read(f"{PROMPTS}/{name}", mistakes) if name.endswith(_SUFFIX) else None
            if text is not None:
                texts[name] = text
                own |= {} if shelf.origin is Origin.BUILT_IN else {name: _place(shelf, name)}
    for name, place in own.items():
        for line, problem in _problems(name, texts):
            mistakes.add(FilePlace(file=place.file, line=line, key=""), problem)
    return texts


def template_names(texts: Mapping[str, str]) -> list[str]:
    """Name the templates that a role may use; the others are parts of them."""
    return sorted(name for name in texts if not name.startswith("_"))


def _place(shelf: DefinitionSource, name: str) -> FilePlace:
    return FilePlace(file=shelf.label(f"{PROMPTS}/{name}"))


def _problems(name: str, texts: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    text = texts[name]
    if len(text) > _LONGEST:
        yield 1, f"has {len(text)} characters; at most {_LONGEST} are allowed"
        return
    for match in INCLUDE.finditer(text):
        if match[1] not in texts and match[1] not in _MADE:
            line = text.count("\n", 0, match.start()) + 1
            yield line, unknown("template", match[1], sorted(texts))
    if name in _included(name, texts):
        yield 1, "includes itself"
    elif _expanded(name, texts) > _LONGEST:
        yield 1, f"is too long with all that it includes; at most {_LONGEST} characters are allowed"
    elif not name.startswith("_") and SCHEMA not in _included(name, texts):
        yield 1, 'never says how to answer; include "_output_schema.j2"'
    yield from _of_jinja(text)


def _included(name: str, texts: Mapping[str, str]) -> frozenset[str]:
    """Name everything that a template includes, directly or not."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for included in INCLUDE.findall(texts.get(waiting.pop(), "")):
            if included not in found:
                found.add(included)
                waiting.append(included)
    return frozenset(found)


def _expanded(name: str, texts: Mapping[str, str], depth: int = 0) -> int:
    """Return how long a template is with all that it includes; too deep is too long."""
    text = texts.get(name, "")
    total = len(text)
    for part in INCLUDE.findall(text):
        if depth > _DEEPEST or total > _LONGEST:
            return _LONGEST + 1
        total += _expanded(part, texts, depth + 1)
    return total


def variables(text: str) -> frozenset[str]:
    """Name what a template speaks of."""
    from jinja2 import meta

    from supervisor_ai.tools.templates import plain_environment

    tree = plain_environment({"fenced": str, "label": str}).parse(text)
    return frozenset(meta.find_undeclared_variables(tree))


def _of_jinja(text: str) -> Iterator[tuple[int, str]]:
    """Find what could not be rendered, without rendering it."""
    from jinja2 import TemplateSyntaxError, nodes

    from supervisor_ai.tools.templates import given_names, plain_environment, refused

    try:
        # An include is one line of its own, so that a line break in its place keeps the numbers.
        tree = plain_environment({"fenced": str, "label": str}).parse(INCLUDE.sub("\n", text))
    except TemplateSyntaxError as error:
        yield error.lineno, f"is no template: {error.message}"
        return
    except (RecursionError, MemoryError):
        yield 1, "is nested too deeply"
        return
    yield from refused(tree)
    for node in tree.find_all((nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)):
        yield node.lineno, 'only `{% include "NAME" %}` on a line of its own is understood'
    for variable in sorted(given_names(tree) - _VARIABLES):
        yield 1, unknown("variable", variable, sorted(_VARIABLES))
