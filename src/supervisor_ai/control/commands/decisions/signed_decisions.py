"""Decisions that somebody signs elsewhere: written to a file, and brought back with a signature."""

import os
import re
import shlex
import stat
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.decisions.approvals import (
    PAST,
    PersonsDecision,
    Sender,
    document_about,
    open_question,
    refuse_contradiction,
    require_vote,
    send_decision,
)
from supervisor_ai.control.commands.decisions.open_questions import pending_question
from supervisor_ai.control.ports.queries import ApprovalRow
from supervisor_ai.control.project import OpenProject
from supervisor_ai.control.registered_kinds import approval_phrases
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, NotFound, Unavailable
from supervisor_ai.domain.ids import RunId
from supervisor_ai.domain.people import Person, Unproven
from supervisor_ai.domain.run.approvals.decision_document import (
    MOST_BYTES,
    NAMESPACE,
    DecisionDocument,
    DecisionWord,
    difference,
    read_document,
)
from supervisor_ai.domain.structs import replace

_SUFFIX: Final = ".sig"
_MOST_OF_SIGNATURE: Final = 1 << 15
_ARMOUR: Final = re.compile(
    r"-----BEGIN SSH SIGNATURE-----\n(?:[A-Za-z0-9+/=]{1,76}\n)+-----END SSH SIGNATURE-----\n",
    re.ASCII,
)
_READ: Final = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK
_ANEW: Final = "Write it down anew with --export, and let that be signed."


class ExportView(MutationView, frozen=True, kw_only=True):
    """Where a decision was written down, and how it is signed."""

    file: str
    tree: str
    commit: str
    """Has that tree: whoever signs can compare."""
    sign: str


class ImportRequest(Struct, frozen=True, kw_only=True):
    """Which decision is brought back; what a person says of it must be so."""

    file: Path
    judgement: PersonsDecision
    run: str | None = None


def export_decision(
    project: OpenProject, name: str, judgement: PersonsDecision, file: Path, *, dry_run: bool
) -> ExportView:
    """Write down a decision for somebody to sign; nothing is decided by that."""
    row, asked = open_question(project, name, judgement)
    if not dry_run:
        _write(file, document_about(project, row.id, asked, judgement).text.encode("ascii"))
    quoted = shlex.quote(str(file))
    would, wrote = ("Would write", "") if dry_run else ("Wrote", " Nothing is decided yet.")
    return ExportView(
        target=row.id,
        applied=not dry_run,
        dry_run=dry_run,
        detail=f"{would} to {str(file)!r}: {judgement.verb} step {asked.step!r}, tree"
        f" {asked.tree}.{wrote}",
        file=str(file),
        tree=asked.tree,
        commit=asked.commit,
        sign=f"ssh-keygen -Y sign -n {NAMESPACE} -f KEY {quoted}",
    )


def import_decision(
    project: OpenProject, request: ImportRequest, *, dry_run: bool = False
) -> MutationView:
    """Check a signed decision, and put it into the run's inbox with its proof."""
    file = request.file
    content = _read(file, MOST_BYTES)
    signature = _read(file.with_name(f"{file.name}{_SUFFIX}"), _MOST_OF_SIGNATURE)
    document = _require_form(file, content, signature)
    _require_meant(project, request, document)
    asked = _require_open(project, document)
    who = project.world.identities.verify(content, signature)
    if isinstance(who, Unproven):
        raise Denied(f"{str(file)!r} proves nothing. {who.reason}", hint=_remedy(file))
    if request.judgement.claimed not in {None, who.name}:
        claimed = request.judgement.claimed
        raise Denied(f"{str(file)!r} is signed by {who.name!r}, not by {claimed!r}.")
    if document.decision is DecisionWord.APPROVE:
        require_vote(project, asked, who)
    sender = _sender(project, document, who, signature)
    refuse_contradiction(project, document.run, asked, document.decision, sender)
    if dry_run:
        detail = f"Would say that {who.name!r} {PAST[document.decision]} step {asked.step!r}."
        return MutationView(target=document.run, applied=False, dry_run=True, detail=detail)
    sent = send_decision(project, document, sender)
    return replace(sent, detail=f"{sent.detail[:-1]}, by {who.name!r}.")


