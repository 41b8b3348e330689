"""The languages whose source can be read."""

from enum import StrEnum, unique
from pathlib import PurePosixPath
from typing import Final


@unique
class SourceLanguage(StrEnum):
    """A programming language, told by the ending of a file's name."""

    PYTHON = "python"
    TYPESCRIPT = "typescript"
    TSX = "tsx"
    JAVASCRIPT = "javascript"
    GO = "go"
    RUST = "rust"
    JAVA = "java"


_BY_SUFFIX: Final = {
    ".py": SourceLanguage.PYTHON,
    ".pyi": SourceLanguage.PYTHON,
    ".ts": SourceLanguage.TYPESCRIPT,
    ".mts": SourceLanguage.TYPESCRIPT,
    ".cts": SourceLanguage.TYPESCRIPT,
    ".tsx": SourceLanguage.TSX,
    ".js": SourceLanguage.JAVASCRIPT,
    ".jsx": SourceLanguage.JAVASCRIPT,
    ".mjs": SourceLanguage.JAVASCRIPT,
    ".cjs": SourceLanguage.JAVASCRIPT,
    ".go": SourceLanguage.GO,
    ".rs": SourceLanguage.RUST,
    ".java": SourceLanguage.JAVA,
}


def language(path: str) -> SourceLanguage | None:
    """Tell the language of a file by its name, or None if it is not one of these."""
    return _BY_SUFFIX.get(PurePosixPath(path).suffix.lower())
