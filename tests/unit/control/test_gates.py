"""A gate on any two commits."""

from typing import TYPE_CHECKING, Final

import pytest
from tests.unit.control.gate_place import FINDING, GATES, Place, fails, missing

from supervisor_ai.control.commands.gates.gate_check import CheckQuestion
from supervisor_ai.control.ports.definitions import GateSummary
from supervisor_ai.domain.errors import Denied, InvalidInput, NotFound
from supervisor_ai.domain.run.gates import Area, GateKind, GatePolicy
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.gates import NewTests, Reading

if TYPE_CHECKING:
    pass


def test_a_look_needs_neither_trust_nor_a_sandbox() -> None:
    place = Place(is_trusted=False)
    place.finding(FINDING)
    found = place.check(CheckQuestion(gate="test_integrity", may_change=(Area.SNAPSHOTS,)))
    assert (found.gate, found.kind) == ("test_integrity", GateKind.TEST_INTEGRITY)
    assert (found.base, found.head) == (place.old, place.new)
    assert (found.verdict, found.findings) == (Verdict.FAILED, (FINDING,))
    [(kind, case)] = place.fakes.examiner.seen
    assert (kind, case.base, case.head) == (GateKind.TEST_INTEGRITY, place.old, place.new)
    assert case.may_change == (Area.SNAPSHOTS,)
    assert place.chosen == []


def test_a_command_runs_on_the_head_in_the_sandbox_that_the_project_asks_for() -> None:
    place = Place()
    found = place.check(CheckQuestion(gate="test", base="old", head="main"))
    assert (found.verdict, found.exit_code, found.findings) == (Verdict.PASSED, 0, ())
    [spec] = place.fakes.sandbox.specs
    assert spec.argv == ("pytest",)
    assert set(place.chosen) == {"podman"}
    assert place.shelf.asked == [place.old], "the change does not say what the gate is made of"


def test_what_went_wrong_is_told() -> None:
    place = Place(fails)
    place.fakes.examiner.readings["1 failed"] = Reading(
        tool="pytest", tests=1, failed=1, failing="FAILED t.py::t"
    )
    found = place.check(CheckQuestion(gate="test"))
    assert (found.verdict, found.exit_code, found.tests) == (Verdict.FAILED, 1, 1)
    assert found.output == "1 failed\n"
    assert "FAILED t.py::t" in found.told


def test_a_command_that_is_not_there_was_not_run() -> None:
    assert Place(missing).check(CheckQuestion(gate="test")).verdict is Verdict.NOT_RUN


def test_a_gate_that_only_warns_says_so() -> None:
    place = Place(fails)
    place.shelf.gates_of = {"test": replace(GATES["test"], policy=GatePolicy.WARN)}
    assert place.check(CheckQuestion(gate="test")).verdict is Verdict.WARNED


def test_with_tdd_new_tests_have_to_fail_on_the_old_code_as_well() -> None:
    place = Place()
    place.fakes.examiner.tests = NewTests(contents={"t.py": b"new"}, names=(("t.py", "t"),))
    alone = place.check(CheckQuestion(gate="test_integrity"))
    both = place.check(CheckQuestion(gate="test_integrity", is_tdd=True))
    assert (alone.verdict, alone.findings) == (Verdict.PASSED, ())
    assert (both.gate, both.verdict) == ("test_integrity", Verdict.FAILED)
    assert [it.rule for it in both.findings] == ["green_before"]
    once = place.check(CheckQuestion(gate="red_before_green", is_tdd=True))
    assert len(once.findings) == 1


def test_a_command_of_the_project_needs_the_users_trust() -> None:
    place = Place(is_trusted=False)
    with pytest.raises(Denied):
        place.check(CheckQuestion(gate="test"))
    assert not place.fakes.sandbox.specs


def test_the_first_commit_has_nothing_to_be_compared_with() -> None:
    with pytest.raises(InvalidInput, match="no commit before 'main~1'") as error:
        Place().check(CheckQuestion(gate="test_integrity", head="old"))
    assert error.value.hint == "Name the other commit: --base REF"
    assert Place().check(CheckQuestion(gate="test", head="old")).verdict is Verdict.PASSED


def test_a_gate_that_no_base_was_named_for_is_the_heads_where_the_commit_before_has_none() -> None:
    place = Place()
    own = GateSummary(name="test", description="", kind="command", origin="project")
    place.shelf.at = {place.old: [replace(own, origin="built-in")], place.new: [own]}
    found = place.check(CheckQuestion(gate="test"))
    assert found.note.endswith("configures it; the commit before it has no such gate")
    place.shelf.at = {place.old: [own], place.new: [own]}
    assert place.check(CheckQuestion(gate="test")).note == ""
    built_in = replace(own, origin="built-in", command=("make", "test"))
    place.shelf.at = {place.old: [built_in], place.new: [built_in]}
    assert "built in" in place.check(CheckQuestion(gate="test")).note


@pytest.mark.parametrize(
    "question",
    [
        CheckQuestion(gate="tset"),
        CheckQuestion(gate="test", base="nowhere"),
        CheckQuestion(gate="test", head="nowhere"),
    ],
)
def test_what_does_not_exist_is_not_found(question: CheckQuestion) -> None:
    with pytest.raises(NotFound):
        Place().check(question)


DOCS: Final = GateSummary(name="docs", description="", kind="command")


def test_a_gate_that_only_the_head_configures_is_said_to_be_of_the_head() -> None:
    place = Place()
    place.shelf.at = {place.old: [replace(DOCS, missing="write it")], place.new: [DOCS]}
    with pytest.raises(NotFound, match="'docs' is configured in 'main', but not in") as error:
        place.check(CheckQuestion(gate="docs", base="old"))
    assert error.value.hint == (
        "Definitions are read from the base; `--base HEAD` uses those of HEAD."
    )


def test_what_else_is_wrong_with_a_gate_is_told_as_it_is() -> None:
    place = Place()
    for head in ([replace(DOCS, missing="write it")], InvalidInput("No YAML.")):
        place.shelf.at = {place.old: [], place.new: head}
        with pytest.raises(NotFound, match="No gate 'docs'"):
            place.check(CheckQuestion(gate="docs"))
    place.shelf.at = {place.old: [DOCS], place.new: [DOCS]}
    with pytest.raises(NotFound, match="No gate 'docs'"):
        place.check(CheckQuestion(gate="docs"))


def test_claims_are_compared_where_there_are_some() -> None:
    place = Place()
    answer = '{"files_created": ["t.py"], "files_modified": [], "tests_written": []}'
    place.check(CheckQuestion(gate="claims", answer=answer))
    [(kind, case)] = place.fakes.examiner.seen
    assert (kind, case.answer) == (GateKind.CLAIMS, answer)


@pytest.mark.parametrize(
    ("gate", "answer", "words"),
    [
        ("claims", None, "there is no report to compare"),
        ("claims", "I am done.", "The answer makes no claims"),
        ("claims", "[" * 100_000, "The answer makes no claims"),
        ("claims", '{"files_created": []}', "The answer makes no claims"),
        ("test_integrity", "{}", "Only the gate 'claims'"),
    ],
)
def test_claims_need_an_answer_and_nothing_else_does(
    gate: str, answer: str | None, words: str
) -> None:
    with pytest.raises(InvalidInput, match=words):
        Place().check(CheckQuestion(gate=gate, answer=answer))
