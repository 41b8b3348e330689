import json
from contextlib import ExitStack
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.run.spending.prices import CostCap, Price
from supervisor_ai.domain.run.values import NO_USAGE, Usage
from supervisor_ai.sandboxes.egress.model_access.spend_budget import SpendBudget
from supervisor_ai.sandboxes.egress.model_access.token_meter import Meter
from supervisor_ai.sandboxes.egress.refusal import Refused

STREAM = "text/event-stream"
JSON = "application/json"


def events(*said: object) -> bytes:
    return b"".join(b"event: x\ndata: " + json.dumps(event).encode() + b"\n\n" for event in said)


ANTHROPIC = events(
    {
        "type": "message_start",
        "message": {
            "usage": {
                "input_tokens": 10,
                "cache_creation_input_tokens": 200,
                "cache_read_input_tokens": 3000,
                "output_tokens": 1,
            }
        },
    },
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a" * 40}},
    {"type": "message_delta", "delta": {"stop_reason": "x"}, "usage": {"output_tokens": 15}},
    {"type": "message_stop"},
)
CHAT = (
    events(
        {"choices": [{"delta": {"content": "hello"}}], "usage": None},
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 5}},
    )
    + b"data: [DONE]\n\n"
)
RESPONSES = events(
    {"type": "response.created", "response": {"usage": None}},
    {"type": "response.output_text.delta", "delta": "hello"},
    {"type": "response.output_text.done", "text": "hello"},
    {
        "type": "response.completed",
        "response": {
            "usage": {
                "input_tokens": 70,
                "input_tokens_details": {"cached_tokens": 60},
                "output_tokens": 50,
            }
        },
    },
)
GEMINI_PART = {
    "candidates": [{"content": {"parts": [{"text": "abcd"}]}}],
    "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 2, "totalTokenCount": 11},
}
GEMINI_LAST = {
    "candidates": [{"content": {"parts": [{"text": "e"}]}, "finishReason": "STOP"}],
    "usageMetadata": {
        "promptTokenCount": 9,
        "candidatesTokenCount": 6,
        "thoughtsTokenCount": 4,
        "cachedContentTokenCount": 3,
    },
}


def metered(body: bytes, kind: str, size: int = 1 << 20) -> Usage:
    meter = Meter(kind)
    for start in range(0, len(body), size):
        meter.read(body[start : start + size])
    meter.end()
    return meter.usage(request_bytes=400)


CASES = [
    (
        ANTHROPIC,
        STREAM,
        Usage(tokens_in=3210, tokens_out=15, cache_read=3000, cache_write=200),
    ),
    (CHAT, STREAM, Usage(tokens_in=7, tokens_out=5)),
    (RESPONSES, STREAM, Usage(tokens_in=70, tokens_out=50, cache_read=60)),
    (events(GEMINI_PART, GEMINI_LAST), STREAM, Usage(tokens_in=9, tokens_out=10, cache_read=3)),
    (
        json.dumps([GEMINI_PART, GEMINI_LAST]).encode(),
        JSON,
        Usage(tokens_in=9, tokens_out=10, cache_read=3),
    ),
    (
        json.dumps(
            {
                "usage": {
                    "prompt_tokens": 40,
                    "completion_tokens": 4,
                    "prompt_tokens_details": {"cached_tokens": 30, "cache_write_tokens": 5},
                }
            }
        ).encode(),
        JSON,
        Usage(tokens_in=40, tokens_out=4, cache_read=30, cache_write=5),
    ),
    (
        json.dumps({"content": "x", "usage": {"input_tokens": 3, "output_tokens": 4}}).encode(),
        "application/vnd.x+json",
        Usage(tokens_in=3, tokens_out=4),
    ),
]


@pytest.mark.parametrize(("body", "kind", "usage"), CASES)
@given(size=st.integers(1, 90))
def test_what_the_upstream_says_counts_wherever_the_pieces_break(
    body: bytes, kind: str, usage: Usage, size: int
) -> None:
    assert metered(body, kind, size) == usage


def test_lines_may_end_in_both_ways() -> None:
    assert metered(ANTHROPIC.replace(b"\n", b"\r\n"), STREAM) == metered(ANTHROPIC, STREAM)


def test_the_last_line_may_lack_its_end() -> None:
    assert metered(CHAT.partition(b"data: [DONE]")[0].rstrip(), STREAM).tokens_out == 5


def test_a_stream_that_breaks_off_is_estimated_by_its_words() -> None:
    begun = ANTHROPIC.partition(b'data: {"type": "message_delta"')[0]
    assert metered(begun, STREAM) == Usage(
        tokens_in=3210, tokens_out=10, estimated=True, cache_read=3000, cache_write=200
    )
    gemini = metered(events(GEMINI_PART), STREAM)
    assert gemini == Usage(tokens_in=9, tokens_out=2, estimated=True)


