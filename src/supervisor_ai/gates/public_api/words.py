"""Types and parameters in words that people are shown."""

from typing import Final

from supervisor_ai.gates.public_api.model import Parameter
from supervisor_ai.gates.public_api.type_trees import (
    FUNCTION,
    OBJECT,
    OPAQUE,
    TUPLE,
    UNION,
    TypeTree,
)

_SHORT: Final = 120


def said(tree: TypeTree) -> str:
    """Write a type, as it stands or as it was understood."""
    text = tree.text or _written(tree, 0)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def named(parameter: Parameter) -> str:
    """Name a parameter."""
    return f"the parameter {parameter.name!r}" if parameter.name else "a parameter"


def with_article(word: str) -> str:
    """Put an article before a word."""
    return f"{'an' if word[:1] in 'aeiou' else 'a'} {word}"


def _written(tree: TypeTree, depth: int) -> str:
    if depth > _SHORT:
        return "…"
    parts = [part.text or _written(part, depth + 1) for part in tree.parts]
    match tree.name:
        case name if name == UNION:
            return " | ".join(parts)
        case name if name == FUNCTION:
            return f"({', '.join(parts[:-1])}) => {parts[-1]}"
        case name if name == OBJECT:
            return f"{{{', '.join(it.name for it in tree.parts)}}}"
        case name if name == TUPLE:
            return f"[{', '.join(parts)}]"
        case name:
            inner = f"[{', '.join(parts)}]" if parts else ""
            return f"{name.removeprefix(OPAQUE)}{inner}"
