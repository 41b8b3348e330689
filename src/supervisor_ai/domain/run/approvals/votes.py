"""Votes of people on a change: whose yes counts, and when there are enough."""

from supervisor_ai.domain.people import People, Person
from supervisor_ai.domain.run.approvals.policy import Assessment


def needs_people(found: Assessment | None) -> bool:
    """Tell whether it matters who says yes."""
    return found is not None and (bool(found.approvers) or found.needs > 1)


def why_not_counted(
    found: Assessment | None, votes: tuple[str, ...], person: Person | None, people: People
) -> str | None:
    """Say why somebody's yes does not count; None: it does."""
    if found is None or not needs_people(found):
        return None
    groups = ", ".join(found.approvers)
    wanted = f"{found.level.value} needs {found.needs} of {groups or 'your people'}"
    if person is None:
        return f"{wanted}, and who decides here is none of them by any proof."
    members = people.members(found.approvers) if found.approvers else people.everybody
    if person not in members:
        return f"{wanted}, and {person.name!r} is none of them."
    if person.name in votes:
        return f"{person.name!r} has agreed already, and counts once."
    return None


def is_enough(found: Assessment | None, votes: tuple[str, ...]) -> bool:
    """Tell whether one more yes is the last that is needed."""
    return len(votes) + 1 >= (found.needs if found else 1)
