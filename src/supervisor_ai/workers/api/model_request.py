"""Asks one model one question, once."""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from http import HTTPStatus
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.run.failures.diagnosis import Action
from supervisor_ai.domain.run.failures.reset_headers import find_reset
from supervisor_ai.domain.run.status import FailureCategory
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.sandbox import SandboxEnd
from supervisor_ai.engine.ports.workers import WorkerRetried
from supervisor_ai.tools.json_value import json_line
from supervisor_ai.workers.api.dialects import DIALECTS
from supervisor_ai.workers.api.exchange import (
    HttpAnswer,
    HttpCall,
    Insecure,
    NothingCame,
    NotHttp,
    TooMuch,
    exchange,
)
from supervisor_ai.workers.api.failures import (
    Failure,
    failure,
    interrupted,
    plain,
    refused,
    stopped,
)
from supervisor_ai.workers.api.model import Model
from supervisor_ai.workers.api.records import (
    WIRE_BYTES,
    Garbage,
    read_object,
    read_start,
    read_whole,
)
from supervisor_ai.workers.api.reply import ModelQuestion, ModelReply, Stop
from supervisor_ai.workers.api.response_stream import ResponseStream, cover
from supervisor_ai.workers.api.spend_cap import SpendCap, Spent

_ERROR_BYTES: Final = 1 << 16
_ONE_DOCUMENT: Final = "application/json"


class Said(Struct, frozen=True, kw_only=True):
    """What a model answered."""

    text: str
    usage: Usage
    session: str | None
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to one model, and everything that asking takes."""

    model: Model
    question: ModelQuestion
    key: str | None = field(repr=False)
    tls: ssl.SSLContext
    ear: ResponseStream
    purse: SpendCap
    now: Callable[[], datetime]
    on_retry: Callable[[WorkerRetried], None]


async def ask(asking: ModelRequest) -> Said | Failure:
    """Ask; every way in which a service can fail comes back as a value."""
    reply = ModelReply()
    try:
        async with asyncio.timeout(asking.model.timeout):
            outcome = await _within_bounds(asking, reply)
    except TimeoutError:
        outcome = _network("It did not answer in time.")
    except ssl.SSLCertVerificationError as error:
        outcome = _network(f"Its certificate cannot be trusted: {plain(error.verify_message)}.")
    except NothingCame:
        outcome = _network("It closed the connection without a word, twice.")
    except asyncio.IncompleteReadError:
        outcome = _network("Its answer was cut off.")
    except OSError as error:
        outcome = _network(f"It cannot be reached: {plain(error.strerror or str(error))}.")
    except (NotHttp, Garbage) as error:
        # No words to the model would mend its service.
        outcome = failure(FailureCategory.PARSING, str(error), Action.RETRY_SAME)
    except Insecure as error:
        outcome = failure(FailureCategory.CLI_ERROR, str(error), Action.ESCALATE)
    asking.ear.end()
    if isinstance(outcome, Said):
        return outcome
    hide = cover(asking.key)
    return replace(outcome, message=hide(outcome.message), usage=reply.spent)


async def _within_bounds(asking: ModelRequest, reply: ModelReply) -> Said | Failure:
    """Ask, and stop an answer that becomes too long or too dear; whatever comes of it is paid."""
    try:
        asking.purse.check()
        return await _with_one_reconnect(asking, reply)
    except TooMuch as error:
        return stopped(SandboxEnd.OUTPUT_CAPPED, str(error))
    except Spent as error:
        return stopped(SandboxEnd.CUT_OFF, str(error))
    finally:
        asking.purse.pay(reply.spent)


async def _with_one_reconnect(asking: ModelRequest, reply: ModelReply) -> Said | Failure:
    try:
        return await _exchange(asking, reply)
    except NothingCame:
        reason = "The connection was closed before the first byte of an answer."
        asking.on_retry(WorkerRetried(attempt=1, reason=reason))
        return await _exchange(asking, reply)


async def _exchange(asking: ModelRequest, reply: ModelReply) -> Said | Failure:
    call = _call(asking)
    async with exchange(call, asking.tls) as answer:
        if answer.status != HTTPStatus.OK:
            body = await read_start(answer.body, _ERROR_BYTES)
            reset_at = find_reset(answer.headers, asking.now())
            return refused(answer.status, body, reset_at)
        reply.asked_bytes = len(call.body)
        await _read(asking, answer, reply)
    return _judge(asking, reply)


def _call(asking: ModelRequest) -> HttpCall:
    model = asking.model
    dialect = DIALECTS[model.provider]
    headers: Mapping[str, str] = {} if asking.key is None else dialect.headers(asking.key)
    return HttpCall(
        url=f"{model.url.rstrip('/')}{dialect.path}",
        body=json_line(dialect.body(model, asking.question)).encode(errors="replace"),
        headers=headers,
        is_plain_allowed=model.plain_http,
    )


async def _read(asking: ModelRequest, answer: HttpAnswer, reply: ModelReply) -> None:
    dialect, model = DIALECTS[asking.model.provider], asking.model.model
    kind = answer.headers.get("content-type", "").lower()
    if not asking.model.stream or kind.startswith(_ONE_DOCUMENT):
        dialect.read_whole(read_object(await read_whole(answer.body, WIRE_BYTES)), reply)
        # A complete document needs no other sign that it is complete.
        reply.stop = reply.stop or Stop.DONE
        asking.ear.listen(reply, model)
        return
    async for record in dialect.records(answer.body):
        dialect.read_piece(record, reply)
        asking.ear.listen(reply, model)
        if reply.is_over or reply.fault is not None:
            return
        if reply.stop is None:
            asking.purse.check(reply.spent)


def _judge(asking: ModelRequest, reply: ModelReply) -> Said | Failure:
    if reply.fault is not None:
        return interrupted(reply.fault)
    match reply.stop:
        case None:
            return _network("Its answer ended before it was complete.")
        case Stop.LENGTH:
            message = "The answer was cut off at max_tokens. HttpAnswer more briefly."
            return failure(FailureCategory.PARSING, message)
        case Stop.REFUSAL:
            # The same question would be refused again.
            message = "The model refused to answer."
            return failure(FailureCategory.LOGIC, message, Action.ESCALATE)
        case Stop.DONE:
            return _said(asking, reply)


def _said(asking: ModelRequest, reply: ModelReply) -> Said | Failure:
    hide = cover(asking.key)
    text = hide("".join(reply.channel)) or asking.ear.text
    if not text.strip():
        return failure(FailureCategory.PARSING, "The model said nothing.")
    return Said(
        text=in_block(text) if asking.question.schema is not None else text,
        usage=reply.spent,
        session=hide(reply.session) if reply.session else None,
        model=hide(reply.model or asking.model.model),
    )


def in_block(text: str) -> str:
    """Put a JSON object into the fenced block in which an answer is looked for.

    Any other text stays as it is. No line of a JSON object can be a fence: inside its strings
    every line end is escaped.
    """
    try:
        read_object(text)
    except Garbage:
        return text
    return f"```json\n{text.strip()}\n```\n"


def _network(message: str) -> Failure:
    return failure(FailureCategory.NETWORK, message)
