"""Checks that a project can add without a line of code: files, headings, ids."""

from supervisor_ai.drivers.checkpoint.checks.model import (
    RuleOutcome,
    Undecided,
    failed,
    missing,
    passed,
)
from supervisor_ai.drivers.checkpoint.checks.view import CheckedSession, Params
from supervisor_ai.drivers.checkpoint.facts.ids import find_ids


def artifact_exists(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find out whether one artifact is there; a missing one is a warning."""
    path = str(params["path"])
    return passed(f"{path} is there.") if path in view.facts else _missing(path)


def _missing(path: str) -> RuleOutcome:
    return missing(f"Missing: {path}.")


def contains_heading(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find out whether an artifact has a heading, in whatever case."""
    path, heading = str(params["path"]), str(params["heading"])
    if path not in view.facts:
        return _missing(path)
    line = view.facts[path].headings.get(" ".join(heading.split()).lower())
    if line is None:
        return failed(f"{path} has no heading {heading!r}.")
    return passed(f"{path} has the heading {heading!r} in line {line}.")


def names_id(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find out whether an artifact names an id, such as that of a requirement."""
    path, wanted = str(params["path"]), str(params["id"])
    if path not in view.facts:
        return _missing(path)
    line = view.facts[path].mentions.get(next(find_ids(wanted), wanted))
    if line is None:
        return failed(f"{path} does not name {wanted}.")
    return passed(f"{path} names {wanted} in line {line}.")
