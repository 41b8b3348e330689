"""Estimates against tokenizers, on the totals of repositories.

The texts are not here: what the estimator counts in them is, beside the tokens that an exact
tokenizer found: rs-bpe for o200k, and ctok, a reconstruction, for the two families of Claude.
"""

from typing import NamedTuple

import pytest

from supervisor_ai.context.tokens import CLAUDE, O200K, OLDER_CLAUDE, Estimator, Family, Measure


class Measured(NamedTuple):
    repository: str
    measure: Measure
    tokens: tuple[int, int, int]
    """By o200k, Claude up to 4.6, Claude from 4.7 on."""


TABLE = (
    Measured(
        "flask, Python",
        (27139, 10828, 467, 1012, 3339, 2094, 6832, 6312, 18856, 125, 896, 0, 9499, 1812, 0, 6073),
        (77347, 93509, 119268),
    ),
    Measured(
        "zod, TypeScript",
        (
            129005,
            109152,
            5763,
            55415,
            14535,
            17754,
            149085,
            98768,
            177263,
            7801,
            37175,
            56066,
            81029,
            11712,
            0,
            24790,
        ),
        (756875, 960516, 1219399),
    ),
    Measured(
        "django, Python",
        (
            348066,
            236237,
            7633,
            23243,
            43735,
            32257,
            112545,
            109459,
            355194,
            3037,
            27977,
            756,
            165118,
            53675,
            0,
            87184,
        ),
        (1243800, 1608379, 2028154),
    ),
    Measured(
        "gin, Go",
        (
            29227,
            23793,
            1811,
            16823,
            5863,
            14921,
            25567,
            17056,
            52773,
            2779,
            9502,
            116,
            24099,
            5635,
            10168,
            5818,
        ),
        (193547, 257386, 336528),
    ),
    Measured(
        "ripgrep, Rust",
        (
            123864,
            78156,
            3021,
            8697,
            19444,
            10164,
            79104,
            46525,
            122644,
            6529,
            10495,
            241,
            56386,
            5661,
            8,
            20917,
        ),
        (466247, 588467, 766411),
    ),
    Measured(
        "gson, Java",
        (
            103775,
            48392,
            3160,
            63039,
            29554,
            19517,
            52077,
            51967,
            90779,
            558,
            16629,
            26,
            56241,
            21155,
            0,
            25909,
        ),
        (462124, 601877, 825332),
    ),
)
FAMILIES = (O200K, OLDER_CLAUDE, CLAUDE)


@pytest.mark.parametrize("measured", TABLE, ids=lambda measured: measured.repository)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_the_total_of_a_repository_is_estimated_within_8_percent(
    measured: Measured, family: Family
) -> None:
    exact = measured.tokens[FAMILIES.index(family)]
    assert Estimator(family=family).raw(measured.measure) == pytest.approx(exact, rel=0.08)


@pytest.mark.parametrize("measured", TABLE, ids=lambda measured: measured.repository)
@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_with_its_reserve_an_estimate_is_never_too_small(
    measured: Measured, family: Family
) -> None:
    exact = measured.tokens[FAMILIES.index(family)]
    assert Estimator(family=family).tokens(measured.measure) >= exact
