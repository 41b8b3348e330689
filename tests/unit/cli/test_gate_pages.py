"""What a gate says about two commits, shown to people."""

from typing import Final

from inline_snapshot import snapshot

from supervisor_ai.cli.commands.definitions.gate import shown_check
from supervisor_ai.control.commands.gates.gate_check import CheckView
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.gates import Finding, GateKind, Severity
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.structs import replace

PASSED: Final = CheckView(
    gate="test",
    kind=GateKind.COMMAND,
    base=CommitSha("a" * 40),
    head=CommitSha("b" * 40),
    verdict=Verdict.PASSED,
    reason="The command exited with code 0.",
    tests=1,
    findings=(),
    exit_code=0,
    command=("make", "test"),
    note="",
    output="1 passed",
    told="",
)


def shown(view: CheckView) -> str:
    return "\n".join(shown_check(view))


def test_a_gate_that_passed_needs_one_line() -> None:
    assert shown(PASSED) == (
        "test passed, 1 test on aaaaaaaaaaaa..bbbbbbbbbbbb: The command exited with code 0."
    )


def test_findings_are_a_table_without_escapes() -> None:
    findings = (
        Finding(
            rule="test_deleted",
            message="It is \x1b[31mgone.\nReally.",
            file="tests/test_a.py",
            line=3,
            subject="test_\x1b[0ma",
        ),
        Finding(rule="odd", message="Odd.", severity=Severity.NOTE),
    )
    view = replace(
        PASSED,
        gate="test_integrity",
        verdict=Verdict.FAILED,
        reason="1 thing was found.",
        tests=None,
        findings=findings,
        told="- tests/test_a.py:3 test_deleted",
    )
    assert shown(view) == snapshot("""\
test_integrity failed on aaaaaaaaaaaa..bbbbbbbbbbbb: 1 thing was found.

  SEVERITY  RULE          PLACE              SUBJECT  MESSAGE
  error     test_deleted  tests/test_a.py:3  test_a   It is gone. Really.
  note      odd                                       Odd.\
""")


def test_the_failing_part_of_the_output_is_shown() -> None:
    reason = "The command exited with code 1."
    failed = replace(PASSED, verdict=Verdict.FAILED, reason=reason, output="a\nb\n")
    told = replace(failed, told=f"{reason}\n\nWhat pytest says is wrong:\n\x1b[1mFAILED t.py::t")
    assert shown(told).split("\n")[1:] == [
        "",
        "  │ What pytest says is wrong:",
        "  │ FAILED t.py::t",
    ]
    assert shown(failed).split("\n")[1:] == ["", "  │ a", "  │ b"]
    silent = replace(failed, verdict=Verdict.NOT_RUN, output="\n", tests=None)
    assert shown(silent) == f"test not run on aaaaaaaaaaaa..bbbbbbbbbbbb: {reason}"


def test_of_a_flood_the_end_is_shown() -> None:
    flood = "\n".join(str(number) for number in range(1_000))
    lines = shown(replace(PASSED, verdict=Verdict.FAILED, output=flood)).split("\n")
    assert len(lines) == 62
    assert lines[-1] == "  │ 999"
