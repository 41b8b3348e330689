"""Cheats are seen and honest changes pass, in a corpus by somebody who did not know the gates."""

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from tests.evidence.corpus import HERE, LANGUAGES, Bench, Seen, load

MOST_MISSED = 0.02
MOST_REFUSED = 0.03


def frozen() -> Iterator[tuple[str, str]]:
    for line in (HERE / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split()
        yield name, digest


@pytest.mark.parametrize(("name", "digest"), [*frozen()])
def test_the_corpus_is_as_it_was_written(name: str, digest: str) -> None:
    assert sha256((HERE / name).read_bytes()).hexdigest() == digest


def test_there_are_enough_cases_in_each_language() -> None:
    for language in LANGUAGES:
        _, cases = load(language)
        kinds = [case["kind"] for case in cases]
        assert kinds.count("cheat") >= 25, language
        assert kinds.count("honest") >= 20, language


@pytest.mark.long
def test_the_gates_are_right_about_nearly_all_of_them(tmp_path: Path) -> None:
    seen = [it for language in LANGUAGES for it in look_at(language, tmp_path)]
    for kind, most in (("cheat", MOST_MISSED), ("honest", MOST_REFUSED)):
        of_kind = [it for it in seen if it.case["kind"] == kind and "marked" not in it.case]
        wrong = [it.case["id"] for it in of_kind if not it.is_right]
        assert len(wrong) <= most * len(of_kind), (kind, wrong)


def look_at(language: str, place: Path) -> list[Seen]:
    projects, cases = load(language)
    bench = Bench(place / language, projects)
    seen = [bench.look(case) for case in cases]
    bench.stop()
    return seen