def _sender(
    project: OpenProject, document: DecisionDocument, who: Person, signature: bytes
) -> Sender:
    """Keep the proof, and as it is: without these very bytes nobody could check it again."""
    proof = project.world.artifacts.put(document.text + signature.decode("ascii"))
    return Sender(person=who.name, proof=proof)


def _require_form(file: Path, content: bytes, signature: bytes) -> DecisionDocument:
    document = read_document(content)
    if document is None:
        raise InvalidInput(f"{str(file)!r} is no decision in the form of an export.", hint=_ANEW)
    if not _ARMOUR.fullmatch(signature.decode("latin-1")):
        problem = f"{f'{file}{_SUFFIX}'!r} is no signature of ssh-keygen."
        raise InvalidInput(problem, hint=_remedy(file))
    return document


def _require_meant(
    project: OpenProject, request: ImportRequest, document: DecisionDocument
) -> None:
    """Refuse a file that decides about another run, or something else, than the person says."""
    if document.decision is not request.judgement.word:
        raise InvalidInput(
            f"{str(request.file)!r} says {document.decision.value!r}.",
            hint=f"Bring it back with: supervisor {document.decision.value} --import",
        )
    if request.run is not None and project.records.find(request.run).id != document.run:
        raise InvalidInput(
            f"{str(request.file)!r} is about run {document.run!r}, not about {request.run!r}."
        )


def _require_open(project: OpenProject, document: DecisionDocument) -> ApprovalRow:
    """Refuse a decision about what is not, or not any more, the question."""
    if document.project != project.world.identities.project():
        raise Conflict("The decision is about a run of another repository.", hint=_ANEW)
    row = project.records.queries.run(document.run)
    if row is None:
        raise NotFound(f"There is no run {document.run!r} in this project.")
    asked = pending_question(project, row)
    meant = _about(project, row.id, asked, document)
    differing = difference(document, meant)
    if differing is not None:
        raise Conflict(f"The decision is about another question. {differing}", hint=_ANEW)
    if document.note is not None:
        project.world.artifacts.get(document.note)
    elif explained := approval_phrases(asked.reason).explained:
        raise InvalidInput(f"{explained} is accepted with a reason.", hint=_ANEW)
    return asked


def _about(
    project: OpenProject, run: RunId, asked: ApprovalRow, document: DecisionDocument
) -> DecisionDocument:
    said = PersonsDecision(is_approval=True)
    meant = document_about(project, run, asked, said)
    return replace(meant, decision=document.decision, note=document.note)


def _remedy(file: Path) -> str:
    return f"Sign it: ssh-keygen -Y sign -n {NAMESPACE} -f KEY {shlex.quote(str(file))}"


def _write(file: Path, content: bytes) -> None:
    """Write a new file; one that is there already must say the same."""
    try:
        with file.open("xb") as opened:
            opened.write(content)
    except FileExistsError:
        if _read(file, MOST_BYTES) != content:
            raise Conflict(
                f"{str(file)!r} exists, and is something else.", hint="Name another file."
            ) from None
    except OSError as error:
        raise Unavailable(f"{str(file)!r} cannot be written: {error.strerror}.") from error


def _read(file: Path, most: int) -> bytes:
    try:
        descriptor = os.open(file, _READ)
        with os.fdopen(descriptor, "rb") as opened:
            is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
            content = opened.read(most + 1) if is_file else b""
    except FileNotFoundError:
        remedy = None if file.suffix != _SUFFIX else _remedy(file.with_suffix(""))
        raise NotFound(f"There is no file {str(file)!r}.", hint=remedy) from None
    except OSError as error:
        raise Unavailable(f"{str(file)!r} cannot be read: {error.strerror}.") from error
    if not is_file or len(content) > most:
        what = "longer than any real one" if is_file else "no file"
        raise InvalidInput(f"{str(file)!r} is {what}.")
    return content
