"""What an attempt may pay for its models, in mid-answer too."""

import json
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal

import pytest
from tests.integration.workers.api.attempt import Attempt, model
from tests.integration.workers.api.service import (
    LONG,
    Answering,
    Attendant,
    Service,
    begin_and_stall,
    events,
    whole,
)

from supervisor_ai.domain.run.spending.prices import CostCap, Price
from supervisor_ai.domain.run.status import FailureCategory as Category
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.engine.ports.sandbox import SandboxEnd
from supervisor_ai.engine.ports.workers import WorkerReport

PRICE = Price(input=Decimal(1), output=Decimal(1000), cache_read=Decimal(0), cache_write=Decimal(1))
LIMIT = Decimal(2)
WORD = "Once upon a time there was. "
BOUGHT = 1999
"""How many tokens of an answer the money buys, for a short question."""


def cap(limit: Decimal = LIMIT) -> CostCap:
    return CostCap(limit=limit, price=PRICE)


def endless(*records: object) -> Answering:
    """Say the same for ever, until nobody listens."""

    def answer(attendant: Attendant) -> None:
        attendant.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        words = b"".join(b"data: %b\n\n" % json.dumps(record).encode() for record in records)
        with suppress(ConnectionError):
            while True:
                attendant.wfile.write(words)
        attendant.service.left.set()

    return answer


def chat(**delta: str) -> dict[str, object]:
    return {"choices": [{"delta": delta}]}


def block(**delta: str) -> dict[str, object]:
    return {"type": "content_block_delta", "delta": delta}


def ask(service: Service, provider: str = "openai_compatible", **more: object) -> WorkerReport:
    return Attempt([model("m", service.url, provider, **more)], cost_cap=cap()).run()


@pytest.mark.parametrize(
    ("provider", "record"),
    [
        ("openai_compatible", chat(content=WORD)),
        ("openrouter", chat(reasoning=WORD)),
        ("openai_compatible", chat(reasoning_content=WORD)),
        ("anthropic", block(text=WORD)),
        ("anthropic", block(partial_json=WORD)),
        ("anthropic", block(thinking=WORD)),
    ],
)
def test_a_model_that_never_ends_is_cut_off_by_money(
    provider: str, record: dict[str, object]
) -> None:
    with Service(endless(record)) as service, Service(endless(record)) as other:
        models = [model("m", service.url, provider), model("n", other.url, provider)]
        report = Attempt(models, cost_cap=cap()).run()
        assert service.left.wait(LONG)
    assert (report.result.end, report.result.exit_code) == (SandboxEnd.CUT_OFF, None)
    assert report.diagnosis is not None
    assert report.diagnosis.category is Category.RESOURCE
    assert "of the $2 that were reserved for it are spent." in report.result.reason
    assert report.usage.estimated
    assert LIMIT <= PRICE.of(report.usage) <= LIMIT + PRICE.of(Usage(tokens_out=len(WORD)))
    assert other.asked == []


def test_a_reported_count_ends_an_answer_as_well() -> None:
    start = {"type": "message_start", "message": {"usage": {"input_tokens": 3_000_000}}}
    with Service(endless(start, block(text="x"))) as service:
        report = ask(service, "anthropic")
    assert report.result.end is SandboxEnd.CUT_OFF
    assert report.usage.tokens_in == 3_000_000


def test_a_price_that_the_service_names_itself_counts_too() -> None:
    dear = {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "cost": 2.5}}
    with Service(endless(dear)) as service:
        report = ask(service, "openrouter")
    assert report.result.end is SandboxEnd.CUT_OFF
    assert "$2.5 of the $2" in report.result.reason


def test_an_answer_that_is_whole_is_kept_whatever_it_cost() -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 9000}
    last = {"choices": [{"delta": {"content": "{}"}, "finish_reason": "stop"}]}
    with Service(events(last, {"choices": [], "usage": usage})) as service:
        report = ask(service)
    assert report.result.end is SandboxEnd.EXITED
    assert report.usage == Usage(tokens_in=10, tokens_out=9000)


def test_what_the_skipped_cost_is_missing_to_the_next() -> None:
    fault = {"error": {"type": "server_error", "message": "no"}}
    usage = {"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 1998}}
    with Service(events(usage, fault)) as service, Service(endless(chat(content=WORD))) as other:
        models = [model("m", service.url), model("n", other.url)]
        report = Attempt(models, cost_cap=cap()).run()
    assert report.result.end is SandboxEnd.CUT_OFF
    assert len(other.asked) == 1
    assert 1998 < report.usage.tokens_out <= 1998 + 2 * len(WORD)


def test_who_has_spent_everything_asks_nobody() -> None:
    fault = {"error": {"type": "server_error", "message": "no"}}
    usage = {"choices": [{"finish_reason": "stop"}], "usage": {"completion_tokens": 5000}}
    with Service(events(usage, fault)) as service, Service(events(fault)) as other:
        models = [model("m", service.url), model("n", other.url)]
        report = Attempt(models, cost_cap=cap()).run()
    assert report.result.end is SandboxEnd.CUT_OFF
    assert other.asked == []


def test_an_answer_in_one_piece_is_asked_to_be_no_longer_than_the_money() -> None:
    done = whole({"choices": [{"message": {"content": "{}"}, "finish_reason": "stop"}]})
    with Service(done) as service:
        ask(service, stream=False)
        ask(service, stream=False, max_tokens=7)
        ask(service)
        poor = [model("m", service.url, stream=False)]
        Attempt(poor, cost_cap=cap(Decimal("0.000001"))).run()
        free = CostCap(
            limit=LIMIT,
            price=Price(
                input=PRICE.input,
                **dict.fromkeys(("output", "cache_read", "cache_write"), Decimal(0)),
            ),
        )
        Attempt(poor, cost_cap=free, tokens=40).run()
    asked = [each.body.get("max_tokens") for each in service.asked]
    assert asked == [BOUGHT, 7, None, 1, 40]


def test_an_attempt_that_ran_out_of_time_has_cost_something() -> None:
    with Service(begin_and_stall(chat(content=WORD * 10))) as service:
        models = [model("m", service.url)]
        report = Attempt(models, timeout=timedelta(seconds=2), cost_cap=cap()).run()
    assert report.result.end is SandboxEnd.TIMED_OUT
    assert report.usage.tokens_out == len(WORD * 10) // 4
    assert report.usage.estimated
