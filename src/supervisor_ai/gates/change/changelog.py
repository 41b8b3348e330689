"""The changelog gate: who changes the product says so where its users read it."""

from collections.abc import Sequence

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.run.gates import Finding
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.change.differences import added_lines, changed_paths, shown
from supervisor_ai.gates.change.product_files import is_changelog, is_product
from supervisor_ai.gates.change_view import ChangeView
from supervisor_ai.tools.text import counted


def look_at_changelog(view: ChangeView) -> Examination:
    """Look at a change as the gate's kind is registered."""
    return examine_changelog(view.case, view.commits)


def examine_changelog(case: ChangeCase, commits: Commits) -> Examination:
    """Ask for a line in the changelog where files of the product changed."""
    changes = commits.changes(case.base, case.head)
    product = [change.path for change in changes if is_product(change.path)]
    if not product:
        return Examination(summary="No file of the product changed.")
    entries = [path for path in changed_paths(changes) if is_changelog(path)]
    if _adds_words(case, commits, entries):
        return Examination(summary="The changelog has a new line.")
    message = (
        f"{counted(len(product), 'file')} of the product changed, among them"
        f" {shown(product[0])!r}, and no changelog has a new line."
    )
    finding = Finding(rule="changelog_missing", message=message, file=shown(product[0]))
    return Examination(findings=(finding,), summary="The changelog says nothing.")


def _adds_words(case: ChangeCase, commits: Commits, paths: Sequence[str]) -> bool:
    if not paths:
        return False
    patches = commits.patches(case.base, case.head, paths)
    return any(line.strip() for _, patch in patches for line in added_lines(patch))
