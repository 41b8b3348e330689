"""A landing over several repositories dies anywhere: it is in all of them or in none, once."""

import pytest
from tests.support.kernel import PERSON, Kernel
from tests.support.memory_projects import MemoryLandings
from tests.support.mortal_log import MortalLog

from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.ids import CommitSha, RunId
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.commands.land import Lander
from supervisor_ai.drivers.feature.projects import landings as m
from supervisor_ai.drivers.feature.projects.landings import LandingState, LandingStatus
from supervisor_ai.drivers.feature.projects.ports import LandingRequest
from supervisor_ai.drivers.feature.projects.stream import LandingView, landing_stream
from supervisor_ai.drivers.feature.projects.values import ProjectOrigin

NEVER = 10**6
RUN = RunId("r1")
BRANCHES = {"": "home", "types": "t", "web": "w"}
REQUEST = LandingRequest(
    run=RUN,
    title="Users",
    base=CommitSha("home"),
    commit=CommitSha("end"),
    origins=tuple(
        ProjectOrigin(
            project=name, place=name, repository=f"/{name}", branch="main", sha=CommitSha(tip)
        )
        for name, tip in BRANCHES.items()
    ),
)
EVERYWHERE = {name: f"{tip}+{RUN}" for name, tip in BRANCHES.items()}


class Moving(MemoryLandings):
    """Somebody moves a branch while a landing is under way."""

    def __init__(self, *, at: int, project: str, tip: str, dies_at: int = NEVER) -> None:
        super().__init__(BRANCHES, dies_at=dies_at)
        self._at, self._project, self._tip = at, project, tip

    def _do(self) -> None:  # type: ignore[explicit-override]
        if self.deeds + 1 == self._at:
            self.branches[self._project] = self._tip
        super()._do()


def land(landings: MemoryLandings, *, dies_at: int = NEVER, is_late: bool = False) -> LandingState:
    """Land, and land again after each death, as a user would."""
    kernel = Kernel(None)
    log = MortalLog(kernel.world.log, dies_at, is_late=is_late)
    for each in (log, kernel.world.log, kernel.world.log):
        lander = Lander(view=LandingView(each, RUN), landings=landings, actor=PERSON)
        try:
            state = lander.land(lambda: REQUEST)
        except KeyboardInterrupt:
            continue
        facts = [it.event for it in kernel.world.log.read(landing_stream(RUN))]
        ends = (m.LandingCompleted, m.LandingUndone, m.LandingSplit)
        assert sum(isinstance(it, ends) for it in facts) == (1 if facts else 0)
        return state
    raise AssertionError("It died more often than it could.")


def test_all_branches_move_and_a_second_call_changes_nothing() -> None:
    landings = MemoryLandings(BRANCHES)
    assert land(landings).status is LandingStatus.LANDED
    assert landings.branches == EVERYWHERE
    assert land(landings).status is LandingStatus.NONE, "another ledger, the same branches"


@pytest.mark.parametrize("is_late", [False, True])
def test_a_death_at_every_write_is_finished_by_the_next_call(*, is_late: bool) -> None:
    for dies_at in range(1, 6):
        landings = MemoryLandings(BRANCHES)
        state = land(landings, dies_at=dies_at, is_late=is_late)
        assert landings.branches == EVERYWHERE, dies_at
        assert state.status is LandingStatus.LANDED


def test_a_death_before_and_after_every_deed_is_finished_by_the_next_call() -> None:
    for dies_at in range(1, 8):
        landings = MemoryLandings(BRANCHES, dies_at=dies_at)
        assert land(landings).status is LandingStatus.LANDED, dies_at
        assert landings.branches == EVERYWHERE, dies_at


def test_a_branch_that_moved_meanwhile_lets_all_others_go_back() -> None:
    landings = Moving(at=2, project="web", tip="somebody")
    state = land(landings)
    assert state.status is LandingStatus.UNDONE
    assert landings.branches == {**BRANCHES, "web": "somebody"}
    assert "moved in the meantime" in state.reason


def test_a_branch_that_moves_in_the_very_moment_does_so_too() -> None:
    landings = Moving(at=6, project="web", tip="somebody")
    assert land(landings).status is LandingStatus.UNDONE
    assert landings.branches == {**BRANCHES, "web": "somebody"}


@pytest.mark.parametrize("is_late", [False, True])
def test_a_death_while_it_goes_back_is_finished_too(*, is_late: bool) -> None:
    # A death before anything was prepared lets the next call begin from where all stand by then.
    for dies_at in range(1 if is_late else 2, 8):
        landings = Moving(at=2, project="web", tip="somebody")
        state = land(landings, dies_at=dies_at, is_late=is_late)
        assert (state.status, landings.branches["web"]) == (LandingStatus.UNDONE, "somebody")
        assert landings.branches[""] == BRANCHES[""], dies_at
    for dies_at in range(3, 12):
        landings = Moving(at=2, project="web", tip="somebody", dies_at=dies_at)
        assert land(landings).status is LandingStatus.UNDONE, dies_at
        assert landings.branches == {**BRANCHES, "web": "somebody"}


def test_what_somebody_built_on_is_kept_and_told() -> None:
    class Building(Moving):
        def _do(self) -> None:  # type: ignore[explicit-override]
            super()._do()
            if self.deeds == 6:
                self.branches[""] = f"{self.branches['']} and more"

    landings = Building(at=6, project="web", tip="somebody")
    state = land(landings)
    assert state.status is LandingStatus.SPLIT
    assert landings.branches[""].endswith("and more")
    assert landings.branches["types"] == BRANCHES["types"]
    assert state.kept == ("",)
    assert [it.project for it in state.landed] == [""], "from there a later landing goes on"


def test_a_checkout_that_cannot_go_back_leaves_the_landing_open_for_the_next_call() -> None:
    class Dirty(Moving):
        is_dirty = True

        def restore(self, move: m.RepositoryMove) -> None:  # type: ignore[explicit-override]
            if self.is_dirty:
                self.is_dirty = False
                raise Conflict("Your checkout has changes.")
            super().restore(move)

    landings = Dirty(at=2, project="web", tip="somebody")
    kernel = Kernel(None)
    lander = Lander(view=LandingView(kernel.world.log, RUN), landings=landings, actor=PERSON)
    with pytest.raises(Conflict):
        lander.land(lambda: REQUEST)
    assert lander.land(lambda: REQUEST).status is LandingStatus.UNDONE
    assert landings.branches == {**BRANCHES, "web": "somebody"}


def test_a_landing_that_was_undone_can_be_tried_again() -> None:
    landings, kernel = Moving(at=2, project="web", tip="somebody"), Kernel(None)
    lander = Lander(view=LandingView(kernel.world.log, RUN), landings=landings, actor=PERSON)
    assert lander.land(lambda: REQUEST).status is LandingStatus.UNDONE
    assert lander.land(lambda: REQUEST).status is LandingStatus.LANDED
    assert landings.branches == {**EVERYWHERE, "web": f"somebody+{RUN}"}
    done = lander.land(lambda: REQUEST)
    assert done.status is LandingStatus.LANDED
    assert done.landed == done.moves, "what was undone is no landing"


def test_what_is_merged_with_more_goes_on_from_what_the_feature_alone_made() -> None:
    move = m.RepositoryMove(
        project="", repository="/", branch="main", old=CommitSha("a"), new=CommitSha("b")
    )
    assert (move.own, replace(move, part=CommitSha("c")).own) == ("b", "c")
