#!/usr/bin/env python3
"""Take every YAML block, command and console session out of the seeds, each as it stands there.

Example: .venv/bin/python scripts/seed_blocks.py ../shared/seeds
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

FIXTURES = Path(__file__).parent.parent / "tests" / "fixtures" / "seeds"
COMMANDS = "commands.txt"
"""Beside it, `table.yaml` says what each block and command is to us; that is written by hand."""
_BLOCK = re.compile(r"^```yaml\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_AGENT = re.compile(r"\A(?P<text>---\n.*?^---\n)", re.MULTILINE | re.DOTALL)
_SESSION = re.compile(r"^```bash\n(?P<text>(?:#.*\n)?\$ supervisor (?:.|\n)*?)^```$", re.MULTILINE)
_COMMAND = re.compile(
    r"""(?:^\$ |`|f")(?P<text>supervisor [a-z-]+[^`"\n]*(?:"[^"\n]*")?)""", re.MULTILINE
)


def taken(directory: Path) -> dict[str, str]:
    """Return the fixtures by the name of their file, which says where each one stands."""
    found: dict[str, str] = {}
    commands: list[str] = []
    for seed in sorted(directory.glob("[0-9]*.txt")):
        number, text = seed.name[:3], seed.read_text(encoding="utf-8")
        found |= {f"{number}-{line:04}.yaml": block for line, block in _found(_BLOCK, text)}
        found |= {f"{number}-{line:04}.md": agent for line, agent in _found(_AGENT, text)}
        found |= {f"{number}-{line:04}.console": said for line, said in _found(_SESSION, text)}
        commands += [f"{number}-{line:04} {said}" for line, said in _found(_COMMAND, text)]
    return {**found, COMMANDS: "".join(f"{line}\n" for line in commands)}


def _found(pattern: re.Pattern[str], text: str) -> Iterator[tuple[int, str]]:
    for match in pattern.finditer(text):
        yield text.count("\n", 0, match.start("text")) + 1, match["text"]


def main(directory: str) -> int:
    """Write the fixtures anew."""
    FIXTURES.mkdir(parents=True, exist_ok=True)
    for old in (*FIXTURES.glob("[0-9]*"), FIXTURES / COMMANDS):
        old.unlink(missing_ok=True)
    for name, text in taken(Path(directory)).items():
        (FIXTURES / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
