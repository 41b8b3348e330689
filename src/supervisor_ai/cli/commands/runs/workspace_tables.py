"""Tables of `supervisor workspace`: directories, kept work and clean-up results."""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.output import say, write
from supervisor_ai.cli.tables import columns, labelled, local_time
from supervisor_ai.control.commands.workspaces.cleanup import CleanView, Fate
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.control.ports.workspace_inventory import FileChange
from supervisor_ai.control.queries.workspaces import (
    DirectoryView,
    WorkspaceList,
    WorkspaceView,
    WorkView,
)
from supervisor_ai.domain.redaction.redactor import RuleRedactor

_PREFIX: Final = "refs/supervisor/"
_DIRECTORIES: Final = ("RUN", "STEP", "ATTEMPT", "USE", "WORK", "SIZE", "SINCE", "DIRECTORY")
_WORKS: Final = ("REF", "COMMIT", "KEPT", "FILES", "STANDING", "FOUND IN")
_UNITS: Final = ("B", "K", "M", "G", "T")
_STEP_OF_UNITS: Final = 1024
_FATES: Final = {
    Fate.REMOVED: "removed",
    Fate.STAYS: "stays",
    Fate.FAILED: "FAILED",
}


def shown_items(view: CleanView) -> list[str]:
    """Say what becomes of each thing that was left, and why."""
    words = {**_FATES, Fate.REMOVED: "would go"} if view.dry_run else _FATES
    rows = [
        (
            words[item.fate],
            item.kind.value,
            _brief(item.name),
            f"{one_line(item.reason)}{f' ({_brief(item.ref)})' if item.ref else ''}",
        )
        for item in view.items
    ]
    hints = [f"hint: {one_line(item.hint)}" for item in view.items if item.hint]
    return [*columns(rows), *dict.fromkeys(hints)]


def write_list(listed: WorkspaceList) -> None:
    """Print a table of the directories and one of the kept work."""
    if not listed.total:
        say("There is no workspace and no kept work.")
        _say_expired(listed)
        return
    tables = []
    if listed.directories:
        tables.append(columns([_DIRECTORIES, *map(_directory_row, listed.directories)]))
    if listed.works:
        tables.append(columns([_WORKS, *map(_work_row, listed.works)]))
    write("\n\n".join("\n".join(table) for table in tables))
    if listed.is_truncated:
        shown = len(listed.directories) + len(listed.works)
        say(f"{shown} of {listed.total}; --limit shows more.")
    _say_expired(listed)


def _say_expired(listed: WorkspaceList) -> None:
    if listed.expired:
        newest = listed.expired[0]
        say(
            f"{listed.expired_total} expired, as git.keep_snapshots says; the last one at"
            f" {local_time(newest.at)}: {_brief(newest.ref)} ({short(newest.commit)})."
        )


def _directory_row(view: DirectoryView) -> tuple[str, ...]:
    return (
        view.run,
        view.step or "?",
        _attempt(view),
        view.use.value,
        "dirty" if view.dirty else "clean",
        human_size(view.size),
        local_time(view.since),
        visible(view.directory),
    )


def _work_row(view: WorkView) -> tuple[str, ...]:
    return (
        _brief(view.ref),
        short(view.commit),
        local_time(view.at),
        str(view.files),
        view.standing.value,
        _brief(view.holder or ""),
    )


def _attempt(view: DirectoryView | WorkView) -> str:
    if view.visit is None:
        return "?"
    deed = "gate" if view.attempt is None else view.attempt
    return f"{view.visit}.{view.slot}.{deed}"


def shown_workspace(invocation: Invocation, view: WorkspaceView) -> str:
    """Show whose work it is and which files it changed."""
    rows = [("run", view.found.run), ("step", view.found.step or "?")]
    rows += [("attempt", _attempt(view.found)), *_details(invocation, view)]
    lines = labelled([(label, visible(value)) for label, value in rows])
    return "\n".join([*lines, "", *_files(view.files)] if view.files else lines)


def _details(invocation: Invocation, view: WorkspaceView) -> Iterator[tuple[str, str]]:
    found = view.found
    if isinstance(found, DirectoryView):
        yield "directory", found.directory
        yield "use", found.use.value
        yield "since", local_time(found.since)
        yield "size", human_size(found.size)
    else:
        yield "ref", found.ref
        yield "commit", found.commit
        yield "start", found.start or "none"
        yield "kept", local_time(found.at)
        where = f", found in {_brief(found.holder)}" if found.holder else ""
        yield "standing", f"{found.standing.value}{where}"
        if found.start:
            yield "look", f"{invocation.git} diff {short(found.start)} {short(found.commit)}"
    yield "files", _sum(view.files)


def _sum(files: tuple[FileChange, ...]) -> str:
    added, deleted = (sum(it or 0 for it in side) for side in _sides(files))
    lines = f", {added} lines added, {deleted} deleted" if added or deleted else ""
    return f"{len(files)} changed{lines}"


def _sides(files: tuple[FileChange, ...]) -> tuple[list[int | None], list[int | None]]:
    return [it.added for it in files], [it.deleted for it in files]


def _files(files: tuple[FileChange, ...]) -> list[str]:
    redactor = RuleRedactor()
    rows = [(it.change, _lines(it), visible(redactor.redact(it.path).text)) for it in files]
    return [f"  {line}" for line in columns(rows)]


def _lines(change: FileChange) -> str:
    return "" if change.added is None else f"+{change.added} -{change.deleted}"


def visible(text: str) -> str:
    """Show a foreign name whole and on one line: what is no printable character, by its number."""
    return "".join(it if it.isprintable() else ascii(it)[1:-1] for it in text)


def _brief(name: str) -> str:
    return visible(name.removeprefix(_PREFIX).removeprefix("refs/heads/"))


def human_size(size: int) -> str:
    """Show a size as people do."""
    amount, units = float(size), list(_UNITS)
    while amount >= _STEP_OF_UNITS and len(units) > 1:
        amount /= _STEP_OF_UNITS
        units.pop(0)
    return f"{amount:.0f}{units[0]}" if units[0] == "B" else f"{amount:.1f}{units[0]}"
