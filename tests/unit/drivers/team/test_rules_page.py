"""The page of rules names tests and places that there are, and every numbered rule of the seed."""

import re
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[4]
PAGE: Final = (ROOT / "docs/reference/team-rules.md").read_text(encoding="utf-8")
ROWS: Final = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| ")][1:]
TEST: Final = re.compile(r"`([\w/]+\.py)::(test_\w+)`")
PLACE: Final = re.compile(r"`([\w/]+\.py)`")


@pytest.mark.parametrize(("file", "test"), sorted(set(TEST.findall(PAGE))))
def test_a_test_that_holds_a_rule_is_there(file: str, test: str) -> None:
    text = (ROOT / "tests" / file).read_text(encoding="utf-8")
    assert re.search(rf"^(async )?def {test}\(", text, re.MULTILINE)


@pytest.mark.parametrize("place", sorted({it for row in ROWS for it in PLACE.findall(row[1])}))
def test_the_place_of_a_rule_is_there(place: str) -> None:
    assert (ROOT / "src/supervisor_ai/drivers/team" / place).is_file()


def test_every_rule_names_a_test() -> None:
    assert [row[0] for row in ROWS if not TEST.search(row[-1])] == []


@pytest.mark.parametrize("number", range(1, 12))
def test_every_numbered_rule_of_the_seed_has_its_row(number: int) -> None:
    assert f"Hand-off {number}:" in PAGE
    steps = re.findall(r"Reconcile ([\d, -]+):", PAGE)
    covered = {
        at
        for step in steps
        for one, _, two in (part.partition("-") for part in step.split(", "))
        for at in range(int(one), int(two or one) + 1)
    }
    assert number in covered
