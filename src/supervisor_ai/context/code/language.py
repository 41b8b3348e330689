"""The languages whose source can be read."""

from enum import StrEnum, unique
from pathlib import PurePosixPath
from typing import Final


@unique
class Language(StrEnum):
    """A programming language, told by the ending of a file's name."""

    PYTHON = "python"
    TYPESCRIPT = "typescript"
    TSX = "tsx"
    JAVASCRIPT = "javascript"
    GO = "go"
    RUST = "rust"
    JAVA = "java"


_BY_SUFFIX: Final = {
    ".py": Language.PYTHON,
    ".pyi": Language.PYTHON,
    ".ts": Language.TYPESCRIPT,
    ".mts": Language.TYPESCRIPT,
    ".cts": Language.TYPESCRIPT,
    ".tsx": Language.TSX,
    ".js": Language.JAVASCRIPT,
    ".jsx": Language.JAVASCRIPT,
    ".mjs": Language.JAVASCRIPT,
    ".cjs": Language.JAVASCRIPT,
    ".go": Language.GO,
    ".rs": Language.RUST,
    ".java": Language.JAVA,
}


def language(path: str) -> Language | None:
    """Tell the language of a file by its name, or None if it is not one of these."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
