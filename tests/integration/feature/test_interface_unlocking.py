"""An interface is unlocked with a person's word, changed, validated and locked again."""

from tests.support.feature_scene import FAILS, FeatureScene, Tries
from tests.support.plain_interfaces import PlainInterfaces
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.inbox_commands import Approve, Reject
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.interfaces import events as i
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm
from supervisor_ai.drivers.feature.plan.model import ComponentId, Interface, InterfaceKind

ONE, TWO, THREE = cid(1, 1), cid(1, 2), cid(2, 1)
OLD, NEW = "class User: ...", "class User:\n    name: str"
USER = Interface(name="User", kind=InterfaceKind.SQL, definition=OLD)
ITEM = Interface(name="Item", kind=InterfaceKind.SQL, definition="class Item: ...")
FILE = "sql/User.sql"


def scene(deeds: dict[ComponentId, Tries] | None = None) -> FeatureScene:
    """Make a feature whose last component fails at first, so that its run waits for a word."""
    second = replace(component(1, 2), uses=("Item",))
    plan = feature([component(1, 1), second], [component(2, 1, needs=[ONE])])
    phases = (replace(plan.phases[0], interfaces=(USER, ITEM)), plan.phases[1])
    made = FeatureScene(
        replace(plan, phases=phases), {THREE: [FAILS, {"z": "done"}], **(deeds or {})}
    )
    made.go()
    assert made.kernel.status(made.run) is RunStatus.WAITING
    return made


def keep(made: FeatureScene, text: str) -> ArtifactHash:
    return made.kernel.world.artifacts.put(text)


def ask(made: FeatureScene, name: str = "User") -> None:
    made.say(f"unlock {name} {keep(made, f'{name} has to change.')}")
    made.go()


def answer(made: FeatureScene, *, agrees: bool) -> None:
    asked = made.kernel.play(made.run).run.approval
    assert asked is not None
    step, visit, tree = asked.step, asked.visit, asked.tree
    note = keep(made, "because")
    command = (
        Approve(step=step, visit=visit, tree=tree)
        if agrees
        else Reject(step=step, visit=visit, tree=tree, note=note)
    )
    made.kernel.send(made.run, f"answer {made.kernel.world.log.head().seq}", command)
    made.go()


def opened(deeds: dict[ComponentId, Tries] | None = None) -> FeatureScene:
    made = scene(deeds)
    ask(made)
    answer(made, agrees=True)
    return made


def reopened(made: FeatureScene) -> list[ComponentId]:
    return [it.component for it in made.kernel.events(made.run, i.ComponentReopened)]


def test_a_person_is_asked_and_nothing_changes_before_the_answer() -> None:
    made = scene()
    ask(made)
    asked = made.kernel.events(made.run, e.ApprovalRequested)
    assert [(str(it.reason), it.slot) for it in asked] == [("interface", 1)]
    assert made.kernel.status(made.run) is RunStatus.WAITING
    assert made.kernel.events(made.run, i.InterfaceUnlocked) == []
    ask(made)
    assert len(made.kernel.events(made.run, e.ApprovalRequested)) == 1, "it is asked once"
    answer(made, agrees=False)
    assert made.kernel.events(made.run, i.InterfaceUnlocked) == []
    assert reopened(made) == []
    ask(made)
    assert made.kernel.events(made.run, e.ApprovalRequested)[-1].slot == 2


def test_what_depends_on_it_is_open_again_and_waits() -> None:
    made = opened()
    assert reopened(made) == [ONE], "the second uses another interface, the third has failed"
    assert made.statuses() == {ONE: "pending", TWO: "completed", THREE: "failed"}
    starts = len(made.kernel.events(made.run, e.ChildStarted))
    made.say(f"retry {THREE}")
    made.go()
    assert made.statuses()[THREE] == "pending", "it depends on what depends on the interface"
    assert len(made.kernel.events(made.run, e.ChildStarted)) == starts
    assert made.kernel.status(made.run) is RunStatus.WAITING


