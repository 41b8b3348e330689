"""Changing the knowledge store at the user's word: planned, shown, then written."""

import difflib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.control.commands.project_init import CommittedFiles, FileCommits
from supervisor_ai.control.dashboard.knowledge import KnowledgeOffice, find_document
from supervisor_ai.control.ports.knowledge import Revision, taken_from
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.knowledge.documents import (
    STORE,
    USER,
    KnowledgeArea,
    KnowledgeDocument,
    KnowledgeStatus,
    area_of,
)
from supervisor_ai.domain.knowledge.life import is_due, record_of
from supervisor_ai.domain.knowledge.selection import StoreName
from supervisor_ai.domain.knowledge.updates import SetStatus, Update, WriteDocument
from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.text import counted

GUIDES: Final = ("AGENTS.md", "CLAUDE.md", "GEMINI.md")
"""The files that agents read by themselves."""


def first_guide(top: Path) -> str | None:
    """Name a file for agents from which a store can begin; None where there is a store already."""
    if os.path.lexists(top / STORE):
        return None
    return next((name for name in GUIDES if (top / name).is_file()), None)


class KnowledgeChange(Struct, frozen=True, kw_only=True):
    """What would be written into one store, and what would not."""

    store: StoreName
    stamp: str | None
    """What the store looked like."""
    contents: Mapping[str, bytes]
    changed: tuple[str, ...]
    notes: tuple[str, ...] = ()
    """What is left as it is, and why."""


class GuideChange(Struct, frozen=True, kw_only=True):
    """What would become of a file for agents; None: there is none."""

    name: str
    before: str | None
    after: str | None


class KnowledgeDone(MutationView, frozen=True, kw_only=True):
    """What was changed, with what was not and the commit that holds it."""

    notes: tuple[str, ...] = ()
    committed: CommittedFiles | None = None


def plan_statuses(
    office: KnowledgeOffice, names: Sequence[str], status: KnowledgeStatus, because: str
) -> tuple[KnowledgeChange, ...]:
    """Plan to promote or deprecate documents of either store."""
    found = [find_document(office, name) for name in names]
    return tuple(
        _planned(
            office,
            store,
            [
                SetStatus(by=USER, path=it.path, status=status, what=because)
                for it in found
                if it.store is store
            ],
        )
        for store in dict.fromkeys(it.store for it in found)
    )


def due_documents(office: KnowledgeOffice) -> tuple[str, ...]:
    """Name the project's documents that have proved themselves."""
    uses = office.uses()
    documents = office.text.contents(office.stores[StoreName.PROJECT].read()).documents
    return tuple(path for path, it in documents.items() if is_due(it, record_of(it, uses)))


def plan_document(
    office: KnowledgeOffice, place: str, draft: WriteDocument, store: StoreName
) -> KnowledgeChange:
    """Plan to write one document at AREA/NAME."""
    path = place.removeprefix(f"{STORE}/").removesuffix(".md")
    area, name = area_of(path), path.rpartition("/")[2]
    if area is None or path != f"{area}/{name}":
        areas = ", ".join(KnowledgeArea)
        raise InvalidInput(
            f"A document is named DIRECTORY/NAME, found {place!r}.",
            hint=f"The directories are: {areas}. Example: conventions/error_handling",
        )
    written = WriteDocument(
        by=USER,
        what=draft.what,
        area=area,
        name=name,
        title=draft.title,
        rules=draft.rules,
        examples=draft.examples,
        rationale=draft.rationale,
    )
    return _planned(office, store, [written])


def plan_seeds(office: KnowledgeOffice, name: str, store: StoreName) -> KnowledgeChange:
    """Plan to take over what a file such as AGENTS.md says, section by section."""
    text = office.guides.read(_guide(name))
    if text is None:
        raise NotFound(f"There is no file {name!r} at the top of this checkout.")
    seeds = office.guide_text.seeds(name, text)
    planned = _planned(office, store, seeds.updates)
    left_out = tuple(f"{name}: {it} is longer than rules may be" for it in seeds.left_out)
    return replace(planned, notes=(*planned.notes, *left_out))


