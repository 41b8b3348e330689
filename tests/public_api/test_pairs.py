"""The reader of public APIs agrees with a person about successive releases of other people."""

from collections import Counter

import pytest
from tests.public_api.pairs import ReleasePair, load, missed_symbols, read

from supervisor_ai.gates.public_api.api_breaks import ApiReading

LEAST_AGREEMENT = 0.9
LEAST_NAMED = 0.9


def test_the_table_has_enough_of_every_kind() -> None:
    pairs = load()
    assert len({pair.title for pair in pairs}) == len(pairs) >= 30
    kinds = Counter((pair.registry, pair.is_breaking) for pair in pairs)
    assert min(kinds["npm", True], kinds["npm", False]) >= 5
    assert kinds["npm", True] + kinds["PyPI", True] >= 10
    assert all(bool(pair.symbols) is pair.is_breaking and pair.reason for pair in pairs)
    digests = [it for pair in pairs for it in (pair.before_sha256, pair.after_sha256)]
    assert all(len(digest) == 64 for digest in digests)
    assert len(set(digests)) == len(digests)


def said(found: ApiReading) -> bool | None:
    """Say what the fact would be."""
    if found.breaks:
        return True
    return None if found.unread else False


def told(pair: ReleasePair, found: ApiReading) -> str:
    agrees = said(found) is pair.is_breaking
    missed = ", ".join(missed_symbols(pair, found)) or "nothing"
    return (
        f"{'agrees' if agrees else 'DISAGREES'}: {pair.title}: a person says {pair.is_breaking}, "
        f"the reader {said(found)} with {len(found.breaks)} breaks; not named: {missed}"
    )


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_reader_agrees_with_a_person_and_misses_no_break() -> None:
    results = [(pair, read(pair)) for pair in load()]
    agreeing = [pair for pair, found in results if said(found) is pair.is_breaking]
    named = sum(len(pair.symbols) for pair, _ in results)
    missed = sum(len(missed_symbols(pair, found)) for pair, found in results)
    lines = [told(pair, found) for pair, found in results]
    print("\n".join(lines))  # noqa: T201 - the measure is what this test is for
    print(f"{len(agreeing)} of {len(results)} pairs, {named - missed} of {named} symbols")  # noqa: T201
    overlooked = [pair.title for pair, it in results if pair.is_breaking and said(it) is False]
    assert overlooked == []
    assert len(agreeing) >= LEAST_AGREEMENT * len(results), "\n".join(lines)
    assert named - missed >= LEAST_NAMED * named, "\n".join(lines)
