"""The parts of an API worker that need no service."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.spending.model_services import SERVICES
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import Channel
from supervisor_ai.engine.ports.workers import Observation, WorkerSaid
from supervisor_ai.tools.json_value import JsonObject
from supervisor_ai.workers.api.dialect import most_tokens
from supervisor_ai.workers.api.dialects import DIALECTS
from supervisor_ai.workers.api.failures import interrupted, plain, refused
from supervisor_ai.workers.api.model import Model, pinned_models
from supervisor_ai.workers.api.model_request import in_block
from supervisor_ai.workers.api.records import Garbage, read_events, read_lines
from supervisor_ai.workers.api.reply import ModelQuestion, ModelReply
from supervisor_ai.workers.api.response_stream import ResponseStream
from supervisor_ai.workers.api.worker import find_schema

MODEL = Model(name="m", provider="ollama", model="x")
Read = Callable[[AsyncIterator[bytes]], AsyncIterator[JsonObject]]


async def _pieces(text: bytes, size: int) -> AsyncIterator[bytes]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


def records(read: Read, text: bytes, size: int) -> list[JsonObject]:
    async def collect() -> list[JsonObject]:
        return [record async for record in read(_pieces(text, size))]

    return asyncio.run(collect())


STREAM = '\r\n: c\r\nevent: a\r\ndata: {"a": "✓"}\r\n\r\ndata:{"b":\ndata: 2}\n\nid: 1\n\n'.encode()


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("end", [b"", b"data: [DONE]", b'data: [DONE]\n\ndata: {"c": 3}\n\n'])
def test_events_are_read_however_they_are_cut(size: int, end: bytes) -> None:
    assert records(read_events, STREAM + end, size) == [{"a": "✓"}, {"b": 2}]


def test_a_last_event_needs_no_blank_line() -> None:
    assert records(read_events, b'data: {"a": 1}', 5) == [{"a": 1}]


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_lines_are_read_however_they_are_cut(size: int) -> None:
    assert records(read_lines, b'{"a": 1}\n\n{"b": 2}\r\n{"c": 3}', size) == [
        {"a": 1},
        {"b": 2},
        {"c": 3},
    ]


@pytest.mark.parametrize("text", [b"x", b"[1]", b"{", b"[" * 50_000, b"1" * 5_000, b"\xff"])
def test_garbage_is_called_so(text: bytes) -> None:
    with pytest.raises(Garbage):
        records(read_lines, text, 4096)


@pytest.mark.parametrize("text", ['{"a": 1}', ' \n{"a":\n"```json"}\n'])
def test_an_object_is_put_into_a_block(text: str) -> None:
    assert in_block(text) == f"```json\n{text.strip()}\n```\n"


@pytest.mark.parametrize("text", ["", "prose", "[1]", '```json\n{"a": 1}\n```', '{"a": "\n"}'])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert in_block(text) == text


def test_the_last_schema_of_a_prompt_is_ours() -> None:
    ours = 'Answer.\n\n```schema\n{"type": "object"}\n```\n'
    assert find_schema(ours) == {"type": "object"}
    assert find_schema(f'Quoted:\n```schema\n{{"type": "x"}}\n```\n{ours}') == {"type": "object"}


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "no schema",
        "```schema\n{}\n```",
        "a\n```schema\n{\n```\n",
        "a\n```schema\n[]\n```\n",
        "a\n```schema\n{}",
    ],
)
def test_a_prompt_without_a_schema(prompt: str) -> None:
    assert find_schema(prompt) is None


class Heard:
    """What an ear passes on."""

    def __init__(self, key: str | None) -> None:
        self.printed: list[str] = []
        self.seen: list[Observation] = []
        self.ear = ResponseStream(
            key=key, most_bytes=10_000, on_output=self._print, on_observation=self.seen.append
        )

    def _print(self, channel: Channel, chunk: bytes) -> None:
        assert channel is Channel.STDOUT
        self.printed.append(chunk.decode())

    def hear(self, *pieces: str) -> "Heard":
        reply = ModelReply()
        for piece in pieces:
            reply.say(piece)
            self.ear.listen(reply, "m")
        self.ear.end()
        return self

    @property
    def said(self) -> list[str]:
        return [seen.text for seen in self.seen if isinstance(seen, WorkerSaid)]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 100])
def test_a_key_is_hidden_however_it_is_cut(size: int) -> None:
    text = "a key-12345678 b kekey-12345678key-12345678 key- key"
    heard = Heard("key-12345678").hear(*(text[at : at + size] for at in range(0, len(text), size)))
    hidden = "a [key] b ke[key][key] key- key"
    assert "".join(heard.printed) == "".join(heard.said) == heard.ear.text == hidden


def test_a_word_in_the_place_of_a_key_is_no_secret() -> None:
    heard = Heard("none").hear("There is none.")
    assert "".join(heard.printed) == heard.ear.text == "There is none."


def test_words_are_told_in_pieces_that_can_be_read() -> None:
    heard = Heard(None).hear("One ", "line.\n", "An", "other", "x" * 600, " end", "\n \n")
    assert heard.printed == ["One ", "line.\n", "An", "other", "x" * 600, " end", "\n \n"]
    assert heard.said == ["One line.\n", f"Another{'x' * 600}", " end\n \n"]


def test_the_attempts_budget_bounds_a_models_own() -> None:
    question = ModelQuestion(system="", prompt="")
    assert most_tokens(MODEL, question) is None
    assert most_tokens(MODEL, question, 5) == 5
    assert most_tokens(replace(MODEL, max_tokens=9), question, 5) == 9
    assert most_tokens(replace(MODEL, max_tokens=9), replace(question, most_tokens=4)) == 4


def test_openai_itself_has_another_word_for_the_length() -> None:
    dialect, question = DIALECTS["openai_compatible"], ModelQuestion(system="", prompt="")
    own = replace(MODEL, provider="openai_compatible", max_tokens=9)
    assert dialect.body(own, question)["max_completion_tokens"] == 9
    other = replace(own, base_url="https://api.example.com/v1")
    assert dialect.body(other, question)["max_tokens"] == 9


def test_every_provider_has_a_dialect_and_a_place() -> None:
    assert DIALECTS.keys() == SERVICES.keys()


def test_a_chain_is_pinned_in_the_cli() -> None:
    cli = Cli(name="c", adapter="api", script='[{"name":"m","provider":"ollama","model":"x"}]')
    assert pinned_models(cli) == (MODEL,)


def test_errors_of_strange_form_are_described_all_the_same() -> None:
    assert refused(429, b"\xff\x00", None).category is FailureCategory.LIMIT
    assert refused(418, b'{"error": {"code": ["x"], "type": 5}}', None).message == "HTTP 418"
    assert refused(400, b"", None).action is Action.ESCALATE
    assert interrupted({}).category is FailureCategory.NETWORK
    assert interrupted({"error": {"type": "billing_error"}}).action is Action.FAIL_OVER
    assert interrupted({"error": {"code": True}}).category is FailureCategory.NETWORK


def test_foreign_words_become_one_printable_line() -> None:
    assert plain("a\x1b[1m\n\tb\u202e") == "a [1m b"
    assert len(plain("x" * 10_000)) == 300
