"""`supervisor gate`.

What `supervisor gate check test_integrity --json` prints, by example:

    {"check": {"gate": "test_integrity", "kind": "test_integrity", "base": "1f0c…", "head": "9ab2…",
               "verdict": "failed", "reason": "…", "tests": null,
               "findings": [{"rule": "test_deleted", "message": "…", "file": "tests/test_a.py",
                             "line": 3, "subject": "test_sum", "severity": "error"}],
               "exit_code": null, "command": [], "note": "",
               "output": "", "told": "…"}}

and `supervisor gate check replay --explain --json`:

    {"halves": {"base": "1f0c…", "head": "9ab2…", "rules": {"harness": [], "product": []},
                "note": "…", "touches_harness": true, "touches_product": false,
                "files": [{"path": "tests/test_a.py", "half": "harness", "replay": "base",
                           "why": "…"}],
                "not_replayed": []}}

and `supervisor gate check facts --json`:

    {"facts": {"base": "1f0c…", "head": "9ab2…",
               "facts": [{"name": "file_count", "value": 2},
                         {"name": "breaking_api_changes", "value": true}],
               "evidence": [{"fact": "breaking_api_changes", "file": "src/a.py", "detail": "…"}],
               "breaks": [{"file": "src/a.py", "symbol": "a.parse", "change": "removed",
                           "detail": "…"}]}}
"""

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import base_option, json_option
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.tables import columns, fitted
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE, ERROR_EXIT_CODES, FAILED
from supervisor_ai.control.phrases import one_line, short, where
from supervisor_ai.domain.errors import ErrorKind, InvalidInput
from supervisor_ai.domain.run.gates import Area, Finding, GateKind
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.terminal import plain
from supervisor_ai.tools.text import counted

if TYPE_CHECKING:
    from supervisor_ai.control.commands.gates.gate_check import CheckQuestion, CheckView
    from supervisor_ai.control.ports.definitions import GateSummary
    from supervisor_ai.control.ports.queries import ClaimsRow

_EXIT_CODES: Final = {
    Verdict.PASSED: DONE,
    Verdict.WARNED: DONE,
    Verdict.FAILED: FAILED,
    Verdict.NOT_RUN: ERROR_EXIT_CODES[ErrorKind.UNAVAILABLE],
}
_FACTS: Final = "facts"
"""No gate, but what is known of a change."""
_ANSWER_BYTES: Final = 1 << 20
_LINES: Final = 60
"""So many lines are shown of what went wrong."""


class _ListOptions(TypedDict):
    base: str | None
    as_json: bool


class _CheckOptions(TypedDict):
    name: str
    base: str | None
    head: str | None
    tdd: bool
    may_change: tuple[str, ...]
    mutants: int | None
    answer: str | None
    explain: bool
    as_json: bool


class _ClaimsOptions(TypedDict):
    as_json: bool


@click.group(help="List gates, run one on any two commits, and count false reports")
def gate() -> None:
    """List gates, run one on any two commits, and count false reports."""


@verb(example="supervisor gate list", name="list", group=gate)
@base_option
@json_option
@click.pass_obj
def list_verb(invocation: Invocation, **options: Unpack[_ListOptions]) -> int:
    """List the gates that steps can name.

    Those that come with supervisor, your own and the project's, and well-known ones that only need
    a command: for these you see what to write.
    """
    preflight = invocation.preflight()
    found = preflight.catalog.gates(preflight.repository.resolve(options["base"]).sha)
    if options["as_json"]:
        write_json({"gates": found})
        return DONE
    write("\n".join(shown_gates(found)))
    return DONE


