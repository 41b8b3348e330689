"""What workers of components leave for each other: who may be named, and who hears what."""

from collections import Counter

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.feature.plan.model import DONE, ComponentId, Feature
from supervisor_ai.drivers.feature.state import FeatureState


def called(feature: Feature, but: ComponentId) -> dict[str, ComponentId]:
    """Say how other components can be named; a short name counts where only one has it."""
    names = {it: short for it, short in feature.short_names().items() if it != but}
    plain = Counter(short.partition(".")[2] for short in names.values())
    found: dict[str, ComponentId] = {}
    for component, short in names.items():
        found |= {component: component, short: component}
        word = short.partition(".")[2]
        if plain[word] == 1:
            found.setdefault(word, component)
    return found


def notes_for(
    state: FeatureState, component: ComponentId
) -> tuple[tuple[ComponentId, ArtifactHash], ...]:
    """Gather what is left for a component by those that are on the branch, and by nobody else."""
    return tuple(
        (author, note.text)
        for author, part in state.parts.items()
        if part.status in DONE
        for note in part.notes
        if note.to == component
    )
