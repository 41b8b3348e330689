"""Names that mislead whoever reads or types them, and links that leave the repository."""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from supervisor_ai.control.ports.commits import ChangedPath, Commits
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.domain.terminal import plain
from supervisor_ai.engine.ports.gates import ChangeCase
from supervisor_ai.gates.change.differences import added_lines, changed_paths, is_absent, shown

_LINKS: Final = 1_000
_GIT: Final = ".git"


def find_odd_names(case: ChangeCase, commits: Commits) -> Iterator[Finding]:
    """Look at the names of all files that a change adds or edits, and at where its links lead."""
    changes = [it for it in commits.changes(case.base, case.head) if not is_absent(it.after)]
    yield from (_hidden(it.path) for it in changes if _is_hidden(it.path))
    yield from _links(case, commits, [it for it in changes if it.is_link])
    yield from (_option(it.path) for it in changes if _is_option(it.path))
    yield from _collisions(changes, case, commits)


def leaves(path: str, target: str) -> bool:
    """Tell whether a link leads out of the repository, into its git directory, or may do so.

    Behind a name `..` goes up from wherever that name leads, which another link may decide.
    """
    parts = [part for part in target.split("/") if part not in {"", "."}]
    up = next((at for at, part in enumerate(parts) if part != ".."), len(parts))
    is_above = up > path.count("/")
    is_git = any(part.lower() == _GIT for part in parts)
    return target.startswith("/") or is_above or ".." in parts[up:] or is_git


def _is_hidden(path: str) -> bool:
    return plain(path) != path or "\n" in path or "\t" in path


def _hidden(path: str) -> Finding:
    name = shown(path)
    said = f"The name {name!r} holds characters that are not seen, or do something to a terminal."
    return Finding(rule="control_character_in_name", message=said, file=name)


def _is_option(path: str) -> bool:
    return any(part.startswith("-") for part in path.split("/"))


def _option(path: str) -> Finding:
    name = shown(path)
    said = f"The name {name!r} begins with a dash: commands take it for an option."
    return Finding(rule="name_like_an_option", message=said, file=name, severity=Severity.NOTE)


def _links(case: ChangeCase, commits: Commits, links: Sequence[ChangedPath]) -> Iterator[Finding]:
    paths = [link.path for link in links[:_LINKS]]
    targets = dict(commits.patches(case.base, case.head, paths)) if paths else {}
    for link in links:
        target = "\n".join(added_lines(targets.get(link.path, ""))) or "/"
        if leaves(link.path, target):
            name = shown(link.path)
            said = f"The link {name!r} leads out of the repository, to {shown(target)!r}."
            yield Finding(rule="escaping_link", message=said, file=name)


def _collisions(
    changes: Sequence[ChangedPath], case: ChangeCase, commits: Commits
) -> Iterator[Finding]:
    """Find names that are one and the same where case or the form of letters does not count."""
    touched = set(changed_paths(changes))
    others = {file.path for file in commits.list(case.head)} if touched else set()
    counts = Counter(map(_folded, touched | others))
    for path in sorted(touched):
        if counts[_folded(path)] > 1:
            name = shown(path)
            said = f"The name {name!r} is also another file's where case does not count."
            yield Finding(rule="colliding_names", message=said, file=name, severity=Severity.NOTE)


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()
