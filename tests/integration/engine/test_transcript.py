"""Output is cleaned beside the loop: in its order, bounded in what waits, before any disk."""

import asyncio
import threading
from pathlib import Path

import pytest
from typing_extensions import override

from supervisor_ai.domain.redaction.redactor import RuleRedactor
from supervisor_ai.domain.redaction.stream import Report, RuleStream, ignore
from supervisor_ai.engine.ports.sandbox import Channel
from supervisor_ai.engine.transcript import Transcript
from supervisor_ai.store.files.artifacts import FileArtifacts
from supervisor_ai.testing.memory_ledger import MemoryArtifacts

KEY = "ghp_A1b2C3d4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
OUT, ERRORS = Channel.STDOUT, Channel.STDERR
PATIENCE = 60


class SlowStream(RuleStream):
    """Cleans nothing until it is let."""

    gate: threading.Event

    @override
    def feed(self, text: str) -> str:
        assert self.gate.wait(PATIENCE)
        return super().feed(text)


class SlowRedactor(RuleRedactor):
    """A redactor that a hostile text keeps busy for as long as the test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()

    @override
    def stream(self, report: Report = ignore) -> SlowStream:
        stream = SlowStream(report=report)
        stream.gate = self.gate
        return stream


class BrokenStream(RuleStream):
    """Fails at every piece."""

    @override
    def feed(self, text: str) -> str:
        raise LookupError(text[:1])


class BrokenRedactor(RuleRedactor):
    """A redactor whose streams fail."""

    @override
    def stream(self, report: Report = ignore) -> BrokenStream:
        return BrokenStream(report=report)


def test_the_loop_goes_on_while_a_piece_is_cleaned() -> None:
    redactor, artifacts, seen = SlowRedactor(), MemoryArtifacts(), list[str]()

    async def scenario() -> str:
        transcript = Transcript(artifacts, redactor, seen.append)
        transcript.write(OUT, b"one\n")
        done = 0
        for _ in range(1000):
            await asyncio.sleep(0)
            done += 1
        assert (done, seen) == (1000, [])
        # Only now, after a thousand turns of the loop, can it be cleaned at all.
        redactor.gate.set()
        return artifacts.get(await transcript.finish())

    assert asyncio.run(scenario()) == "one\n"
    assert seen == ["one\n"]


def test_the_loop_goes_on_while_the_end_is_cleaned_and_kept() -> None:
    redactor, artifacts = SlowRedactor(), MemoryArtifacts()

    async def scenario() -> str:
        transcript = Transcript(artifacts, redactor, lambda _: None)
        finishing = asyncio.create_task(transcript.finish())
        for _ in range(1000):
            await asyncio.sleep(0)
        assert not finishing.done()
        redactor.gate.set()
        return artifacts.get(await finishing)

    assert asyncio.run(scenario()) == ""


def test_who_brings_too_much_is_asked_to_wait_until_it_is_cleaned() -> None:
    redactor, artifacts = SlowRedactor(), MemoryArtifacts()
    piece = b"x" * 63 + b"\n"

    async def scenario() -> None:
        transcript = Transcript(artifacts, redactor, lambda _: None)
        waits = [transcript.write(OUT, piece * 1024) for _ in range(16)]
        assert waits[:15] == [None] * 15
        assert waits[15] is not None
        assert not waits[15].done()
        redactor.gate.set()
        await waits[15]
        assert transcript.write(OUT, b"more\n") is None
        kept = artifacts.get(await transcript.finish())
        assert kept == (piece * 16 * 1024).decode() + "more\n"

    asyncio.run(scenario())


def test_pieces_and_remarks_are_shown_in_their_order() -> None:
    artifacts, seen = MemoryArtifacts(), list[str]()

    async def scenario() -> str:
        transcript = Transcript(artifacts, RuleRedactor(), seen.append)
        transcript.write(OUT, b"first\n")
        transcript.write(ERRORS, b"second\n")
        transcript.mute()
        transcript.remark(f"said {KEY}\x1b[31m\n")
        transcript.write(OUT, b"kept, not shown\n")
        transcript.remark("")
        kept = artifacts.get(await transcript.finish())
        assert transcript.redactions == 0
        return kept

    assert asyncio.run(scenario()) == "first\nsecond\nkept, not shown\n"
    assert seen == ["first\n", "second\n", "said [REDACTED:github-token]\n"]


def test_nothing_reaches_the_disk_before_it_is_cleaned(tmp_path: Path) -> None:
    redactor = SlowRedactor()

    def on_disk() -> bytes:
        return b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())

    async def scenario() -> None:
        artifacts = FileArtifacts(tmp_path)
        transcript = Transcript(artifacts, redactor, lambda _: None)
        transcript.write(OUT, f"token {KEY}\n".encode() * 4096)
        await asyncio.sleep(0)
        assert on_disk() == b""
        redactor.gate.set()
        await transcript.finish()
        assert transcript.redactions == 4096

    asyncio.run(scenario())
    assert KEY.encode() not in on_disk()
    assert on_disk().count(b"[REDACTED:github-token]") == 4096


def test_what_fails_is_heard_by_who_writes_on_and_by_who_finishes() -> None:
    async def scenario() -> None:
        transcript = Transcript(MemoryArtifacts(), BrokenRedactor(), lambda _: None)
        transcript.write(OUT, b"a\n")
        with pytest.raises(LookupError):
            await transcript.finish()
        with pytest.raises(LookupError):
            transcript.write(OUT, b"b\n")
        transcript.abandon()

    asyncio.run(scenario())


def test_what_is_abandoned_while_it_is_cleaned_is_nowhere(tmp_path: Path) -> None:
    redactor, seen = SlowRedactor(), list[str]()

    async def scenario() -> None:
        transcript = Transcript(FileArtifacts(tmp_path), redactor, seen.append)
        transcript.write(OUT, b"gone\n")
        await asyncio.sleep(0)
        transcript.abandon()
        redactor.gate.set()

    asyncio.run(scenario())
    assert seen == []
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.stat().st_size]


def test_what_is_abandoned_at_once_was_never_there() -> None:
    artifacts = MemoryArtifacts()

    async def scenario() -> None:
        transcript = Transcript(artifacts, RuleRedactor(), lambda _: None)
        transcript.abandon()
        finished = Transcript(artifacts, RuleRedactor(), lambda _: None)
        name = await finished.finish()
        finished.abandon()
        assert artifacts.get(name) == ""

    asyncio.run(scenario())
