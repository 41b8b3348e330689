"""The folder in which plans are kept, each under the id of its feature."""

import os
import tempfile
from pathlib import Path
from typing import Final

from supervisor_ai.domain.errors import Conflict, Unavailable

FOLDER: Final = "features"
ENDING: Final = ".yaml"
DRAFT: Final = ".draft"
"""What an edit left that makes no plan yet."""


def write_plan(folder: Path, feature: str, text: str, *, ending: str = ENDING) -> Path:
    """Keep a plan in place of an earlier one; all of it or nothing."""
    if folder.is_symlink():
        raise Conflict(
            f"{str(folder)!r} is a link, and plans are kept in a directory.",
            hint="Remove the link.",
        )
    target = folder / f"{feature}{ending}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as draft:
            draft.write(text)
        Path(draft.name).chmod(0o644)
        os.replace(draft.name, target)  # noqa: PTH105 - what a link leads to is not followed
    except OSError as error:
        raise Unavailable(
            f"The plan cannot be kept in {str(folder)!r}: {error.strerror}."
        ) from error
    return target
