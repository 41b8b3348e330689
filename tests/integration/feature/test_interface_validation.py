"""Interfaces are validated when they are locked, and again with every component."""

from collections.abc import Callable, Mapping

import pytest
from tests.support.feature_scene import FeatureScene
from tests.support.plain_interfaces import PlainInterfaces
from tests.unit.drivers.feature.plans import cid, component, feature

from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.status import RunStatus, Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.feature.interfaces import events as i
from supervisor_ai.drivers.feature.interfaces.checks import CheckScope
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm
from supervisor_ai.drivers.feature.plan.model import Feature, Interface, InterfaceKind
from supervisor_ai.engine.ports.sandbox import Channel, SandboxSpec
from supervisor_ai.testing.fake_sandbox import ScriptedReply

ONE, TWO = cid(1, 1), cid(1, 2)
PLAN = feature([component(1, 1), component(1, 2)])
TS = Interface(name="User", kind=InterfaceKind.TYPESCRIPT, definition="interface User {}")
SQL = Interface(name="users", kind=InterfaceKind.SQL, definition="SELECT 1")
REFUSAL = b"types/User.d.ts(1,18): error TS2304: Cannot find name 'Money'.\n"
OWN = "node_modules/.bin/tsc"
Installed = Mapping[str, Callable[[SandboxSpec], int]]


def plan(*interfaces: Interface) -> Feature:
    return replace(PLAN, phases=(replace(PLAN.phases[0], interfaces=interfaces),))


def scene_with(
    installed: Installed,
    *interfaces: Interface,
    deeds: Mapping[str, list[Mapping[str, str]]] | None = None,
    form: InterfaceForm | None = None,
    files: Mapping[str, str] | None = None,
) -> FeatureScene:
    """Make a scene whose sandbox has some tools, and whose parser says the same of everything."""
    tries = {cid(1, int(name)): said for name, said in (deeds or {}).items()}
    scene = FeatureScene(plan(*interfaces), tries, slots=1, files=files)
    judge = scene.kernel.fakes.sandbox._script

    def script(spec: SandboxSpec) -> ScriptedReply | None:
        program = spec.argv[0]
        if program in installed:
            code = installed[program](spec)
            printed = ((Channel.STDOUT, REFUSAL),) if code == 2 else ()
            return ScriptedReply(exit_code=code, output=printed)
        return None if program.endswith(("tsc", "mypy")) else judge(spec)

    scene.kernel.fakes.sandbox._script = script
    if form is not None:
        parser = scene.kernel.feature_ports["interfaces"]
        assert isinstance(parser, PlainInterfaces)
        parser.judge = lambda _: form
    return scene


def validated(scene: FeatureScene) -> dict[str, list[tuple[str, str]]]:
    found = scene.kernel.events(scene.run, i.InterfacesValidated)
    return {str(it.step): [(c.by, c.verdict.value) for c in it.checks] for it in found}


def test_without_a_tool_a_parser_looks_and_without_a_parser_nobody() -> None:
    scene = scene_with({}, TS)
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    usual = [("a parser", "passed")]
    assert validated(scene) == {"interfaces": usual, ONE: usual, TWO: usual}
    tried = [it.argv[0] for it in scene.kernel.fakes.sandbox.specs if "tsc" in it.argv[0]]
    assert tried == [OWN, "tsc"], "what is not installed is not looked for again"
    nobody = scene_with({}, SQL, form=InterfaceForm())
    nobody.go()
    assert validated(nobody)[ONE] == [("", "not_run")]
    assert nobody.kernel.status(nobody.run) is RunStatus.COMPLETED


def test_the_tool_of_the_set_up_comes_before_the_one_of_the_machine() -> None:
    scene = scene_with({OWN: lambda _: 0, "tsc": lambda _: 1}, TS)
    scene.go()
    assert validated(scene)[TWO] == [("tsc", "passed")]
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED


def test_an_older_tool_is_called_with_the_words_that_it_knows() -> None:
    def tsc(spec: SandboxSpec) -> int:
        return 1 if "--ignoreConfig" in spec.argv else 0

    scene = scene_with({"tsc": tsc}, TS)
    scene.go()
    assert validated(scene)[TWO] == [("tsc", "passed")]
    looks = [it.argv[1] for it in scene.kernel.fakes.sandbox.specs if it.argv[0] == "tsc"]
    assert len(looks) == 4, "tried with the newer word once, and never again"


