"""The page that lists the attempts says what the code does."""

from pathlib import Path

from tests.attacks.table import ATTEMPTS, NOT_COVERED, page


def test_the_page_and_the_code_agree() -> None:
    found = Path(__file__).with_name("README.md").read_text(encoding="utf-8")
    assert found == page(), "run `python -m tests.attacks.table > tests/attacks/README.md`"


def test_there_are_at_least_sixty_different_attempts() -> None:
    assert len({attempt.what for attempt in ATTEMPTS.values()}) == len(ATTEMPTS) >= 60


def test_every_row_of_the_attack_list_has_an_attempt_or_a_reason() -> None:
    rows = {row for attempt in ATTEMPTS.values() for row in attempt.fact.split(", ")}
    assert {str(row) for row in range(1, 56)} - rows == NOT_COVERED.keys()


def test_every_attempt_has_a_protection_that_can_be_taken_away() -> None:
    assert all(attempt.layers for attempt in ATTEMPTS.values())
