"""Roles: listed, shown, compared, and exchanged with other programs as markdown."""

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.definitions import (
    RoleDetail,
    RoleDraft,
    RoleSummary,
    RoleValue,
)
from supervisor_ai.control.preflight import Preflight
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import Conflict, Denied, InvalidInput, NotFound
from supervisor_ai.domain.ids import CommitSha

ROLES: Final = ".supervisor/roles"
_INDEX: Final = re.compile(r"\[\d+\]$")
_MAX_BYTES: Final = 1 << 20


class RoleChange(Struct, frozen=True, kw_only=True):
    """A value that two roles do not share: what the first one says, and what the second one."""

    key: str
    before: tuple[str, ...]
    after: tuple[str, ...]


class RoleDifference(Struct, frozen=True, kw_only=True):
    """Two roles side by side."""

    before: str
    after: str
    changes: tuple[RoleChange, ...]


class RoleExchange(Struct, frozen=True, kw_only=True):
    """A file that was written, or would be."""

    mutation: MutationView
    text: str
    notes: tuple[str, ...]


def list_roles(preflight: Preflight, *, ref: str | None = None) -> Sequence[RoleSummary]:
    """List the roles that steps can name."""
    return preflight.catalog.roles(_commit(preflight, ref))


def show_role(preflight: Preflight, name: str, *, ref: str | None = None) -> RoleDetail:
    """Show one role with where each of its values comes from."""
    return preflight.catalog.role(_commit(preflight, ref), name)


def compare_roles(
    preflight: Preflight, name: str, other: str | None, *, ref: str | None = None
) -> RoleDifference:
    """Compare a role with another one, or with the one that it extends."""
    second = show_role(preflight, name, ref=ref)
    parent = other or second.summary.extends
    if parent is None:
        raise InvalidInput(
            f"The role {name!r} extends no other one.",
            hint="Name a second role to compare it with.",
        )
    first = show_role(preflight, parent, ref=ref)
    changes = tuple(_changes(first.values, second.values))
    return RoleDifference(before=parent, after=name, changes=changes)


def import_roles(
    preflight: Preflight, source: Path, *, force: bool, dry_run: bool
) -> tuple[RoleExchange, ...]:
    """Make role files of the project from an agent in markdown, or from a directory of them."""
    files = sorted(source.glob("*.md")) if source.is_dir() else [source]
    if not files:
        raise NotFound(f"There is no agent (*.md) in {str(source)!r}.")
    drafts = [preflight.catalog.draft_role(_read(file), name=file.stem) for file in files]
    root = preflight.repository.root
    targets = [root / ROLES / f"{draft.name}.yaml" for draft in drafts]
    for target in targets:
        _refuse_outside(root, target)
    return tuple(_exchanges(drafts, targets, force=force, dry_run=dry_run))


def export_role(
    preflight: Preflight, name: str, directory: Path, *, force: bool, dry_run: bool
) -> RoleExchange:
    """Write a role as an agent in markdown."""
    draft = preflight.catalog.agent_text(_commit(preflight, None), name)
    target = directory / f"{draft.name.replace('_', '-').lower()}.md"
    (exchange,) = _exchanges([draft], [target], force=force, dry_run=dry_run)
    return exchange


def _commit(preflight: Preflight, ref: str | None) -> CommitSha:
    return preflight.repository.resolve(ref).sha


def _changes(before: Sequence[RoleValue], after: Sequence[RoleValue]) -> Iterator[RoleChange]:
    first, second = _grouped(before), _grouped(after)
    for key in dict.fromkeys((*first, *second)):
        gone = tuple(value for value in first.get(key, ()) if value not in second.get(key, ()))
        new = tuple(value for value in second.get(key, ()) if value not in first.get(key, ()))
        if gone or new:
            yield RoleChange(key=key, before=gone, after=new)


def _grouped(values: Sequence[RoleValue]) -> dict[str, list[str]]:
    """Gather the items of a list under its name: their numbers say nothing."""
    found: dict[str, list[str]] = {}
    for value in values:
        found.setdefault(_INDEX.sub("", value.key), []).append(value.value)
    return found


def _exchanges(
    drafts: Sequence[RoleDraft], targets: Sequence[Path], *, force: bool, dry_run: bool
) -> Iterator[RoleExchange]:
    """Write all files or none: what is there already is looked at first."""
    taken = [target for target in targets if os.path.lexists(target)]
    if taken and not force:
        raise _taken(taken[0])
    for draft, target in zip(drafts, targets, strict=True):
        if not dry_run:
            _write(target, draft.text, force=force)
        detail = "would be written" if dry_run else "was written"
        yield RoleExchange(
            mutation=MutationView(
                target=str(target),
                applied=not dry_run,
                dry_run=dry_run,
                detail=f"The role {draft.name} {detail}.",
            ),
            text=draft.text,
            notes=draft.notes,
        )


def _read(file: Path) -> str:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise InvalidInput(f"{str(file)!r} is larger than {_MAX_BYTES} bytes.")
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise NotFound(f"{str(file)!r} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{str(file)!r} is not UTF-8 text: {error.reason}.") from error


def _refuse_outside(root: Path, target: Path) -> None:
    """Refuse to follow links that lead out of the checkout."""
    if not target.parent.resolve().is_relative_to(root.resolve()):
        raise Denied(f"{str(target.parent)!r} leads out of the project.")


def _write(target: Path, text: str, *, force: bool) -> None:
    """Let the whole file appear at once; unless told to, in place of nothing that came since."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=".new-")
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).chmod(0o644)
            Path(name).replace(target) if force else target.hardlink_to(name)
        finally:
            Path(name).unlink(missing_ok=True)
    except FileExistsError as error:
        raise _taken(target) from error
    except OSError as error:
        raise Denied(f"{str(target)!r} cannot be written: {error.strerror}.") from error


def _taken(target: Path) -> Conflict:
    return Conflict(f"There is a file {str(target)!r} already.", hint="To replace it, say --force.")
