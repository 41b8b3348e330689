"""What a file declares, whatever its language."""

from supervisor_ai.context.code.entry import Entry
from supervisor_ai.context.code.language import Language, language
from supervisor_ai.context.code.readers.python import parsed_python, python_entries
from supervisor_ai.context.code.syntax_tree import within_bounds


def entries(path: str, text: str) -> tuple[Entry, ...] | None:
    """Return what a file declares, or None if its language is unknown."""
    spoken = language(path)
    if spoken is None:
        return None
    text = within_bounds(text)
    if spoken is Language.PYTHON:
        found = _from_python(path, text)
        if found is not None:
            return found
    return _from_tree(spoken, text)


def _from_python(path: str, text: str) -> tuple[Entry, ...] | None:
    module = parsed_python(text)
    if module is None:
        return None
    return python_entries(module, is_package=path.endswith("__init__.py"))


def _from_tree(spoken: Language, text: str) -> tuple[Entry, ...]:
    from supervisor_ai.context.code.readers.shapes import SHAPES
    from supervisor_ai.context.code.readers.tree import tree_entries
    from supervisor_ai.context.code.syntax_tree import parsed

    return tree_entries(parsed(spoken, text), SHAPES[spoken])


def comment_mark(path: str) -> str:
    """Return what begins a comment in the language of a file."""
    return "#" if language(path) is Language.PYTHON else "//"
