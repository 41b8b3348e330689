"""Graceful degradation: less is asked for, and the result says so."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.run.failures.degradation import (
    INSTRUCTIONS,
    LEVELS,
    Level,
    is_degraded,
    next_level,
    worst,
)

levels = st.sampled_from(Level)


def test_from_all_of_it_to_a_stub() -> None:
    assert next_level(Level.PRIMARY, LEVELS) is Level.SIMPLIFIED
    assert next_level(Level.SIMPLIFIED, LEVELS) is Level.MINIMAL
    assert next_level(Level.MINIMAL, LEVELS) is None


def test_only_what_is_allowed() -> None:
    assert next_level(Level.PRIMARY, ()) is None
    assert next_level(Level.PRIMARY, {Level.MINIMAL}) is Level.MINIMAL
    assert next_level(Level.SIMPLIFIED, {Level.PRIMARY, Level.SIMPLIFIED}) is None


def test_what_a_worker_is_told() -> None:
    assert INSTRUCTIONS[Level.PRIMARY] == ""
    assert INSTRUCTIONS[Level.SIMPLIFIED].startswith("Implement ONLY the core functionality.")
    assert INSTRUCTIONS[Level.MINIMAL].startswith("Create stub implementations")


@pytest.mark.parametrize(
    ("parts", "whole"),
    [
        ((), Level.PRIMARY),
        ((Level.PRIMARY, Level.PRIMARY), Level.PRIMARY),
        ((Level.PRIMARY, Level.SIMPLIFIED), Level.SIMPLIFIED),
        ((Level.MINIMAL, Level.SIMPLIFIED), Level.MINIMAL),
    ],
)
def test_a_whole_is_as_good_as_its_worst_part(parts: tuple[Level, ...], whole: Level) -> None:
    assert worst(parts) is whole
    assert is_degraded(parts) is (whole is not Level.PRIMARY)


@given(levels, st.sets(levels))
def test_the_next_level_is_always_simpler(level: Level, allowed: set[Level]) -> None:
    found = next_level(level, allowed)
    if found is not None:
        assert found in allowed
        assert LEVELS.index(found) > LEVELS.index(level)


@given(st.sets(levels))
def test_it_comes_to_an_end(allowed: set[Level]) -> None:
    tried, level = 0, next_level(Level.PRIMARY, allowed)
    while level is not None:
        tried, level = tried + 1, next_level(level, allowed)
    assert tried == len(allowed - {Level.PRIMARY})
