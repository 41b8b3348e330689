from decimal import Decimal

import pytest

from supervisor_ai.domain.run.spending.token_counts import NO_COUNTS, read_counts
from supervisor_ai.domain.run.values import Usage


@pytest.mark.parametrize(
    ("said", "usage"),
    [
        (
            {
                "input_tokens": 5,
                "cache_creation_input_tokens": 9,
                "cache_read_input_tokens": 6,
                "output_tokens": 7,
            },
            Usage(tokens_in=20, tokens_out=7, cache_read=6, cache_write=9),
        ),
        (
            {
                "prompt_tokens": 11,
                "completion_tokens": 7,
                "prompt_tokens_details": {"cached_tokens": 6, "cache_write_tokens": 3},
            },
            Usage(tokens_in=11, tokens_out=7, cache_read=6, cache_write=3),
        ),
        (
            {
                "promptTokenCount": 10,
                "toolUsePromptTokenCount": 1,
                "candidatesTokenCount": 4,
                "thoughtsTokenCount": 3,
                "cachedContentTokenCount": 2,
            },
            Usage(tokens_in=11, tokens_out=7, cache_read=2),
        ),
        ({"prompt_eval_count": 11, "eval_count": 7}, Usage(tokens_in=11, tokens_out=7)),
        (
            {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 99}},
            Usage(tokens_in=5, cache_read=5),
        ),
    ],
)
def test_every_interface_is_understood(said: object, usage: Usage) -> None:
    assert read_counts(said).usage() == usage


@pytest.mark.parametrize(
    "said",
    [
        None,
        [],
        "input_tokens",
        {"input_tokens": -1, "output_tokens": True},
        {"input_tokens": 10**13, "output_tokens": 1.5},
        {"input_tokens": "5", "prompt_tokens_details": [6]},
    ],
)
def test_what_is_no_plausible_number_was_not_said(said: object) -> None:
    assert read_counts(said) == NO_COUNTS
    assert read_counts(said).usage(Decimal(1)) == Usage(cost=Decimal(1))


def test_counts_grow_while_an_answer_streams() -> None:
    first = read_counts({"input_tokens": 5, "output_tokens": 1})
    later = read_counts({"output_tokens": 7})
    for joined in (first.joined(later), later.joined(first)):
        assert joined.usage() == Usage(tokens_in=5, tokens_out=7)