def test_another_definition_is_validated_and_lands_before_anybody_builds_again() -> None:
    made = opened()
    made.say(f"lock User {keep(made, NEW)}")
    made.say(f"retry {THREE}")
    made.go()
    made.check()
    assert made.kernel.status(made.run) is RunStatus.COMPLETED
    assert made.files()[FILE] == f"{NEW}\n"
    landed = made.steps(e.IntegrationLanded)
    assert landed.count("interfaces") == 2
    locked = made.kernel.events(made.run, i.InterfaceLocked)
    assert [it.name for it in locked] == ["User"]
    again = [prompt for name, prompt in made.told if name == ONE][-1]
    assert "It has to be looked at again" in again
    assert "User has to change." in again
    assert "could not be merged" not in again
    last = made.kernel.events(made.run, i.InterfacesValidated)[-1]
    assert last.checks[0].verdict.value == "passed", "held against the new definition"


def test_it_can_be_locked_as_it_was() -> None:
    made = opened()
    made.say("lock User")
    made.say(f"retry {THREE}")
    made.go()
    made.check()
    assert made.kernel.status(made.run) is RunStatus.COMPLETED
    assert made.files()[FILE] == f"{OLD}\n"
    assert made.steps(e.IntegrationLanded).count("interfaces") == 1


def test_a_definition_that_is_refused_leaves_it_open() -> None:
    made = opened()
    parser = made.kernel.feature_ports["interfaces"]
    assert isinstance(parser, PlainInterfaces)
    parser.judge = lambda it: InterfaceForm(
        by="a parser", problem="is no SQL" if it.definition == NEW else None
    )
    made.say(f"lock User {keep(made, NEW)}")
    made.go()
    assert made.files()[FILE] == f"{OLD}\n"
    assert made.kernel.events(made.run, i.InterfaceLocked) == []
    assert made.kernel.status(made.run) is RunStatus.WAITING
    made.say(f"lock User {keep(made, 'SELECT 2')}")
    made.say(f"retry {THREE}")
    made.go()
    made.check()
    assert made.files()[FILE] == "SELECT 2\n"
    assert made.kernel.status(made.run) is RunStatus.COMPLETED


def test_what_was_built_meanwhile_is_built_again_and_never_merged() -> None:
    second = replace(component(1, 2), uses=())
    plan = feature([component(1, 1), second])
    plan = replace(plan, phases=(replace(plan.phases[0], interfaces=(USER,)),))
    made = FeatureScene(plan)
    while not made.kernel.events(made.run, e.ChildStarted):
        made._drive(made.run)
    made.say(f"unlock User {keep(made, 'User has to change.')}")
    made._drive(made.run)
    answer(made, agrees=True)
    assert made.statuses() == {ONE: "pending", TWO: "completed"}
    assert ONE not in made.steps(e.IntegrationLanded)
    failed = [it for it in made.kernel.events(made.run, e.StepFailed) if str(it.step) == ONE]
    assert "unlocked meanwhile" in failed[0].reason
    made.say(f"lock User {keep(made, NEW)}")
    made.go()
    made.check()
    assert made.kernel.status(made.run) is RunStatus.COMPLETED


def test_words_about_nothing_are_heard_and_lead_to_nothing() -> None:
    made = scene()
    why = keep(made, "x")
    for words in (f"unlock Nobody {why}", "unlock User", "lock User", f"lock User {why}"):
        made.say(words)
        made.go()
    assert made.kernel.events(made.run, e.ApprovalRequested) == []
    assert made.state.book.unlocks == {}


def test_two_interfaces_are_asked_about_one_after_the_other() -> None:
    made = scene()
    ask(made)
    ask(made, "Item")
    assert len(made.kernel.events(made.run, e.ApprovalRequested)) == 1
    answer(made, agrees=True)
    answer(made, agrees=True)
    assert [it.name for it in made.kernel.events(made.run, i.InterfaceUnlocked)] == ["User", "Item"]
    assert sorted(set(reopened(made))) == [ONE, TWO]
    made.say(f"lock User {keep(made, NEW)}")
    made.say(f"lock Item {keep(made, 'SELECT 3')}")
    made.say(f"retry {THREE}")
    made.go()
    made.check()
    assert made.kernel.status(made.run) is RunStatus.COMPLETED
    assert made.files()["sql/Item.sql"] == "SELECT 3\n"
    assert made.files()[FILE] == f"{NEW}\n"


def test_a_paused_feature_locks_nothing() -> None:
    made = opened()
    made.say("pause")
    made.say(f"lock User {keep(made, NEW)}")
    made.go()
    assert made.files()[FILE] == f"{OLD}\n"
    made.say("resume")
    made.say(f"retry {THREE}")
    made.go()
    made.check()
    assert made.files()[FILE] == f"{NEW}\n"
