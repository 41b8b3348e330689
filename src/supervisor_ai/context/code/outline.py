"""A file without its bodies: what it imports and declares."""

from collections.abc import Callable

from supervisor_ai.context.code.entry import CodeEntry, rendered
from supervisor_ai.context.code.language import SourceLanguage, language
from supervisor_ai.context.code.readers.python import parsed_python, python_entries
from supervisor_ai.context.code.syntax_tree import MAX_SOURCE, within_bounds


def outline(path: str, text: str) -> str | None:
    """Return the signatures of a file, or None if its language is unknown."""
    return signatures(path, text, _everything)


def signatures(path: str, text: str, wanted: Callable[[CodeEntry], bool]) -> str | None:
    """Return some of the signatures of a file, and say so where it was too long to be read."""
    found = entries(path, text)
    if found is None:
        return None
    mark = comment_mark(path)
    lines = list(rendered(found, mark, wanted))
    if len(text) > MAX_SOURCE:
        lines.append(f"{mark} (cut: {len(text) - MAX_SOURCE} characters not read)")
    return "".join(f"{line}\n" for line in lines)


def _everything(_entry: CodeEntry) -> bool:
    return True


def entries(path: str, text: str) -> tuple[CodeEntry, ...] | None:
    """Return what a file declares, or None if its language is unknown."""
    spoken = language(path)
    if spoken is None:
        return None
    text = within_bounds(text)
    if spoken is SourceLanguage.PYTHON:
        found = _from_python(path, text)
        if found is not None:
            return found
    return _from_tree(spoken, text)


def _from_python(path: str, text: str) -> tuple[CodeEntry, ...] | None:
    module = parsed_python(text)
    if module is None:
        return None
    return python_entries(module, is_package=path.endswith("__init__.py"))


def _from_tree(spoken: SourceLanguage, text: str) -> tuple[CodeEntry, ...]:
    from supervisor_ai.context.code.readers.shapes import SHAPES
    from supervisor_ai.context.code.readers.tree import tree_entries
    from supervisor_ai.context.code.syntax_tree import parsed

    return tree_entries(parsed(spoken, text), SHAPES[spoken])


def comment_mark(path: str) -> str:
    """Return what begins a comment in the language of a file."""
    return "#" if language(path) is SourceLanguage.PYTHON else "//"


def public_api(path: str, text: str) -> str | None:
    """Return the public signatures of a file, or None if its language is unknown."""
    return signatures(path, text, _is_public)


def _is_public(entry: CodeEntry) -> bool:
    return entry.is_public
