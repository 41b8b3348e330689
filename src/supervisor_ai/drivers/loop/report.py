"""The report of a loop: what was to be achieved, what was done, and what is left."""

from collections.abc import Iterator, Sequence

from supervisor_ai.drivers.loop.answers import FEEDBACK, ScopeMilestone, read_answer
from supervisor_ai.drivers.loop.book import COMPLETED, DoneEntry, LoopBook
from supervisor_ai.drivers.loop.briefs import BriefWriter, Read, directive_text
from supervisor_ai.drivers.loop.window import ENTRY, cut


def write_report(book: LoopBook, read: Read) -> str:
    """Write the report as markdown."""
    writer = BriefWriter(book=book, read=read)
    parts = (
        ("Remit", [writer.context()]),
        ("Milestones", list(_milestones(book, read))),
        ("Tasks", list(_tasks(writer))),
        ("Supervisors", list(_runs(book))),
        ("Does it help?", list(_numbers(book))),
        ("Requests for direction", list(_questions(book, read))),
        ("Directives that are still open", list(_directives(book, read))),
    )
    told = [f"## {title}\n\n" + "\n".join(lines) for title, lines in parts if any(lines)]
    return "\n\n".join(("# Work report", *told)) + "\n"


def _milestones(book: LoopBook, read: Read) -> Iterator[str]:
    for number, text in enumerate(book.milestones):
        found = read_answer(read(text), ScopeMilestone)
        mark = "x" if number < book.active_milestone_index else " "
        yield f"- [{mark}] {cut(found.outcome if found else '', ENTRY)}"


def _tasks(writer: BriefWriter) -> Iterator[str]:
    for it in writer.book.done_list:
        told = writer.entry(it)
        commit = f", commit {it.commit[:12]}" if it.commit else ""
        tries = f", {it.qa_failures} failed before" if it.qa_failures else ""
        yield f"- task_{it.task} ({it.outcome.value}{commit}{tries}): {cut(told.text, ENTRY)}"


def _runs(book: LoopBook) -> Iterator[str]:
    for run in book.supervisor_run_log:
        more = f": {run.reason}" if run.reason else ""
        yield f"- {run.title}, after {run.task_count} tasks: {run.outcome}{more}"


def _numbers(book: LoopBook) -> Iterator[str]:
    """Compare how tasks went before and after each document that a supervisor wrote."""
    tried = [it for it in book.done_list if it.attempts]
    if not tried:
        return
    yield f"- all tasks: {_rate(tried)}"
    written = {
        path: run.task_count for run in reversed(book.supervisor_run_log) for path in run.updated
    }
    for path, after in sorted(written.items()):
        completed = _completed_before(book, after)
        before = [it for it in tried if it.task <= completed]
        since = [it for it in tried if it.task > completed]
        if before and since:
            yield f"- before {cut(path, ENTRY)}: {_rate(before)}; since then: {_rate(since)}"


def _completed_before(book: LoopBook, count: int) -> int:
    """Number the task after which so many were completed."""
    done = [it.task for it in book.done_list if it.outcome in COMPLETED]
    return done[count - 1] if 0 < count <= len(done) else 0


def _rate(tasks: Sequence[DoneEntry]) -> str:
    """Say how many tasks passed at once, and how often others were tried again."""
    first = sum(it.qa_failures == 0 and it.outcome in COMPLETED for it in tasks)
    again = sum(it.qa_failures for it in tasks)
    retries = "1 setback" if again == 1 else f"{again} setbacks"
    return f"{first} of {len(tasks)} passed at once, {retries}"


def _questions(book: LoopBook, read: Read) -> Iterator[str]:
    for it in book.escalation_context:
        words = "" if it.text is None else cut(read(it.text), FEEDBACK)
        yield f"- {it.source}, task_{it.task}: {words}"


def _directives(book: LoopBook, read: Read) -> Iterator[str]:
    for it in book.pending_directives:
        words = cut(directive_text(read(it.text)).description, ENTRY)
        yield f"- [{it.number}] {it.type.value}, from {it.source}: {words}"