@verb(example="supervisor gate check test_integrity --base main --head my-branch", group=gate)
@click.argument("name")
@click.option("-b", "--base", metavar="REF", help="The commit before; default: the head's parent.")
@click.option("--head", metavar="REF", help="The commit after; default: the checkout's.")
@click.option("--tdd", is_flag=True, help="New tests also have to fail on the old code.")
@click.option(
    "--may-change",
    multiple=True,
    type=click.Choice([area.value for area in Area]),
    help="Whoever made the change may change these.",
)
@click.option(
    "--mutants",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Let the gate `mutation` try so many small faults at most.",
)
@click.option(
    "--answer",
    type=click.Path(allow_dash=True),
    metavar="FILE",
    help="An implementer's answer for the gate `claims`; - is stdin.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Run nothing: show what of the change is harness, what is product and what a replay "
    "would put back. NAME is then `replay` or a gate that runs tests.",
)
@json_option
@click.pass_obj
def check(invocation: Invocation, **options: Unpack[_CheckOptions]) -> int:
    """Run a gate on any two commits.

    The two commits are compared as they are; for the changes of a branch alone, name where it
    left: --base $(git merge-base main my-branch). What the gate is made of is read from the base,
    as in a run, so that a change cannot loosen the gate that looks at it. Commands run in the
    sandbox, always anew, and those of the project only after `supervisor trust`. Without --base, a
    gate that the commit before does not have is taken from the head, or from a config that is not
    committed yet, and the answer says so. The gate `claims`
    needs to know what was reported: --answer names the file with a worker's JSON.

    `gate check replay --explain` runs nothing and takes the change apart: which files judge, which
    are judged, why, and what the base's harness would be put back over.

    `gate check facts` is no gate either: it shows what is known of the change, with the files that
    say so: how much it is, whether it touches authentication, payments, encryption, keys, settings
    of production, dependencies, tests or CI, and what it takes away from the public API. A fact
    that nobody could read is unknown.

    Exit code 0: the gate passed or only warns; 1: it failed; 6: it could not be run.
    """
    from supervisor_ai.control.commands.gates.gate_check import CheckQuestion
    from supervisor_ai.control.commands.gates.gate_check import check as check_change

    question = CheckQuestion(
        gate=options["name"],
        base=options["base"],
        head=options["head"],
        is_tdd=options["tdd"],
        may_change=tuple(map(Area, options["may_change"])),
        mutants=options["mutants"],
        answer=_answer(invocation, options["answer"]),
    )
    from supervisor_ai.cli.interrupts import run_interruptibly

    if options["explain"]:
        return _explain(invocation, question, as_json=options["as_json"])
    if options["name"] == _FACTS:
        return _facts(invocation, question, as_json=options["as_json"])
    found = run_interruptibly(check_change(invocation.project(), question))
    if options["as_json"]:
        write_json({"check": found})
    else:
        write("\n".join(shown_check(found)))
    return _EXIT_CODES[found.verdict]


def _explain(invocation: Invocation, question: "CheckQuestion", *, as_json: bool) -> int:
    from supervisor_ai.cli.commands.definitions.change_halves import shown_halves
    from supervisor_ai.cli.interrupts import run_interruptibly
    from supervisor_ai.control.commands.gates.change_halves import explain

    _require_plain("--explain", question)
    found = run_interruptibly(explain(invocation.project(), question))
    if as_json:
        write_json({"halves": found})
    else:
        write("\n".join(shown_halves(found)))
    return DONE


def _facts(invocation: Invocation, question: "CheckQuestion", *, as_json: bool) -> int:
    from supervisor_ai.cli.commands.definitions.change_facts import shown_facts
    from supervisor_ai.cli.interrupts import run_interruptibly
    from supervisor_ai.control.commands.gates.change_facts import show_facts

    _require_plain(_FACTS, question)
    found = run_interruptibly(show_facts(invocation.project(), question))
    if as_json:
        write_json({"facts": found})
    else:
        write("\n".join(shown_facts(found)))
    return DONE


def _require_plain(what: str, question: "CheckQuestion") -> None:
    if question.is_tdd or question.may_change or question.mutants or question.answer is not None:
        raise InvalidInput(
            f"`{what}` runs no gate, so that it takes only `--base`, `--head` and `--json`."
        )


