#!/usr/bin/env python3
"""Draw docs/demo.svg from a real run of the demo.

Example: .venv/bin/python scripts/picture.py
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

PICTURE = Path(__file__).parent.parent / "docs" / "demo.svg"
COLOURS = {
    r"\bfailed\b.*|AssertionError.*": "bold red",
    r"\bpassed\b|APPROVED|SUCCESS|COMPLETE|committed as.*|completed": "bold green",
    r"^ +[0-9.]+ s": "dim",
    r" (plan|implement|test|review|commit)\b": "cyan",
    r"│.*": "dim",
    r"^\$ .*": "bold",
}


def main() -> None:
    """Run the demo in a directory of its own and draw what a person would read."""
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            [Path(sys.executable).with_name("supervisor"), "demo"],
            env={**os.environ, "TMPDIR": directory},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
    console = Console(record=True, width=110, file=sys.stderr)
    here = f"{Path(sys.executable).parent}/"
    shown = done.stdout.replace(directory, "/tmp").replace(here, "")  # noqa: S108 - in a picture
    for line in ["$ make demo", *shown.splitlines()]:
        text = Text(line)
        for pattern, style in COLOURS.items():
            text.highlight_regex(pattern, style)
        console.print(text, overflow="ellipsis", no_wrap=True)
    PICTURE.write_text(console.export_svg(title="supervisor"))
    print(f"drew {PICTURE}")


if __name__ == "__main__":
    main()
