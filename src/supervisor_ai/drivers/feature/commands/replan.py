"""A plan that is edited after its run began, as long as no component has."""

from supervisor_ai.control.project import OpenProject
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import ArtifactHash, LetterKey
from supervisor_ai.domain.run.definition import Definition
from supervisor_ai.domain.run.inbox_commands import InboxCommand, Migrate
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.plans import FeatureOffice, refuse_unfinished
from supervisor_ai.drivers.feature.commands.wishes import send_wish
from supervisor_ai.drivers.feature.definition import FeatureDefinition, workflow_of
from supervisor_ai.drivers.feature.driver import FeatureDriver
from supervisor_ai.drivers.feature.plan.interfaces import locked_files
from supervisor_ai.drivers.feature.plan.model import Feature
from supervisor_ai.drivers.feature.runs import FeatureRun, newest_of, state_of
from supervisor_ai.drivers.feature.state import LOCKING, FeatureWish


def editable_run(office: FeatureOffice, feature: str) -> FeatureRun | None:
    """Find the run that would go on with an edited plan; None: nobody builds it now.

    Raises Conflict where a component has begun, or where nothing of the plan is in the way.
    """
    newest = newest_of(office.records, feature)
    if newest is None or not newest.is_unfinished or office.records is None:
        return None
    state = state_of(office.records, newest)
    if set(state.parts) != {LOCKING}:
        refuse_unfinished(office, feature)
    return newest


def take_edited(project: OpenProject, run: FeatureRun, feature: Feature) -> None:
    """Let a run go on with an edited plan, and lock its interfaces anew."""
    definition = _with_plan(project, run.definition, feature)
    state = state_of(project.records, run)
    problems = FeatureDriver().migration_problems(state, definition)
    if problems:
        raise Conflict(
            f"Run {run.row.id!r} cannot go on with this plan: {' '.join(problems)}",
            hint=f"Build it anew: supervisor feature cancel {feature.id}",
        )
    target = project.world.documents.save(definition)
    letter = InboxCommand(
        key=LetterKey(f"replan:{run.row.id}:{target}:{project.world.log.head().seq}"),
        run=run.row.id,
        command=Migrate(definition=target),
        actor=project.actor,
        sent_at=project.world.clock.now(),
    )
    project.world.inbox.put(letter)
    send_wish(project, run.row.id, f"{FeatureWish.RETRY.value} {LOCKING}")


def _with_plan(
    project: OpenProject, pinned: FeatureDefinition, feature: Feature
) -> FeatureDefinition:
    """Put an edited plan into what a run has pinned; nothing else of it changes."""
    documents, locked = project.world.documents, locked_files(feature)
    names = {it.id for it in feature.components}
    made: dict[ArtifactHash, ArtifactHash] = {}
    for kept in {kept for name, kept in pinned.children.items() if name in names}:
        child = documents.load(kept, Definition)
        made[kept] = documents.save(replace(child, read_only=locked))
    return replace(
        pinned,
        feature=feature,
        workflow=workflow_of(feature, is_supervised=len(pinned.children) > len(names)),
        children={name: made.get(kept, kept) for name, kept in pinned.children.items()},
    )
