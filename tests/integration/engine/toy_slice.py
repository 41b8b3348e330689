"""A toy slice, a baker: its own event, effect, performer, step, sentence, table and stream."""

from dataclasses import dataclass
from typing import ClassVar, Final, cast

from msgspec import Struct

from supervisor_ai.control.registered_kinds import StepPhrases
from supervisor_ai.control.sentence_table import on
from supervisor_ai.control.slices import Slice, SliceStream
from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.definition import Step
from supervisor_ai.domain.run.effects import OperationEffect
from supervisor_ai.domain.run.event_kinds.placed import OperationEnded, OperationStarted
from supervisor_ai.domain.run.run import Decision, Ending, Run
from supervisor_ai.domain.run.status import Outcome, OutcomeKind, RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.moves.state import Visit, WorkflowState
from supervisor_ai.drivers.moves.steps import pass_step, perform
from supervisor_ai.engine.effects.performer import performer
from supervisor_ai.engine.playback import opener
from supervisor_ai.engine.streams.folded_stream import Fold
from supervisor_ai.engine.world import Operation, Performers

OVEN: Final = StepName("oven")


class BakeStarted(OperationStarted, frozen=True, kw_only=True):
    """A loaf goes into the oven."""

    operation: ClassVar = "bake"

    flour: str

    def lost(self) -> "BakeLost":  # type: ignore[explicit-override]
        return BakeLost(step=self.step, visit=self.visit, slot=self.slot)


class Baked(OperationEnded, frozen=True, kw_only=True):
    """A loaf is done."""

    ends: ClassVar = BakeStarted

    crust: str


class BakeLost(OperationEnded, frozen=True, kw_only=True):
    """The baker died; nobody knows where the loaf is."""

    ends: ClassVar = BakeStarted


class Bake(OperationEffect, frozen=True, kw_only=True):
    """Bake a loaf."""

    flour: str

    def intent(self) -> BakeStarted:  # type: ignore[explicit-override]
        return BakeStarted(step=self.step, visit=self.visit, slot=self.slot, flour=self.flour)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """What a run of the baker pins."""

    flour: str
    loaves: int


class LoafShelved(Event, frozen=True, kw_only=True):
    """A loaf is in the larder."""

    flour: str


class LoafEaten(Event, frozen=True, kw_only=True):
    """A loaf is gone."""


class Larder(Struct, frozen=True, kw_only=True):
    """What is in a larder, whoever baked it."""

    loaves: int = 0


def evolve_larder(larder: Larder, event: Event) -> Larder:
    """Count the loaves."""
    return Larder(loaves=larder.loaves + (1 if isinstance(event, LoafShelved) else -1))


LARDER: Final = SliceStream(
    prefix="larder",
    fold=Fold(name="larder", kind=Larder, evolve=evolve_larder, code=(Larder,)),
    events=(LoafShelved, LoafEaten),
)


class Bakery(Struct, frozen=True, kw_only=True):
    """What the baker remembers."""

    recipe: Recipe
    baked: int = 0


class BakerDriver:
    """Bakes one loaf after the other."""

    name: Final = "toy-baker"
    state_type: Final = Bakery
    definition_type: Final = Recipe

    def begin(self, birth: e.RunSubmitted, definition: Recipe) -> Bakery:
        del birth
        return Bakery(recipe=definition)

    def evolve(self, state: Bakery, event: Event) -> Bakery:
        return replace(state, baked=state.baked + 1) if isinstance(event, Baked) else state

    def decide(self, run: Run, state: Bakery) -> Decision:
        if run.open:
            return Decision()
        if state.baked < state.recipe.loaves:
            loaf = Bake(step=OVEN, visit=state.baked + 1, flour=state.recipe.flour)
            return Decision(effects=(loaf,))
        outcome = Outcome(kind=OutcomeKind.DONE, reason="The bread is on the table.")
        return Decision(ending=Ending(status=RunStatus.COMPLETED, outcome=outcome))

    def fork(self, state: Bakery) -> Bakery:
        return state

    def migrate(self, state: Bakery, definition: Recipe) -> Bakery:
        return replace(state, recipe=definition)

    def migration_problems(self, state: Bakery, definition: Recipe) -> tuple[str, ...]:
        del state, definition
        return ()


class Oven:
    """Performs the baker's effect; burns down with its process when it is told to."""

    def __init__(self) -> None:
        self.fails_at: int | None = None

    async def __call__(self, effect: Bake, operation: Operation) -> e.RunEvent:
        del operation
        if effect.visit == self.fails_at:
            raise KeyboardInterrupt
        return Baked(step=effect.step, visit=effect.visit, slot=effect.slot, crust="golden")

    def performers(self) -> Performers:
        """Register the oven."""
        return performer(Bake, self)


def decide_bake(run: Run, state: WorkflowState, at: Step, visit: Visit) -> Decision:
    """Bake one loaf of the flour that a step of a workflow describes."""
    if run.open:
        return Decision()
    if isinstance(state.news, Baked):
        return pass_step(run, state, at)
    return perform(run, state, Bake(step=at.name, visit=visit.number, flour=at.description))


BAKE_PHRASES: Final = StepPhrases(deed="bakes", preview="bake a loaf")
SLICE: Final = Slice(
    driver=opener(BakerDriver()),
    events=(BakeStarted, Baked, BakeLost),
    streams=(LARDER,),
    performers=lambda ports: cast("Oven", ports["oven"]).performers(),
    sentences=(
        on(BakeStarted, lambda it: f"a loaf of {it.flour} goes in", is_routine=True),
        on(Baked, lambda it: f"a {it.crust} loaf comes out", mark="baked"),
        on(BakeLost, lambda _: "nobody knows where the loaf is"),
        on(LoafShelved, lambda it: f"a loaf of {it.flour} is in the larder"),
    ),
    tables={
        "loaves": "CREATE TABLE IF NOT EXISTS loaves (run TEXT, visit INTEGER, crust TEXT)",
        "larders": "CREATE TABLE IF NOT EXISTS larders (larder TEXT, flour TEXT)",
    },
    rules={
        Baked: ("INSERT INTO loaves (run, visit, crust) VALUES (:run, :visit, :crust)",),
        BakeLost: ("INSERT INTO loaves (run, visit) VALUES (:run, :visit)",),
        LoafShelved: ("INSERT INTO larders (larder, flour) VALUES (:stream, :flour)",),
    },
)
