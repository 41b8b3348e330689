"""The document that is signed: one form, and nothing else is read."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, TreeSha
from supervisor_ai.domain.run.approvals.decision_document import (
    MOST_BYTES,
    DecisionDocument,
    DecisionWord,
    difference,
    read_document,
    read_signed,
)
from supervisor_ai.domain.structs import replace

DOCUMENT = DecisionDocument(
    project="0123456789abcdef" * 2,
    run=RunId("r7x"),
    step=StepName("commit"),
    visit=2,
    asked_at=datetime(2030, 1, 2, 3, 4, 5, 60, tzinfo=UTC),
    tree=TreeSha("a" * 40),
    shown=ArtifactHash("b" * 64),
    decision=DecisionWord.APPROVE,
    note=None,
)
TEXT = f"""\
supervisor decision 1
project: {"0123456789abcdef" * 2}
run: r7x
step: commit
visit: 2
asked: 2030-01-02T03:04:05.000060Z
tree: {"a" * 40}
shown: {"b" * 64}
decision: approve
note: -
"""

HEX = st.sampled_from("0123456789abcdef")
WORDS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=200)


def hexes(length: int) -> st.SearchStrategy[str]:
    return st.text(HEX, min_size=length, max_size=length)


HASHES = st.none() | hexes(64).map(ArtifactHash)
DOCUMENTS = st.builds(
    DecisionDocument,
    project=hexes(32),
    run=WORDS.map(RunId),
    step=WORDS.map(StepName),
    visit=st.integers(1, 999_999_999),
    asked_at=st.datetimes(
        min_value=datetime(1000, 1, 1),  # noqa: DTZ001 - hypothesis adds the zone
        timezones=st.just(UTC),
    ),
    tree=(hexes(40) | hexes(64)).map(TreeSha),
    shown=HASHES,
    decision=st.sampled_from(DecisionWord),
    note=HASHES,
)


def test_the_form_is_pinned_because_people_sign_it() -> None:
    assert DOCUMENT.text == TEXT
    assert read_document(TEXT.encode()) == DOCUMENT


@given(DOCUMENTS)
def test_what_is_written_is_read(document: DecisionDocument) -> None:
    written = document.text.encode("ascii")
    assert len(written) <= MOST_BYTES
    assert read_document(written) == document
    assert read_signed(f"{document.text}signature\n") is not None


@given(DOCUMENTS, st.data())
def test_any_changed_byte_is_refused_or_another_decision(
    document: DecisionDocument, data: st.DataObject
) -> None:
    written = bytearray(document.text.encode("ascii"))
    at = data.draw(st.integers(0, len(written) - 1))
    written[at] ^= data.draw(st.integers(1, 255))
    found = read_document(bytes(written))
    assert found is None or difference(found, document) is not None
    # Nothing is read that would be written in another way.
    assert found is None or found.text.encode("ascii") == bytes(written)


def test_a_document_does_not_differ_from_itself() -> None:
    assert difference(DOCUMENT, DOCUMENT) is None


@given(DOCUMENTS, DOCUMENTS)
def test_two_documents_differ_where_they_are_not_the_same(
    one: DecisionDocument, other: DecisionDocument
) -> None:
    assert (difference(one, other) is None) == (one == other)
    assert difference(one, one) is None


LINES = TEXT.splitlines(keepends=True)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        TEXT.encode()[:-1],
        f"{TEXT}\n".encode(),
        f"{TEXT} ".encode(),
        f"\n{TEXT}".encode(),
        f"\ufeff{TEXT}".encode(),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("decision 1", "decision 2").encode(),
        TEXT.replace(": ", ":  ", 1).encode(),
        TEXT.replace("visit: 2", "visit: 02").encode(),
        TEXT.replace("visit: 2", "visit: 0").encode(),
        TEXT.replace("visit: 2", "visit: +2").encode(),
        TEXT.replace("visit: 2", "visit: ٢").encode(),
        TEXT.replace("approve", "Approve").encode(),
        TEXT.replace("approve", "approve|reject").encode(),
        TEXT.replace("a" * 40, "A" * 40).encode(),
        TEXT.replace("a" * 40, "a" * 41).encode(),
        TEXT.replace("2030-01-02", "2030-13-02").encode(),
        TEXT.replace("2030-01-02", "0030-01-02").encode() + b"x",
        TEXT.replace(".000060Z", ".00006Z").encode(),
        TEXT.replace("Z\n", "+00:00\n").encode(),
        TEXT.replace("note: -", f"note: -\nnote: {'c' * 64}").encode(),
        TEXT.replace("run: r7x", "run: r7x y").encode(),
        TEXT.replace("run: r7x", "run: ").encode(),
        TEXT.replace("run: r7x", "run: " + "x" * 201).encode(),
        TEXT.replace("r7x", "r7\x1b").encode(),
        "".join((*LINES[:2], LINES[3], LINES[2], *LINES[4:])).encode(),
        "".join((*LINES[:-1], "extra: 1\n", LINES[-1])).encode(),
        *("".join((*LINES[:at], *LINES[at + 1 :])).encode() for at in range(len(LINES))),
        TEXT.encode() * 2,
        b"\xff" * 20,
        TEXT.encode() + b"x" * MOST_BYTES,
    ],
)
def test_other_forms_are_refused(content: bytes) -> None:
    assert read_document(content) is None


def test_a_time_is_written_in_utc_wherever_it_was_asked() -> None:
    there = DOCUMENT.asked_at.astimezone(timezone(timedelta(hours=5)))
    assert replace(DOCUMENT, asked_at=there).text == TEXT


def test_a_proof_is_the_document_and_then_the_signature() -> None:
    proof = read_signed(f"{TEXT}-----BEGIN\nx\n")
    assert proof is not None
    assert (proof.document, proof.signed) == (DOCUMENT, TEXT.encode())
    assert proof.signature == b"-----BEGIN\nx\n"
    assert read_signed(f" {TEXT}sig") is None
    assert read_signed("") is None
    assert read_signed(TEXT.replace("2030-01-02", "2030-02-31")) is None


@pytest.mark.parametrize(
    ("other", "word"),
    [
        (replace(DOCUMENT, project="f" * 32), "project"),
        (replace(DOCUMENT, run=RunId("r8x")), "run"),
        (replace(DOCUMENT, step=StepName("plan")), "step"),
        (replace(DOCUMENT, visit=3), "visit"),
        (replace(DOCUMENT, asked_at=DOCUMENT.asked_at + timedelta(microseconds=1)), "asked"),
        (replace(DOCUMENT, tree=TreeSha("c" * 40)), "tree"),
        (replace(DOCUMENT, shown=None), "shown"),
        (replace(DOCUMENT, decision=DecisionWord.REJECT), "decision"),
        (replace(DOCUMENT, note=ArtifactHash("d" * 64)), "note"),
    ],
)
def test_a_difference_is_named(other: DecisionDocument, word: str) -> None:
    said = difference(DOCUMENT, other)
    assert said is not None
    assert said.startswith(f"It is signed for {word} ")