def plan_guide(office: KnowledgeOffice, name: str, *, undo: bool) -> GuideChange:
    """Plan what a file for agents becomes: with the established conventions, or without them."""
    before = office.guides.read(_guide(name))
    if undo:
        restored = None if before is None else office.guide_text.restored(before)
        return GuideChange(name=name, before=before, after=restored)
    exported = office.guide_text.exported(before, _conventions(office, name))
    return GuideChange(name=name, before=before, after=exported)


def write_guide(office: KnowledgeOffice, change: GuideChange, *, dry_run: bool) -> MutationView:
    """Write a file for agents, and say what became of it."""
    is_written = change.before != change.after and not dry_run
    if is_written:
        office.guides.write(change.name, change.after, before=change.before)
    deed = "removed" if change.after is None else "written"
    would = f"would be {deed}." if dry_run else f"{deed}."
    detail = "Everything is as you want it." if change.before == change.after else would
    return MutationView(target=change.name, applied=is_written, dry_run=dry_run, detail=detail)


def guide_difference(change: GuideChange) -> Iterator[str]:
    """Show line by line what would change in a file for agents."""
    before, after = (change.before or "").splitlines(), (change.after or "").splitlines()
    return difflib.unified_diff(before, after, change.name, change.name, lineterm="")


def preview(office: KnowledgeOffice, change: KnowledgeChange) -> Iterator[str]:
    """Show what the documents of a change say."""
    for path in change.changed:
        yield f"── {office.places[change.store]}/{path}"
        yield change.contents[path].decode()


def carry_out(
    office: KnowledgeOffice,
    changes: Sequence[KnowledgeChange],
    *,
    dry_run: bool,
    commits: FileCommits | None = None,
) -> KnowledgeDone:
    """Write what was planned; commit it where the user asks for that."""
    written = [it for it in changes if it.changed]
    committed = None
    for change in () if dry_run else written:
        office.stores[change.store].write(change.contents, stamp=change.stamp)
        if commits is not None and change.store is StoreName.PROJECT:
            committed = _commit(commits, change)
    paths = [f"{office.places[it.store]}/{path}" for it in written for path in it.changed]
    would = "would be written" if dry_run else "written"
    detail = f"{would}: {', '.join(paths)}."
    return KnowledgeDone(
        target=counted(len(paths), "document"),
        applied=bool(paths) and not dry_run,
        dry_run=dry_run,
        detail=detail if paths else "Nothing changes.",
        notes=tuple(note for it in changes for note in it.notes),
        committed=committed,
    )


def _commit(commits: FileCommits, change: KnowledgeChange) -> CommittedFiles:
    contents = {f"{STORE}/{path}": content for path, content in change.contents.items()}
    named = ", ".join(change.changed[:3])
    more = len(change.changed) - 3
    subject = f"knowledge: {named}{f' and {more} more' if more > 0 else ''}"
    branch, commit = commits.commit_files(contents, f"{subject}\n")
    return CommittedFiles(branch=branch, commit=commit)


def _planned(
    office: KnowledgeOffice, store: StoreName, updates: Sequence[Update]
) -> KnowledgeChange:
    areas = {area for it in updates if (area := area_of(it.path)) is not None}
    stamp = office.stores[store].stamp()
    revision: Revision = office.text.revise(office.stores[store].read(), updates, areas)
    return KnowledgeChange(
        store=store,
        stamp=stamp,
        contents=revision.contents,
        changed=revision.changed,
        notes=tuple(f"{it.path}: {it.reason}" for it in revision.refused),
    )


def _conventions(office: KnowledgeOffice, name: str) -> list[KnowledgeDocument]:
    """Return the conventions in force, but for those that the file has said first."""
    documents = office.text.contents(office.stores[StoreName.PROJECT].read()).documents
    found = [
        it
        for _, it in sorted(documents.items())
        if it.area == KnowledgeArea.CONVENTIONS
        and it.status is KnowledgeStatus.ESTABLISHED
        and not any(note.what == taken_from(name) for note in it.changes)
    ]
    if not found:
        raise NotFound(
            f"There is no established convention that {name} does not have already.",
            hint="Promote one: supervisor knowledge review",
        )
    return found


def _guide(name: str) -> str:
    if name not in GUIDES:
        raise InvalidInput(f"{name!r} is none of: {', '.join(GUIDES)}.")
    return name
