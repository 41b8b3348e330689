"""The approval panel: the task, its risk, the changes, the reviews, and what an answer means."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from supervisor_ai.control.dashboard.change_views import LineNote
from supervisor_ai.control.dashboard.panels import ApprovalPanel
from supervisor_ai.control.dashboard.patches import DiffFile, FileChangeKind, LineSign
from supervisor_ai.control.phrases import finding_line
from supervisor_ai.domain.file_names import shown_name
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.tools.text import counted
from supervisor_ai.tui.pages.blocks import (
    ASKS,
    BAD,
    DIM,
    GOOD,
    STRONG,
    VERDICT_MARKS,
    LineBlock,
    clock,
    joined,
    level_text,
    own,
    rule,
    said,
    wrapped,
)

_FILE_MARKS = {
    FileChangeKind.ADDED: ("+", GOOD),
    FileChangeKind.DELETED: ("-", BAD),
    FileChangeKind.MODIFIED: ("~", ""),
    FileChangeKind.RENAMED: (">", ""),
}
_FINDINGS = 20
_WORDS = 4_000


def panel_head(panel: ApprovalPanel | None, width: int) -> list[Text]:
    """Say what is asked, about which task, and how risky it is."""
    title = own("SUPERVISOR - Approval Required", ASKS)
    if panel is None:
        return [title]
    task = joined(own("Task: ", STRONG), said(f"{panel.line.id} ({panel.line.task})"))
    return [title, *wrapped(task, width, indent=6)[:2], *_risk(panel, width)]


def _risk(panel: ApprovalPanel, width: int) -> Sequence[Text]:
    risk = panel.risk
    if risk is None:
        line = joined(own("Risk Level: ", STRONG), own("not assessed", DIM))
        return [joined(line, own(" (no approval policy)", DIM))]
    because = f" ({', '.join(risk.because)})" if risk.because else ""
    line = joined(own("Risk Level: ", STRONG), level_text(risk.level), own(" "), said(because))
    until = "" if risk.until is None else f" ({clock(risk.until)})"
    agreed = f"; agreed: {', '.join(risk.votes)}" if risk.votes else ""
    demands = joined(own("Waits for: ", STRONG), said(f"{risk.demands}{until}{agreed}"))
    return [*wrapped(line, width, indent=12), *wrapped(demands, width, indent=11)]


def panel_blocks(
    panel: ApprovalPanel, files: Sequence[DiffFile] | None, width: int
) -> list[LineBlock]:
    """Draw everything that a person wants to know before the answer."""
    lines = [
        *_section("Why you are asked", _why(panel, width), width),
        *_section(f"Changes{_total(files)}", _changes(files, width), width),
        *_section("Risk", _evidence(panel, width), width),
        *_section("Review Summary", _reviews(panel, width), width),
        *_section("Comments", _comments(panel.comments, width), width),
        *_section("Your answer", _answers(panel, width), width),
    ]
    return [LineBlock((line,)) for line in lines]


def _section(title: str, lines: Iterator[Text], width: int) -> Sequence[Text]:
    shown = list(lines)
    return [rule(width, title), *shown] if shown else []


def _why(panel: ApprovalPanel, width: int) -> Iterator[Text]:
    yield from wrapped(joined("  ", said(f"{panel.question.step}: {panel.why}")), width, indent=2)
    question = panel.question
    for doubt in question.gates:
        words = f"gate {doubt.gate}: {doubt.reason}"
        yield from wrapped(joined("  ", said(words, BAD)), width, indent=4)
        for finding in doubt.findings[:_FINDINGS]:
            line = joined(own("    · "), said(finding_line(finding)))
            yield from wrapped(line, width, indent=6)
    spoken = None if panel.risk is not None else question.words
    for told in filter(None, (question.before, spoken)):
        yield from wrapped(joined("  ", said(told[:_WORDS])), width, indent=2)
    for words in (question.plan or "")[:_WORDS].splitlines():
        indent = 4 + len(words) - len(words.lstrip())
        yield from wrapped(joined(own(" " * indent), said(words)), width, indent=indent + 2)
    if question.mend:
        yield from wrapped(joined(own("  mend: ", DIM), said(question.mend)), width, indent=8)


def _evidence(panel: ApprovalPanel, width: int) -> Iterator[Text]:
    """Show where the risk can be seen, and what of the public interface breaks."""
    risk = panel.risk
    if risk is None:
        return
    for words in risk.breaks[:_FINDINGS]:
        yield from wrapped(joined(own("  ✗ ", BAD), said(f"breaks: {words}")), width, indent=4)
    for words in risk.evidence[:_FINDINGS]:
        yield from wrapped(joined(own("  · "), said(words)), width, indent=4)


def _total(files: Sequence[DiffFile] | None) -> str:
    if not files:
        return ""
    added = sum(it.count(LineSign.ADDED) for it in files)
    removed = sum(it.count(LineSign.REMOVED) for it in files)
    return f": {counted(len(files), 'file')}, +{added}/-{removed} lines"


def _changes(files: Sequence[DiffFile] | None, width: int) -> Iterator[Text]:
    if files is None:
        yield own("  are being read …", DIM)
        return
    if not files:
        yield own("  nothing was changed", DIM)
    for file in files:
        mark, style = _FILE_MARKS[file.change]
        line = joined(own(f"  {mark} ", style), said(shown_name(file.path)), " ")
        yield from wrapped(joined(line, own(f"({_extent(file)})", DIM)), width, indent=4)


def _extent(file: DiffFile) -> str:
    """Say what happened to a file, as briefly as the seed does."""
    added, removed = file.count(LineSign.ADDED), file.count(LineSign.REMOVED)
    if file.is_binary:
        return f"{file.change.value}, not a text"
    match file.change:
        case FileChangeKind.ADDED:
            words = f"new file, {counted(added, 'line')}"
        case FileChangeKind.DELETED:
            words = f"deleted, {counted(removed, 'line')}"
        case FileChangeKind.RENAMED:
            words = f"was {shown_name(file.before)}, +{added}/-{removed} lines"
        case _:
            words = f"modified, +{added}/-{removed} lines"
    return f"{words}, {file.hidden} not shown" if file.hidden else words


def _reviews(panel: ApprovalPanel, width: int) -> Iterator[Text]:
    for review in panel.reviews:
        mark, style = ("✓", GOOD) if review.is_good else ("✗", BAD)
        remark = f" ({review.remark})" if review.remark else ""
        line = joined(own(f"  {mark} ", style), said(f"{review.by}: {review.said}{remark}"))
        yield from wrapped(line, width, indent=4)
    for gate in panel.gates:
        mark, style = VERDICT_MARKS[gate.row.verdict]
        verdict = gate.row.verdict or Verdict.NOT_RUN
        facts = [] if gate.row.tests is None else [counted(gate.row.tests, "test")]
        facts += [counted(gate.row.findings, "finding")] if gate.row.findings else []
        told = f" ({', '.join(facts)})" if facts else ""
        words = f"{gate.row.gate}: {verdict.value.replace('_', ' ').upper()}{told}"
        yield from wrapped(joined(own(f"  {mark} ", style), said(words)), width, indent=4)
    if not (panel.reviews or panel.gates):
        yield own("  nobody has reviewed it, and no gate has run", DIM)


def _comments(comments: Sequence[LineNote], width: int) -> Iterator[Text]:
    for note in comments:
        words = f"{shown_name(note.place)} {note.who}: {note.words}"
        line = joined(own("  # ", ASKS), said(words))
        yield from wrapped(line, width, indent=4)


def _answers(panel: ApprovalPanel, width: int) -> Iterator[Text]:
    for key, words in (("approve", panel.yes), ("reject", panel.no)):
        yield from wrapped(joined(own(f"  {key}: ", STRONG), said(words)), width, indent=4)
    tree = f"  tree {panel.question.tree[:12]}: an answer is about exactly these files"
    yield from wrapped(own(tree, DIM), width, indent=2)