def test_a_stream_that_never_says_is_estimated_with_its_request() -> None:
    silent = events(
        {"choices": [{"delta": {"content": "x" * 80, "obfuscation": "y" * 999}}]},
        {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": "z" * 40}}]}}]},
    )
    assert metered(silent, STREAM) == Usage(tokens_in=100, tokens_out=30, estimated=True)


@pytest.mark.parametrize("kind", [JSON, "", "application/octet-stream"])
def test_a_body_that_says_nothing_is_estimated_by_its_size(kind: str) -> None:
    assert metered(b"x" * 40, kind) == Usage(tokens_in=100, tokens_out=10, estimated=True)


def test_words_of_the_model_that_look_like_a_report_do_not_count() -> None:
    fake = {"usage": {"input_tokens": 10**9}}
    said = {"content": [{"input": fake}], "usage": {"input_tokens": 1, "output_tokens": 2}}
    assert metered(json.dumps(said).encode(), JSON) == Usage(tokens_in=1, tokens_out=2)


@pytest.mark.parametrize("counts", [{"input_tokens": True}, {"input_tokens": "9"}, [], "x", None])
def test_counts_that_are_none_are_ignored(counts: object) -> None:
    assert metered(json.dumps({"usage": counts}).encode(), JSON).estimated


def test_a_negative_count_takes_nothing_back() -> None:
    said = json.dumps({"usage": {"input_tokens": -5, "output_tokens": 3}}).encode()
    assert metered(said, JSON) == Usage(tokens_in=0, tokens_out=3)


@pytest.mark.parametrize(
    ("counts", "parts"),
    [
        ({"input_tokens": 5, "input_tokens_details": {"cached_tokens": 50}}, (5, 5, 0)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": -1}}, (5, 0, 0)),
        ({"prompt_tokens": 5, "prompt_tokens_details": [{"cached_tokens": 3}]}, (5, 0, 0)),
        ({"prompt_tokens": 5, "prompt_tokens_details": "cached_tokens"}, (5, 0, 0)),
        (
            {
                "prompt_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 3, "cache_write_tokens": 9},
            },
            (5, 3, 2),
        ),
        ({"output_tokens": 1, "input_tokens_details": {"cached_tokens": 50}}, (0, 0, 0)),
    ],
)
def test_a_cache_never_had_more_than_went_in(counts: object, parts: tuple[int, int, int]) -> None:
    usage = metered(json.dumps({"usage": counts}).encode(), JSON)
    assert (usage.tokens_in, usage.cache_read, usage.cache_write) == parts


def test_who_goes_on_after_the_last_report_is_counted_on() -> None:
    more = events({"choices": [{"delta": {"content": "x" * 400}}]})
    assert metered(CHAT + more, STREAM) == Usage(tokens_in=7, tokens_out=105, estimated=True)


def test_what_is_too_large_to_hold_is_counted_by_its_size() -> None:
    large = b'{"text": "' + b"x" * (1 << 23) + b'"}'
    for kind, body in ((JSON, large), (STREAM, b"data: " + large)):
        usage = metered(body, kind, 1 << 16)
        assert usage.estimated
        assert usage.tokens_out >= (1 << 20)


def test_nesting_without_end_is_no_error() -> None:
    assert metered(b"[" * 100_000, JSON).estimated


@given(st.binary(max_size=200))
def test_noise_is_no_error(noise: bytes) -> None:
    for kind in (STREAM, JSON):
        assert metered(noise + b"\ndata:" + noise, kind, 7).estimated


class CutOff:
    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> None:
        self.times += 1


def spend(budget: SpendBudget, body: bytes, *, is_free: bool = False) -> None:
    with budget.exchange() as exchange:
        exchange.is_sent = True
        exchange.is_free = is_free
        exchange.meter = Meter(STREAM)
        exchange.meter.read(body)


def test_exchanges_add_up() -> None:
    budget = SpendBudget(None, CutOff())
    spend(budget, ANTHROPIC)
    spend(budget, CHAT)
    assert budget.usage == Usage(tokens_in=3217, tokens_out=20, cache_read=3000, cache_write=200)


def test_what_is_free_or_was_never_sent_costs_nothing() -> None:
    budget = SpendBudget(None, CutOff())
    spend(budget, ANTHROPIC, is_free=True)
    with budget.exchange() as exchange:
        exchange.request_bytes = 400
    assert budget.usage == NO_USAGE


def test_a_request_that_nobody_waited_for_costs_its_words() -> None:
    budget = SpendBudget(None, CutOff())
    with budget.exchange() as exchange:
        exchange.is_sent = True
        exchange.request_bytes = 400
        # Many at the same time must not all begin with the last token.
        assert budget.usage == Usage(tokens_in=100, estimated=True)
    assert budget.usage == Usage(tokens_in=100, estimated=True)


def listen(budget: SpendBudget, lines: list[bytes]) -> None:
    with budget.exchange() as exchange:
        exchange.is_sent = True
        exchange.meter = Meter(STREAM)
        for line in lines:
            exchange.meter.read(line)
            budget.check()


def test_a_running_answer_spends_the_budget_before_it_ends() -> None:
    cut_off = CutOff()
    budget = SpendBudget(3215, cut_off)
    with pytest.raises(Refused, match="budget-spent"):
        listen(budget, ANTHROPIC.splitlines(keepends=True)[:5])
    assert cut_off.times == 1
    assert budget.usage == Usage(
        tokens_in=3210, tokens_out=10, estimated=True, cache_read=3000, cache_write=200
    )


def test_after_the_end_of_the_budget_nothing_begins_and_the_end_is_told_once() -> None:
    cut_off = CutOff()
    budget = SpendBudget(3225, cut_off)
    with pytest.raises(Refused, match="budget-spent"):
        spend(budget, ANTHROPIC)
    for _ in range(2):
        with pytest.raises(Refused, match="budget-spent"):
            spend(budget, ANTHROPIC)
    assert cut_off.times == 1


def test_a_budget_that_is_not_spent_refuses_nothing() -> None:
    cut_off = CutOff()
    budget = SpendBudget(3226, cut_off)
    spend(budget, ANTHROPIC)
    budget.refuse_if_spent()
    assert cut_off.times == 0


DEAR = Price(
    input=Decimal(3), output=Decimal(15), cache_read=Decimal("0.3"), cache_write=Decimal("3.75")
)
# 10 fresh, 200 into a cache, 3000 from a cache, 15 out.
PRICE_OF_ANTHROPIC = Decimal("0.001905")


def capped(limit: Decimal, cut_off: CutOff) -> SpendBudget:
    return SpendBudget(None, cut_off, cost_cap=CostCap(limit=limit, price=DEAR))


def test_money_is_spent_when_its_last_part_is() -> None:
    cut_off = CutOff()
    spend(capped(PRICE_OF_ANTHROPIC + Decimal("0.000001"), cut_off), ANTHROPIC)
    assert cut_off.times == 0
    with pytest.raises(Refused, match="budget-spent"):
        spend(capped(PRICE_OF_ANTHROPIC, cut_off), ANTHROPIC)
    assert cut_off.times == 1


def test_tokens_and_money_hold_beside_each_other() -> None:
    cut_off = CutOff()
    cap = CostCap(limit=Decimal(1000), price=DEAR)
    with pytest.raises(Refused, match="budget-spent"):
        spend(SpendBudget(3225, cut_off, cost_cap=cap), ANTHROPIC)
    assert cut_off.times == 1


def test_no_money_at_all_lets_nothing_begin() -> None:
    cut_off = CutOff()
    with pytest.raises(Refused, match="budget-spent"):
        spend(capped(Decimal(0), cut_off), ANTHROPIC)
    assert cut_off.times == 1


WORD = events({"choices": [{"delta": {"content": "word"}}]})


@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=80),
    st.integers(1, 60).map(lambda tokens: tokens * DEAR.output / 1_000_000),
)
def test_answers_side_by_side_that_never_say_are_cut_off_at_the_word_that_is_too_dear(
    turns: list[int], limit: Decimal
) -> None:
    """Each word is one token at least: the first that reaches the limit is the last."""
    cut_off = CutOff()
    budget = capped(limit, cut_off)
    said = 0
    with ExitStack() as stack:
        running = [stack.enter_context(budget.exchange()) for _ in range(5)]
        for exchange in running:
            exchange.is_sent, exchange.meter = True, Meter(STREAM)
        for turn in turns:
            meter = running[turn].meter
            assert meter is not None
            meter.read(WORD)
            said += 1
            is_over = said * DEAR.output / 1_000_000 >= limit
            if not is_over:
                budget.check()
                continue
            with pytest.raises(Refused, match="budget-spent"):
                budget.check()
            break
        else:
            is_over = False
        assert cut_off.times == is_over
        assert budget.usage == Usage(tokens_out=said, estimated=True)
        if is_over:
            stack.pop_all()


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=8))
def test_what_was_spent_is_the_same_in_any_order_and_never_less(
    counts: list[tuple[int, int]],
) -> None:
    budgets = [SpendBudget(None, CutOff()), SpendBudget(None, CutOff())]
    costs = [Decimal(0)]
    for budget, order in zip(budgets, (counts, counts[::-1]), strict=True):
        for tokens_in, tokens_out in order:
            usage = {"input_tokens": tokens_in, "output_tokens": tokens_out}
            spend(budget, events({"usage": usage}))
            costs += [DEAR.of(budget.usage)] if budget is budgets[0] else []
    assert budgets[0].usage == budgets[1].usage
    assert costs == sorted(costs)
