"""The command line of a forge, played back from a recording."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures"


@dataclass(frozen=True, kw_only=True)
class RecordedGh:
    """A directory for the PATH with a program in it that knows one conversation."""

    directory: Path

    @property
    def calls(self) -> list[list[str]]:
        """Return the arguments of the calls so far."""
        return [call["argv"] for call in self._played()]

    def is_at_its_end(self) -> bool:
        """Tell whether everything was asked that was recorded, and nothing else."""
        recorded = json.loads((self.directory / "recording.json").read_text())["calls"]
        played = self._played()
        return len(played) == len(recorded) and all(call["expected"] for call in played)

    def _played(self) -> list[dict[str, list[str]]]:
        played = self.directory / "played.jsonl"
        return [json.loads(line) for line in played.read_text().splitlines()]


def install(directory: Path, recording: str, *, program: str = "gh", **values: str) -> RecordedGh:
    """Put a `gh` or `glab` into a new directory; values fill in what a recording leaves open."""
    directory.mkdir(parents=True)
    text = (FIXTURES / program / f"{recording}.json").read_text()
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", json.dumps(value)[1:-1])
    (directory / "recording.json").write_text(text)
    player = (FIXTURES / "gh" / "player.py").read_text()
    (directory / program).write_text(f"#!{sys.executable} -I\n{player}")
    (directory / program).chmod(0o755)
    return RecordedGh(directory=directory)
