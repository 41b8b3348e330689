"""`supervisor approvals`."""

from collections.abc import Iterator
from typing import TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import json_option, optional_run_argument
from supervisor_ai.cli.output import say, write, write_json
from supervisor_ai.cli.tables import fitted, labelled, local_time, title
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.control.queries.approvals import (
    PendingApproval,
    find_approval,
    pending_approvals,
)
from supervisor_ai.control.records import Records
from supervisor_ai.domain.errors import Conflict
from supervisor_ai.domain.run.approvals.facts import FactValue
from supervisor_ai.domain.terminal import plain


class _Options(TypedDict):
    run: str | None
    as_json: bool


@verb(example="supervisor approvals")
@optional_run_argument
@json_option
@click.pass_obj
def approvals(invocation: Invocation, **options: Unpack[_Options]) -> int:
    """Show what waits for people, the riskiest first.

    With RUN you see everything that you decide about: the level of risk and the facts that led to
    it, where each of them can be seen, what gates and reviewers said, and the comments so far. Then
    look at the change itself with `supervisor diff RUN`, and say `approve`, `reject`, `comment` or
    `edit`.
    """
    records = invocation.records() if options["run"] is None else invocation.require_records()
    if options["run"] is not None and records is not None:
        found = _one(records, options["run"])
        if options["as_json"]:
            write_json({"approvals": [found]})
        else:
            write("\n".join(_details(found)))
        return DONE
    waiting = pending_approvals(records) if records else ()
    if options["as_json"]:
        write_json({"approvals": waiting})
    elif waiting:
        rows = [("RUN", "RISK", "SINCE", "WAITS FOR", "TASK"), *map(_row, waiting)]
        write("\n".join(fitted(rows)))
        say("See one: supervisor approvals RUN")
    else:
        say("Nothing waits for you.")
    return DONE


def _one(records: Records, name: str) -> PendingApproval:
    row = records.find(name)
    found = find_approval(records, row)
    if found is None:
        raise Conflict(
            f"Run {row.id!r} does not wait for an approval: it is {row.status.value}.",
            hint="List what waits: supervisor approvals",
        )
    return found


def _row(waiting: PendingApproval) -> tuple[str, ...]:
    level = waiting.level.value if waiting.level else str(waiting.reason)
    since = local_time(waiting.since)
    return waiting.run, level, since, waiting.waits_for, title(waiting.task)


def _details(found: PendingApproval) -> Iterator[str]:
    rows = [("task", title(found.task)), ("step", f"{found.step}, visit {found.visit}")]
    if found.level is not None and found.action is not None:
        rows.append(("risk", f"{found.level.value} ({', '.join(found.because)})"))
        rows.append(("action", found.action.value))
    else:
        rows.append(("reason", str(found.reason)))
    rows += [("waits for", found.waits_for), ("since", local_time(found.since))]
    if found.until is not None:
        how = "" if found.is_attended else " or later, when somebody goes on with it"
        rows.append(("lands at", f"{local_time(found.until)}{how}, unless somebody objects"))
    if found.votes:
        rows.append(("agreed", ", ".join(found.votes)))
    rows.append(("tree", found.tree))
    told = {name: value for name, value in found.facts.items() if value is not False}
    rows += [("fact", f"{name}: {_value(value)}") for name, value in told.items()]
    denied = [name for name in found.facts if name not in told]
    rows += [("not so", ", ".join(denied))] if denied else []
    if found.plan is not None:
        rows.append(("plan", plain(found.plan)))
    yield found.run
    yield from labelled([*rows, *_seen(found), *_said(found)])


def _value(value: FactValue) -> str:
    if value is None:
        return "not known"
    return "yes" if value is True else f"{value:g}"


def _seen(found: PendingApproval) -> Iterator[tuple[str, str]]:
    for it in found.evidence:
        yield "seen", one_line(f"{it.fact}: {it.file}: {it.detail}")
    for told in found.breaks:
        yield "breaks", one_line(told)


def _said(found: PendingApproval) -> Iterator[tuple[str, str]]:
    for gate in found.gates:
        yield "gate", f"{gate.gate}: {gate.verdict.value}"
    for review in found.reviews:
        yield "review", one_line(f"{review.by}: {review.said} {review.summary}")
    for comment in found.comments:
        yield "comment", one_line(f"{comment.number} {comment.at} {comment.person}: {comment.text}")
        if comment.reply is not None:
            yield "reply", one_line(f"{comment.number} {comment.reply}")
    if found.plan is None:
        yield "change", f"supervisor diff {found.run}, against {short(found.base or '')}"
