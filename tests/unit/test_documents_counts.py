"""No document counts what the code can count better: such a number is wrong soon."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
    if path.name not in {"CHANGELOG.md", "benchmarks.md"}
    and path.parent.name not in {"adr", "reference"}
)
COUNTED = re.compile(
    r"\b([1-9]\d*|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|hundred) "
    r"(kinds|rules|verbs|templates|gates|workflows|packs|events|adapters|dialects|runners|"
    r"detectors|patterns)\b"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_nothing_is_counted_by_hand(page: Path) -> None:
    assert [found.group() for found in COUNTED.finditer(page.read_text())] == []


def test_such_a_number_would_be_found() -> None:
    assert COUNTED.search("keys of some 120 kinds that providers publish")