@verb(example="supervisor gate claims", group=gate)
@json_option
@click.pass_obj
def claims(invocation: Invocation, **options: Unpack[_ClaimsOptions]) -> int:
    """Show how often workers reported what is not so.

    What a worker says about files, tests and commits is compared with git. Counted are the
    attempts of each role with each agent, those with a false report, and what was wrong in them.
    """
    records = invocation.records()
    rows = records.queries.claims() if records else ()
    if options["as_json"]:
        write_json({"claims": rows})
    elif rows:
        write("\n".join(fitted(_claims(rows))))
    else:
        say("No worker has reported anything yet.")
    return DONE


def _answer(invocation: Invocation, path: str | None) -> str | None:
    if path is None:
        return None
    place = path if path == "-" else str(invocation.directory / path)
    try:
        with click.open_file(place, "rb") as stream:
            text: bytes = stream.read(_ANSWER_BYTES + 1)
    except (OSError, ValueError) as error:
        raise InvalidInput(f"The answer {path!r} cannot be read: {error}.") from error
    if len(text) > _ANSWER_BYTES:
        raise InvalidInput(f"The answer {path!r} is larger than {_ANSWER_BYTES} bytes.")
    return text.decode(errors="replace")


def shown_gates(found: Sequence["GateSummary"]) -> list[str]:
    """Show gates in a table."""
    return columns([("GATE", "KIND", "POLICY", "ORIGIN", "DOES"), *map(_row, found)])


def _row(gate: "GateSummary") -> tuple[str, ...]:
    state = "off" if not gate.is_enabled else gate.policy or ""
    return gate.name, gate.kind, state, gate.origin or "", one_line(_deed(gate))


def _deed(gate: "GateSummary") -> str:
    """Say what a gate does; where it cannot do it yet, that comes first, and what to write."""
    if gate.missing is not None:
        return f"not configured; {gate.missing}"
    is_command = gate.kind == GateKind.COMMAND
    return shlex.join(gate.command) if is_command else gate.description


def shown_check(found: "CheckView") -> Iterator[str]:
    """Show what a gate said: its verdict, what it found and what went wrong."""
    tests = f", {counted(found.tests, 'test')}" if found.tests is not None else ""
    verdict = found.verdict.value.replace("_", " ")
    span = f"{short(found.base)}..{short(found.head)}"
    yield f"{one_line(found.gate)} {verdict}{tests} on {span}: {one_line(found.reason)}"
    if found.note:
        yield f"  ran {one_line(shlex.join(found.command))} ({one_line(found.note)})"
    if found.findings:
        rows = [("SEVERITY", "RULE", "PLACE", "SUBJECT", "MESSAGE"), *map(_found, found.findings)]
        yield from ("", *(f"  {line}" for line in fitted(rows)))
    lines = _lines(found)
    if lines:
        yield from ("", *(f"  │ {line}".rstrip() for line in lines))


def _found(finding: Finding) -> tuple[str, ...]:
    words = (finding.rule, where(finding), finding.subject or "", finding.message)
    return finding.severity.value, *map(one_line, words)


def _lines(found: "CheckView") -> list[str]:
    """Return what tells about a failure; nothing where the findings do, or where there is none."""
    if found.verdict is Verdict.PASSED or found.findings:
        return []
    told = plain(found.told.removeprefix(found.reason)).strip("\n")
    text = told if told.strip() else plain(found.output).strip("\n")
    return text.split("\n")[-_LINES:] if text.strip() else []


def _claims(rows: Sequence["ClaimsRow"]) -> list[tuple[str, ...]]:
    heading = ("ROLE", "AGENT", "ATTEMPTS", "REFUTED", "FILES", "TESTS", "COMMITS")
    numbers = (
        (it.role, it.cli, it.attempts, it.refuted, it.files, it.tests, it.commits) for it in rows
    )
    return [heading, *(tuple(one_line(str(cell)) for cell in row) for row in numbers)]
