"""What is said about a resident supervisor where any run is shown."""

from msgspec import Struct

from supervisor_ai.control.run_views import RunView
from supervisor_ai.control.slices import AboutRun, Rows, Standpoint
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.status import ENDED
from supervisor_ai.drivers.checkpoint.decisions.definition import expect_resident
from supervisor_ai.drivers.checkpoint.kinds import JUDGE
from supervisor_ai.drivers.checkpoint.queries.runs import definition_of_run


class SupervisorOfRun(Struct, frozen=True, kw_only=True):
    """The session that a run watches over, and what to type next."""

    session: str
    checkpoints: tuple[str, ...]
    has_judge: bool
    next: str
    """A command that goes on from here."""


def about_run(at: Standpoint, run: RunView) -> AboutRun | None:
    """Say which session a run watches over, and what to type next."""
    pinned = definition_of_run(at.records, run.id)
    if pinned is None:
        return None
    home = pinned.residence
    verb = "serve" if run.status in ENDED else "list"
    following = f"{at.command} checkpoint {verb} {home.session}"
    value = SupervisorOfRun(
        session=home.session,
        checkpoints=tuple(home.spec.checkpoints),
        has_judge=JUDGE in pinned.roles,
        next=following,
    )
    return AboutRun(value=value, rows=(("session", home.session), ("go on", following)))


def preview(definition: Definition) -> Rows:
    """Say what a run would watch over."""
    pinned = expect_resident(definition)
    judged = "a worker judges" if JUDGE in pinned.roles else "nobody judges; that is noted"
    return (("session", pinned.residence.session), ("judgement", judged))