def test_an_interface_that_its_tool_refuses_stops_the_feature_before_anybody_builds() -> None:
    scene = scene_with({"tsc": lambda _: 2}, TS)
    scene.go()
    assert validated(scene) == {"interfaces": [("tsc", "failed")]}
    assert scene.branch() == []
    assert scene.kernel.events(scene.run, e.ChildStarted) == []
    failed = scene.kernel.events(scene.run, e.StepFailed)[0]
    assert "do not hold on the merged files, says tsc" in failed.reason


def test_what_a_parser_refuses_needs_no_tool() -> None:
    broken = InterfaceForm(by="a parser", problem="is no TypeScript")
    scene = scene_with({"tsc": lambda _: 0}, TS, form=broken)
    scene.go()
    assert validated(scene) == {"interfaces": [("a parser", "failed")]}
    assert not any(it.argv[0] == "tsc" for it in scene.kernel.fakes.sandbox.specs)


def test_references_that_lead_nowhere_are_left_to_the_parser() -> None:
    warned = InterfaceForm(by="a parser", warnings=("unknown $ref 'x'",))
    scene = scene_with({"tsc": lambda _: 1}, TS, form=warned)
    scene.go()
    assert validated(scene)[ONE] == [("a parser", "passed")]


def test_a_project_that_holds_before_is_looked_at_as_a_whole_with_every_component() -> None:
    looks: list[tuple[str, ...]] = []

    def tsc(spec: SandboxSpec) -> int:
        looks.append(spec.argv)
        # The fourth look is the first at the whole project with the first component.
        return 2 if len(looks) == 4 else 0

    deeds: dict[str, list[Mapping[str, str]]] = {"1": [{"a.ts": "wrong"}, {"a.ts": "right"}]}
    scene = scene_with({"tsc": tsc}, TS, deeds=deeds, files={"tsconfig.json": "{}"})
    scene.go()
    scene.check()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert looks[1] == looks[3]
    assert looks[1][-2:] == ("--project", "tsconfig.json")
    again = [prompt for name, prompt in scene.told if name == ONE]
    assert len(again) == 2, "it was sent back"
    assert "error TS2304" in again[1]
    assert scene.files()["a.ts"] == "right"
    scopes = scene.kernel.events(scene.run, i.InterfacesValidated)[0].checks
    assert [it.scope for it in scopes] == [CheckScope.INTERFACES, CheckScope.PROJECT]


@pytest.mark.parametrize("code", [1, 2])
def test_a_project_that_does_not_hold_before_blames_nobody(code: int) -> None:
    def tsc(spec: SandboxSpec) -> int:
        return code if "--project" in spec.argv else 0

    scene = scene_with({"tsc": tsc}, TS, files={"tsconfig.json": "{}"})
    scene.go()
    assert validated(scene)["interfaces"] == [("tsc", "passed"), ("tsc", "warned")]
    assert validated(scene)[ONE] == [("tsc", "passed")]
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED


def test_a_tool_that_works_no_more_is_a_persons_business() -> None:
    codes = iter([0, 127, 0, 0])
    scene = scene_with({"tsc": lambda _: next(codes)}, TS)
    scene.go()
    assert scene.state.part(ONE).status.value == "failed"
    assert "does not now" in scene.state.part(ONE).reason
    scene.say(f"retry {ONE}")
    scene.go()
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED


def test_a_component_that_keeps_its_tool_from_working_is_sent_back() -> None:
    codes = iter([0, 1, 0, 0])
    scene = scene_with({"tsc": lambda _: next(codes)}, TS)
    scene.go()
    assert validated(scene)[ONE] == [("tsc", "passed")]
    assert scene.kernel.status(scene.run) is RunStatus.COMPLETED
    assert [name for name, _ in scene.told].count(ONE) == 2


def test_a_component_cannot_bring_its_own_judge() -> None:
    deeds: dict[str, list[Mapping[str, str]]] = {"1": [{OWN: "exit 0"}, {"a": "fine"}]}
    scene = scene_with({OWN: lambda _: 0}, TS, deeds=deeds)
    scene.go()
    scene.check()
    found = [
        it for it in scene.kernel.events(scene.run, i.InterfacesValidated) if str(it.step) == ONE
    ]
    assert [it.checks[0].verdict for it in found] == [Verdict.FAILED, Verdict.PASSED]
    assert OWN not in scene.files()
    theirs = scene_with({OWN: lambda _: 0}, TS, files={OWN: "exit 0"})
    theirs.go()
    assert validated(theirs)["interfaces"] == [("a parser", "passed")]
