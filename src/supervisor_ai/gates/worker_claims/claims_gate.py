"""The claims gate: what a worker reports about files, tests and commits, compared with git.

It is tolerant where a worker is honest: a file that was made in an earlier attempt may be reported
as made, and a path may be written in any way that leads to one file. A worker's own commits are
not kept, so that naming one is told and does not fail the gate.
"""

from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.run.gates import Finding, Severity
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.change.differences import shown
from supervisor_ai.gates.change_view import ChangeView
from supervisor_ai.gates.integrity.examine import Languages, known_languages
from supervisor_ai.gates.worker_claims.added_tests import AddedTests, added_tests
from supervisor_ai.gates.worker_claims.claimed_paths import Paths, paths_of
from supervisor_ai.gates.worker_claims.claimed_tests import false_tests, named_files
from supervisor_ai.gates.worker_claims.worker_report import ReportedClaims, reported
from supervisor_ai.tools.text import counted

_FINDINGS: Final = 100
_UNREPORTED: Final = 20
_WIDE: Final = 50


def look_at_claims(view: ChangeView) -> Examination:
    """Compare what the worker reported with what is there, in all languages that are known."""
    languages = Languages(known_languages())
    return examine_claims(view.case, view.commits, view.has_commit, languages)


def examine_claims(
    case: ChangeCase, commits: Commits, has_commit: Callable[[str], bool], reader: Languages
) -> Examination:
    """Compare what the worker reported with what is there."""
    report = reported(case.answer)
    if report is None:
        return Examination(summary="The answer makes no claims about files or tests.")
    paths = paths_of(case, commits)
    findings = [
        *_false_files(report, paths),
        *_false_tests(report, paths, lambda: added_tests(commits, case.head, paths, reader)),
        *_false_commits(report, has_commit),
        *_unreported(report, paths),
    ]
    claimed = len((*report.created, *report.modified, *report.deleted, *report.tests))
    return Examination(
        findings=tuple(sorted(findings, key=_weight)[:_FINDINGS]),
        summary=f"Compared {counted(claimed, 'claim')} about files and tests with git.",
    )


def _weight(finding: Finding) -> bool:
    return finding.severity is Severity.NOTE


def _false_files(report: ReportedClaims, paths: Paths) -> Iterator[Finding]:
    for claims, judge in (
        (report.created, _created),
        (report.modified, _modified),
        (report.deleted, _deleted),
    ):
        for claim in claims:
            path = paths.find(claim)
            if paths.is_folder(path) or claim.endswith(("/", "\\")) or paths.is_glob(path):
                yield _note("vague_file_claim", f"{shown(claim)!r} is not one file.", path)
            else:
                yield from judge(path, paths)


def _created(path: str, paths: Paths) -> Iterator[Finding]:
    if path not in paths.after:
        yield _false(
            f"The worker reports that it made {shown(path)!r}; there is no such file.", path
        )
    elif path not in paths.changed:
        said = f"The worker reports that it made {shown(path)!r}; it was there and is unchanged."
        yield _false(said, path)
    elif not paths.was_absent(path):
        yield _note("imprecise_file_claim", f"{shown(path)!r} was there before; it changed.", path)


def _modified(path: str, paths: Paths) -> Iterator[Finding]:
    if path not in paths.changed:
        is_there = path in paths.after
        found = "it is unchanged" if is_there else "there is no such file"
        yield _false(f"The worker reports that it changed {shown(path)!r}; {found}.", path)
    elif path not in paths.after:
        yield _note("imprecise_file_claim", f"{shown(path)!r} is gone, not changed.", path)


def _deleted(path: str, paths: Paths) -> Iterator[Finding]:
    if path in paths.after:
        yield _false(f"The worker reports that it removed {shown(path)!r}; it is there.", path)
    elif not paths.was_there(path):
        # It may have been made and removed within the attempt, which no snapshot shows.
        yield _note("imprecise_file_claim", f"{shown(path)!r} was in no snapshot.", path)


def _false_tests(
    report: ReportedClaims, paths: Paths, read: Callable[[], AddedTests]
) -> Iterator[Finding]:
    if report.tests:
        yield from false_tests(report.tests, paths, read())


def _false_commits(report: ReportedClaims, has_commit: Callable[[str], bool]) -> Iterator[Finding]:
    for sha in report.commits:
        if not has_commit(sha):
            said = (
                f"The worker names the commit {sha!r}, which is not in the run's history;"
                " a worker's own commits are not kept, only its files are."
            )
            yield Finding(
                rule="false_commit_claim", message=said, subject=sha, severity=Severity.NOTE
            )


def _unreported(report: ReportedClaims, paths: Paths) -> Iterator[Finding]:
    named = {paths.find(claim) for claim in (*report.created, *report.modified, *report.deleted)}
    named |= {path for claim in report.tests for path in named_files(claim, paths)}
    wide = [path for path in named if paths.is_folder(path) or paths.is_glob(path)][:_WIDE]
    missing = (
        change.path
        for change in paths.recent
        if change.path not in named and not any(_covers(path, change.path) for path in wide)
    )
    for path in islice(missing, _UNREPORTED):
        yield _note("unreported_change", f"{shown(path)!r} changed and is not reported.", path)


def _covers(wide: str, path: str) -> bool:
    return path.startswith(f"{wide}/") or fnmatchcase(path, wide)


def _false(message: str, path: str) -> Finding:
    return Finding(rule="false_file_claim", message=message, file=shown(path))


def _note(rule: str, message: str, path: str) -> Finding:
    return Finding(rule=rule, message=message, file=shown(path), severity=Severity.NOTE)
