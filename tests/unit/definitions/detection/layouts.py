"""Project layouts, each kept as one text that names its files."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from supervisor_ai.control.ports.project_survey import ProjectSurvey
from supervisor_ai.definitions.detection.survey import survey_project

LAYOUTS: Final = Path(__file__).parents[3] / "fixtures" / "projects"
NAMES: Final = sorted(path.stem for path in LAYOUTS.glob("*.txt"))
_FILE: Final = re.compile(r"^-- (.+) --\n", re.MULTILINE)


def layout(name: str) -> dict[str, str]:
    """Return the files of a layout by their path."""
    _, *pieces = _FILE.split((LAYOUTS / f"{name}.txt").read_text())
    return dict(zip(pieces[::2], pieces[1::2], strict=True))


def lay_out(root: Path, files: Mapping[str, str]) -> list[str]:
    """Write the files below a directory; return their paths."""
    for path, text in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    return list(files)


def survey(root: Path, files: Mapping[str, str], *agents: str) -> ProjectSurvey:
    """Write the files and look at them, as if the agents were installed."""
    return survey_project(root, lay_out(root, files), agents.__contains__)
