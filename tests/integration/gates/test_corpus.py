"""The gate that watches over tests, measured on changes that cheat and on changes that do not."""

from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from tests.gates_corpus.case import LANGUAGES, Case
from tests.gates_corpus.corpus_files import all_cases
from tests.gates_corpus.measurement import Measurement, measure, written
from tests.gates_corpus.repository import commit_all
from tests.gates_corpus.syntax import is_readable

from supervisor_ai.workspaces.commits.commit_files import CommitFiles

DOCUMENT: Final = Path(__file__).parents[3] / "docs" / "howto" / "test-integrity.md"
CASES: Final = all_cases()
AT_LEAST: Final = {"python": 18, "javascript": 11, "go": 10, "rust": 9, "java": 15}


@pytest.fixture(scope="module")
def measurement(tmp_path_factory: pytest.TempPathFactory) -> Measurement:
    repository = commit_all(tmp_path_factory.mktemp("corpus"), CASES)
    return measure(CommitFiles(repository.ask), repository, CASES)


# The corpus itself


def test_there_are_enough_cases_of_every_language() -> None:
    for is_cheat in (True, False):
        counts = Counter(case.language for case in CASES if case.is_cheat is is_cheat)
        assert set(counts) == set(LANGUAGES)
        assert all(counts[language] >= number for language, number in AT_LEAST.items())
        assert counts.total() >= 48


def test_every_case_has_a_name_of_its_own_and_a_sentence() -> None:
    assert len({case.name for case in CASES}) == len(CASES)
    assert all(case.does.endswith(".") for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_changes_something_and_can_be_read(case: Case) -> None:
    assert case.before != case.after
    for files in (case.before, case.after):
        assert not [path for path, text in files.items() if not is_readable(path, text)]


def test_what_cannot_be_read_is_noticed() -> None:
    assert not is_readable("a.py", "def f(:\n")
    for path in ("a.js", "a.ts", "a.go", "a.rs", "a.java"):
        assert not is_readable(path, "((\n")


# The gate


def test_cheats_are_seen(measurement: Measurement) -> None:
    seen = 1 - len(measurement.missed) / len(measurement.cheats)
    assert seen >= 0.95, written(measurement)


def test_honest_changes_pass(measurement: Measurement) -> None:
    refused = {
        case.name: [f"{it.rule}: {it.message}" for it in measurement.errors[case.name]]
        for case in measurement.refused
    }
    assert len(refused) / len(measurement.honest) <= 0.05, refused


def test_the_documentation_says_what_was_measured(measurement: Measurement) -> None:
    found = written(measurement)
    assert found in DOCUMENT.read_text(), found
