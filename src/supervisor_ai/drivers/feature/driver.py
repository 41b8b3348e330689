"""The feature driver: many components at once, one branch that is always green."""

from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.knowledge.provenance import KnowledgeOrigin
from supervisor_ai.domain.run.events import RunSubmitted
from supervisor_ai.domain.run.run import Decision, Run
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.decide import decide
from supervisor_ai.drivers.feature.definition import NAME, FeatureDefinition
from supervisor_ai.drivers.feature.plan.rehearsal import rehearse
from supervisor_ai.drivers.feature.plan.terms import terms_of
from supervisor_ai.drivers.feature.state import FeatureState, evolve, forked
from supervisor_ai.drivers.moves.attempts import base_of


class FeatureDriver:
    """Lets runs of components build, and merges what they built one at a time."""

    name: Final = NAME
    state_type: Final = FeatureState
    definition_type: Final = FeatureDefinition

    def begin(self, birth: RunSubmitted, definition: FeatureDefinition) -> FeatureState:
        """Return the state before anything happened."""
        base = base_of(birth)
        best = rehearse(terms_of(definition.feature, definition.slots))
        return FeatureState(
            definition=definition,
            branch=birth.branch,
            tip=Snapshot(commit=base.sha, tree=base.tree),
            lengths=best.lengths,
            first=best.first,
            knowledge=KnowledgeOrigin(base=base.sha),
        )

    def evolve(self, state: FeatureState, event: Event) -> FeatureState:
        """Fold one recorded fact into the state."""
        return evolve(state, event)

    def fork(self, state: FeatureState) -> FeatureState:
        """Return the state that a fork begins with: nothing is under way any more."""
        return forked(state)

    def migrate(self, state: FeatureState, definition: FeatureDefinition) -> FeatureState:
        """Go on under another definition."""
        best = rehearse(terms_of(definition.feature, definition.slots))
        return replace(state, definition=definition, lengths=best.lengths, first=best.first)

    def migration_problems(
        self, state: FeatureState, definition: FeatureDefinition
    ) -> tuple[str, ...]:
        """List why the run cannot go on under another definition."""
        pinned = state.definition.feature
        if {it.id for it in pinned.components} != {it.id for it in definition.feature.components}:
            return ("The components of a feature stay the same while it is built.",)
        if state.statuses and pinned != definition.feature:
            return ("The plan of a feature stays the same once a component has begun.",)
        return ()

    def decide(self, run: Run, state: FeatureState) -> Decision:
        """Say what happens next."""
        return decide(run, state)
