"""Which commits a gate is about, and which of them says what the gate is made of."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.definitions import Catalog
from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import InvalidInput, NotFound, SupervisorError
from supervisor_ai.domain.git_flow.own_state import DIRECTORY, is_own_state
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Base
from supervisor_ai.engine.ports.workspaces import Repository

_BUILTIN: Final = "built-in"
_LARGEST: Final = 1 << 20
_MOST_FILES: Final = 500


class GateSource(Struct, frozen=True, kw_only=True):
    """The commit that says what a gate is made of."""

    commit: CommitSha
    note: str = ""
    """Said where it is not the base."""


def find_base(repository: Repository, ref: str | None, head: Base) -> Base | None:
    """Return the commit that a head is compared with; None where there is none before it."""
    if ref is not None:
        return repository.resolve(ref)
    try:
        return repository.resolve(f"{head.sha}~1")
    except NotFound:
        return None


def nothing_before(head: Base) -> InvalidInput:
    """Say that the first commit of all changes nothing that could be compared."""
    return InvalidInput(
        f"There is no commit before {head.ref!r} to compare it with.",
        hint="Name the other commit: --base REF",
    )


async def find_source(project: OpenProject, name: str, base: Base, head: Base) -> GateSource:
    """Prefer the older word on a gate; one that no commit holds yet counts before a built-in."""
    catalog = project.preflight.catalog
    if _is_configured(catalog, base.sha, name):
        return GateSource(commit=base.sha)
    if _is_configured(catalog, head.sha, name):
        note = f"as {head.sha[:12]} configures it; the commit before it has no such gate"
        return GateSource(commit=head.sha, note=note)
    uncommitted = await work_tree(project, head)
    if uncommitted is not None and _is_configured(catalog, uncommitted, name):
        note = f"as {DIRECTORY} of the work tree configures it, which no commit holds yet"
        return GateSource(commit=uncommitted, note=note)
    is_run = any(it.name == name and it.command for it in catalog.gates(base.sha))
    note = "built in, because nothing here configures it" if is_run else ""
    return GateSource(commit=base.sha, note=note)


def _is_configured(catalog: Catalog, commit: CommitSha, name: str) -> bool:
    """Tell whether somebody has the gate; what is wrong with a commit is not asked here."""
    try:
        found = catalog.gates(commit)
    except SupervisorError:
        return False
    return any(it.name == name and it.missing is None and it.origin != _BUILTIN for it in found)


async def work_tree(project: OpenProject, head: Base) -> CommitSha | None:
    """Make a commit of HEAD with the definitions of the work tree; no ref keeps it."""
    contents = dict(_definitions(project.preflight.checkout))
    if not contents or project.preflight.repository.list(head.sha, DIRECTORY):
        return None
    world = project.world
    return (await world.workspaces.compose(head.sha, contents, at=world.clock.now())).commit


def _definitions(top: Path) -> Iterator[tuple[str, bytes]]:
    place = top / DIRECTORY
    files = sorted(place.rglob("*")) if place.is_dir() and not place.is_symlink() else []
    for file in files[:_MOST_FILES]:
        path = file.relative_to(top).as_posix()
        content = None if is_own_state(path) else _content(file)
        if content is not None:
            yield path, content


def _content(file: Path) -> bytes | None:
    try:
        handle = os.open(file, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        status = os.fstat(handle)
        is_small = stat.S_ISREG(status.st_mode) and status.st_size <= _LARGEST
        return os.read(handle, _LARGEST) if is_small else None
    finally:
        os.close(handle)
