#!/usr/bin/env python3
"""Draw docs/demo.svg and docs/demo-feature.svg from real runs of the demos.

Example: .venv/bin/python scripts/picture.py
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).parent.parent / "docs"
PICTURES = {
    "demo.svg": ("$ make demo", (), ""),
    "demo-feature.svg": (
        "$ supervisor demo feature",
        ("feature",),
        r"^ .*SHOP-PH\d-C\d (?!.*(looks at|interfaces:|on top of|is merged))|^[├└│]|^ {4}[├└]|^SHOP"
        r"|A small shop of|Two of|gate test failed|AssertionError|asks a person|says yes|stays in",
    ),
}
"""Each with what is typed, the words for the demo, and which lines are drawn."""
COLOURS = {
    r"\bfailed\b.*|AssertionError.*": "bold red",
    r"\bpassed\b|APPROVED|SUCCESS|COMPLETE|committed as.*|completed": "bold green",
    r"^ +[0-9.]+ s": "dim",
    r" (plan|implement|test|review|commit)\b|SHOP-PH\d(-C\d)?": "cyan",
    r"conflict.*": "yellow",
    r"│.*": "dim",
    r"^\$ .*": "bold",
}


def main() -> None:
    """Draw the pictures that are named, or all of them."""
    for name in sys.argv[1:] or PICTURES:
        draw(name)


def draw(name: str) -> None:
    """Run a demo in a directory of its own and draw what a person would read."""
    typed, words, drawn = PICTURES[name]
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            [Path(sys.executable).with_name("supervisor"), "demo", *words],
            env={**os.environ, "TMPDIR": directory},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=True,
        )
    console = Console(record=True, width=110, file=sys.stderr)
    here = f"{Path(sys.executable).parent}/"
    shown = done.stdout.replace(directory, "/tmp").replace(here, "")  # noqa: S108 - in a picture
    lines = [line for line in shown.splitlines() if re.search(drawn, line)]
    for line in [typed, *lines]:
        text = Text(line)
        for pattern, style in COLOURS.items():
            text.highlight_regex(pattern, style)
        console.print(text, overflow="ellipsis", no_wrap=True)
    picture = DOCS / name
    picture.write_text(console.export_svg(title="supervisor"))
    print(f"drew {picture}")


if __name__ == "__main__":
    main()
