"""The text that a person signs: one decision about one question, in one form only."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash, RunId, StepName, TreeSha

NAMESPACE: Final = "supervisor-approval"
"""What a key has to be used for: no signature of a commit or an index is a decision."""
MOST_BYTES: Final = 4096
"""No document is longer."""
_HEAD: Final = "supervisor decision 1"
_NONE: Final = "-"
_WORD: Final = r"[!-~]{1,200}"
_HASH: Final = r"[0-9a-f]{64}"
_LINES: Final[Mapping[str, str]] = {
    "project": r"[0-9a-f]{32}",
    "run": _WORD,
    "step": _WORD,
    "visit": r"[1-9][0-9]{0,8}",
    "asked": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z",
    "tree": r"[0-9a-f]{40}(?:[0-9a-f]{24})?",
    "shown": rf"{_HASH}|{_NONE}",
    "decision": "approve|reject",
    "note": rf"{_HASH}|{_NONE}",
}
_FORM: Final = re.compile(
    "".join((rf"{_HEAD}\n", *(rf"{key}: (?P<{key}>{form})\n" for key, form in _LINES.items()))),
    re.ASCII,
)
_TIME: Final = "%Y-%m-%dT%H:%M:%S.%fZ"


class DecisionWord(StrEnum):
    """What a person says."""

    APPROVE = "approve"
    REJECT = "reject"


class DecisionDocument(Struct, frozen=True, kw_only=True):
    """Everything that a signature is bound to; a signature for anything else is none."""

    project: str
    """The mark of the repository: a decision holds nowhere else."""
    run: RunId
    step: StepName
    visit: int
    asked_at: datetime
    tree: TreeSha
    shown: ArtifactHash | None
    decision: DecisionWord
    note: ArtifactHash | None

    @property
    def text(self) -> str:
        """Write the document in its one form."""
        return "".join((f"{_HEAD}\n", *(f"{key}: {word}\n" for key, word in self.lines())))

    def lines(self) -> Iterator[tuple[str, str]]:
        """List what the document says, in its order."""
        asked = self.asked_at.astimezone(UTC).replace(tzinfo=None)
        said = {
            "project": self.project,
            "run": self.run,
            "step": self.step,
            "visit": str(self.visit),
            "asked": f"{asked.isoformat(timespec='microseconds')}Z",
            "tree": self.tree,
            "shown": self.shown or _NONE,
            "decision": self.decision.value,
            "note": self.note or _NONE,
        }
        yield from ((key, said[key]) for key in _LINES)


def read_document(content: bytes) -> DecisionDocument | None:
    """Read a document; None where anything is missing, added, changed in order or in form."""
    if len(content) > MOST_BYTES or not content.isascii():
        return None
    text = content.decode("ascii")
    match = _FORM.fullmatch(text)
    found = None if match is None else _of_words(match.groupdict())
    return found if found is not None and found.text == text else None


def _of_words(said: Mapping[str, str]) -> DecisionDocument | None:
    try:
        asked = datetime.strptime(said["asked"], _TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
    return DecisionDocument(
        project=said["project"],
        run=RunId(said["run"]),
        step=StepName(said["step"]),
        visit=int(said["visit"]),
        asked_at=asked,
        tree=TreeSha(said["tree"]),
        shown=_hash(said["shown"]),
        decision=DecisionWord(said["decision"]),
        note=_hash(said["note"]),
    )


def _hash(word: str) -> ArtifactHash | None:
    return None if word == _NONE else ArtifactHash(word)


class SignedDecision(Struct, frozen=True, kw_only=True):
    """A document and the signature that came with it, which nobody has checked yet."""

    document: DecisionDocument
    signature: bytes

    @property
    def signed(self) -> bytes:
        """Return the bytes that the signature has to be over."""
        return self.document.text.encode("ascii")


def read_signed(proof: str) -> SignedDecision | None:
    """Take a proof apart: the document ends with its last line, the rest is the signature."""
    match = _FORM.match(proof)
    text, signature = ("", "") if match is None else (match[0], proof[match.end() :])
    document = read_document(text.encode("ascii"))
    if document is None:
        return None
    return SignedDecision(document=document, signature=signature.encode())


def difference(signed: DecisionDocument, meant: DecisionDocument) -> str | None:
    """Say how a signed document is about something else than what it is used for."""
    mine, theirs = dict(signed.lines()), dict(meant.lines())
    for key in _LINES:
        if mine[key] != theirs[key]:
            return f"It is signed for {key} {mine[key]!r}, not for {theirs[key]!r}."
    return None
