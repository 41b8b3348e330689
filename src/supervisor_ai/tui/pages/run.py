"""One run: its head, its steps, its log, its gates and what it has cost."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

from rich.text import Text

from supervisor_ai.control.dashboard.log_lines import LogLine, Tone
from supervisor_ai.control.dashboard.run_pages import GateLine, RunPage, StepLine
from supervisor_ai.control.phrases import finding_line
from supervisor_ai.domain.run.spending.budgets import in_words
from supervisor_ai.domain.run.status import RunStatus
from supervisor_ai.domain.run.values import Usage
from supervisor_ai.tools.text import counted
from supervisor_ai.tui.pages.blocks import (
    ASKS,
    BAD,
    DIM,
    HEAD,
    RUN_MARKS,
    STEP_MARKS,
    STRONG,
    TONES,
    VERDICT_MARKS,
    LineBlock,
    cell,
    clock,
    code,
    cut,
    joined,
    length,
    level_text,
    money,
    own,
    plain_blocks,
    rule,
    said,
    wrapped,
)
from supervisor_ai.tui.pages.board import elapsed, word_of

_NARROW: Final = 64
_MARKS: Final = {Tone.GOOD: "✓", Tone.BAD: "✗", Tone.ASKS: "◆", Tone.PLAIN: " "}
_WHEN: Final = {"on_fail": "if it fails", "on_reject": "if it is rejected"}
_VERDICTS: Final = {"not_run": "could not run", "warned": "failed (it only warns)"}


def run_head(page: RunPage, now: datetime, width: int) -> list[Text]:
    """Say in two lines which run it is and how it stands."""
    line = page.line
    mark, style = RUN_MARKS.get(line.word, ("?", DIM))
    style = ASKS if line.needs_person else style
    level = () if line.level is None else ("  risk ", level_text(line.level))
    facts = joined(
        own(f"{mark} {word_of(line)}", style),
        f"  {length(elapsed(line, now))}",
        f"  {money(line.cost, is_estimated=line.is_estimated)} USD",
        *level,
        "  ",
        said(f"{line.id}, {page.view.workflow}", DIM),
    )
    return [cut(said(line.task, STRONG), width), cut(facts, width)]


def steps_blocks(page: RunPage, now: datetime, width: int) -> list[LineBlock]:
    """Draw the graph of the steps from top to bottom, then how the run ended or what it asks."""
    name = min(max((len(it.step) for it in page.steps), default=4), width // 3)
    blocks = [LineBlock(tuple(_step(it, now, name, width))) for it in page.steps]
    return [*blocks, *plain_blocks(_ending(page), width)]


def _step(step: StepLine, now: datetime, name: int, width: int) -> Iterator[Text]:
    mark, style = STEP_MARKS[step.status]
    took = step.took + (now - step.since if step.since else timedelta())
    time = length(took) if step.visits else ""
    visits = f"#{step.visits}" if step.visits > 1 else ""
    ahead = joined(
        own(f"{mark} ", style), cell(said(step.step, STRONG if step.visits else ""), name), "  "
    )
    tail = joined(said(visits, DIM), " ", said(time, DIM)) if step.visits else said("")
    room = width - name - 4 - len(tail.plain) - 1
    words = joined(said(step.said, style), "  " if step.said else "", said(step.does, DIM))
    yield joined(ahead, cell(words, max(room, 1)), " ", tail)
    for way in step.ways:
        yield cut(
            joined(own("│   ", DIM), said(f"{_WHEN.get(way.kind, way.kind)} → {way.target}", DIM)),
            width,
        )


def _ending(page: RunPage) -> Iterator[Text]:
    view, line = page.view, page.line
    if line.waits is not None:
        yield said("")
        words = line.waits if line.needs_person else f"waits for {line.waits}"
        yield joined(own("◆ ", ASKS), said(words))
    if view.outcome is not None:
        yield said("")
        style = TONES[Tone.GOOD] if view.status is RunStatus.COMPLETED else BAD
        yield joined(said(view.outcome.kind.value, style), ": ", said(view.outcome.reason))
    if page.cause is not None:
        yield said(page.cause.line)
    if view.branch is not None and view.commit is not None:
        yield said(f"on branch {view.branch} at {view.commit[:12]}", DIM)


def log_blocks(lines: Sequence[LogLine], width: int, *, everything: bool) -> list[LineBlock]:
    """Draw the log, the newest line at the end."""
    shown = [it for it in lines if everything or not it.is_routine]
    where = min(max((len(it.where) for it in shown), default=0), 18 if width >= _NARROW else 0)
    blocks = [LineBlock(_log(it, where, width)) for it in shown]
    return blocks or _nothing("Nothing has happened yet.")


def _log(line: LogLine, where: int, width: int) -> tuple[Text, ...]:
    """Draw a line of the log as one piece: there may be thousands of them in a second."""
    place = f"{line.where[:where]:<{where}} " if where else f"{line.where} " if line.where else ""
    ahead = f"{clock(line.at)} {place}"
    text = own(f"{ahead}{_MARKS[line.tone]} {line.words}")
    text.stylize(DIM, 0, len(ahead))
    if line.tone is not Tone.PLAIN:
        text.stylize(TONES[line.tone], len(ahead))
    return wrapped(text, width, indent=12 + where if where else 2)


def gates_blocks(page: RunPage, width: int) -> list[LineBlock]:
    """Draw what each gate said last, with every finding, and what stands for it."""
    blocks = [LineBlock(tuple(_gate(it, width))) for it in page.gates]
    if page.evidence:
        blocks += [LineBlock((own(""), rule(width, "Besides")))]
        blocks += [LineBlock(_log(it, 0, width)) for it in page.evidence]
    return blocks or _nothing("No gate has run yet.")


def _gate(gate: GateLine, width: int) -> Iterator[Text]:
    row = gate.row
    mark, style = VERDICT_MARKS[row.verdict]
    verdict = "under way" if row.verdict is None else row.verdict.value
    facts = [f"{row.step} {row.visit}"]
    facts += [] if row.tests is None else [counted(row.tests, "test")]
    facts += [counted(row.findings, "finding")] if row.findings else []
    facts += ["known from before"] if row.is_reused else []
    yield from wrapped(
        joined(
            said(f"{mark} {row.gate} {_VERDICTS.get(verdict, verdict)}", style),
            "  ",
            said(", ".join(facts), DIM),
        ),
        width,
        indent=2,
    )
    if row.reason:
        yield from (joined("  ", it) for it in wrapped(said(row.reason), width - 2))
    for finding in gate.findings:
        words = joined(own("· ", style), said(finding_line(finding)))
        yield from (joined("  ", it) for it in wrapped(words, width - 2, indent=2))
    for text in gate.printed:
        yield from (joined(own("  │ ", DIM), it) for it in wrapped(code(text), width - 4))
    hidden = row.findings - len(gate.findings)
    if hidden > 0:
        yield own(f"  … and {counted(hidden, 'more finding')}", DIM)


def output_blocks(lines: Sequence[str], width: int) -> list[LineBlock]:
    """Draw what was printed, the newest line at the end."""
    drawn = [LineBlock(wrapped(code(line), width, indent=2)) for line in lines]
    return drawn or _nothing("Nothing was printed yet.")


def cost_blocks(page: RunPage, width: int) -> list[LineBlock]:
    """Draw what was spent by whom, and what may be spent."""
    usage = page.view.usage
    whole = Usage(
        tokens_in=usage.tokens_in,
        tokens_out=usage.tokens_out,
        cost=usage.cost,
        estimated=usage.estimated,
    )
    lines = [own(f"{'ROLE':<16}{'USD':>10}{'IN':>12}{'OUT':>12}", HEAD)]
    lines += [_spent(role or "(unknown)", used) for role, used in page.spent.items()]
    lines.append(_spent("all", whole, STRONG))
    lines.append(said(""))
    attempts = sum(step.attempts for step in page.steps)
    lines.append(said(f"{counted(attempts, 'attempt')} of workers"))
    limit = "no budget was set" if page.budget is None else f"budget: {in_words(page.budget)}"
    lines.append(said(limit, DIM))
    if usage.estimated:
        lines.append(said("~ estimated: the agent did not say what it used", DIM))
    return [LineBlock((cut(line, width),)) for line in lines]


def _spent(role: str, usage: Usage, style: str = "") -> Text:
    cost = money(usage.cost, is_estimated=usage.estimated)
    name = cell(said(role, style), 16)
    return joined(name, own(f"{cost:>10}{usage.tokens_in:>12,}{usage.tokens_out:>12,}"))


def _nothing(words: str) -> list[LineBlock]:
    return [LineBlock((said(words, DIM),))]
