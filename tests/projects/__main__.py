"""Try the named projects, or all of them, and write what came of it into the docs.

python -m tests.projects [--record] [NAME...]
"""

import sys
import tempfile
from pathlib import Path

import msgspec
from tests.projects.outcomes import record, recorded
from tests.projects.page import PAGE, page
from tests.projects.table import load
from tests.projects.workshop import tried


def main(*words: str) -> None:
    """Print each outcome, and record it, when it is known: who is cut off loses one of them."""
    table, names = load(), {word for word in words if not word.startswith("--")}
    wanted = [it for it in table if not names or it.name in names]
    with tempfile.TemporaryDirectory(prefix="projects-") as place:
        for outcome in tried(wanted, Path(place)):
            sys.stdout.write(msgspec.json.encode(outcome).decode() + "\n")
            sys.stdout.flush()
            if "--record" in words:
                record([outcome], [it.name for it in table])
                PAGE.write_text(page(table, recorded()), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
