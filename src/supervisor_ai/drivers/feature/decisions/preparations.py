"""What is made and not built: files of other repositories, interfaces, what projects publish."""

from supervisor_ai.domain.run.run import Decision
from supervisor_ai.drivers.feature.effects import WriteInterfaces
from supervisor_ai.drivers.feature.plan.model import DONE, ComponentId
from supervisor_ai.drivers.feature.plan.projects import copies_of, outside, publication
from supervisor_ai.drivers.feature.projects.effects import GatherProjects, PublishProject
from supervisor_ai.drivers.feature.state import GATHERING, LOCKING, FeatureState, step_of


def preparation(state: FeatureState) -> ComponentId | None:
    """Name what has to be on the branch before anybody builds, and is not."""
    feature = state.definition.feature
    if outside(feature.projects) and state.part(GATHERING).status not in DONE:
        return GATHERING
    return LOCKING if feature.interfaces and not state.are_locked else None


def make_part(state: FeatureState, name: ComponentId) -> Decision | None:
    """Make it on top of where the branch stands; what is published waits for an empty queue."""
    feature, onto = state.definition.feature, state.tip.commit
    step, visit = step_of(name), state.part(name).visit
    if name == LOCKING:
        locked = WriteInterfaces(
            step=step,
            visit=visit,
            feature=feature,
            onto=onto,
            definitions=state.book.definitions,
        )
        return Decision(effects=(locked,))
    if name == GATHERING:
        others = outside(feature.projects)
        gathered = GatherProjects(step=step, visit=visit, onto=onto, projects=others)
        return Decision(effects=(gathered,))
    if state.queue:
        return None
    project = next(it for it in feature.projects if publication(it.name) == name)
    published = PublishProject(
        step=step,
        visit=visit,
        project=project.name,
        onto=onto,
        tree=state.tip.tree,
        copies=copies_of(feature.projects, project.name),
    )
    return Decision(effects=(published,))
