"""`supervisor knowledge`.

What `supervisor knowledge list --json` prints, by example:

    {"documents": [{"path": "docs/knowledge/conventions/errors.md", "store": "project",
                    "title": "Errors", "status": "provisional", "updated_by": "code_style, task_12",
                    "uses": 3, "clean_uses": 2, "is_due": false, "needs_review": false,
                    "is_committed": true, "rules": "1. …", "examples": "", "rationale": "",
                    "changes": [{"by": "code_style", "task": "task_12", "what": "written"}],
                    "why": ""}],
     "total": 1, "truncated": false,
     "problems": [{"path": "design/x.md", "line": 3, "text": "the status 'sure' is none of: …"}]}

`show`, `search` and `review` print the same documents; `why` says what one waits for, or how well
it fits.
"""

import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

import click

from supervisor_ai.cli.invocation import Invocation
from supervisor_ai.cli.options import dry_run_option, json_option, yes_option
from supervisor_ai.cli.output import can_ask, report_mutation, say, write, write_json
from supervisor_ai.cli.tables import fitted, folded
from supervisor_ai.cli.verbs import verb
from supervisor_ai.control.exit_codes import DONE
from supervisor_ai.control.phrases import one_line, short
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.knowledge.documents import KnowledgeStatus
from supervisor_ai.domain.knowledge.selection import StoreName
from supervisor_ai.domain.knowledge.updates import WriteDocument
from supervisor_ai.domain.terminal import plain

if TYPE_CHECKING:
    from supervisor_ai.control.commands.decisions.knowledge import KnowledgeChange, KnowledgeDone
    from supervisor_ai.control.dashboard.knowledge import DocumentView, KnowledgeOffice

_MOST: Final = 200
_NAMED: Final = 5
_USER: Final = click.option(
    "--user", "is_user", is_flag=True, help="Your own store, for all your projects."
)
_COMMIT: Final = click.option(
    "--commit", "is_committed", is_flag=True, help="Commit it, and nothing else, on your branch."
)
_BECAUSE: Final = click.option(
    "--because", default="", metavar="TEXT", help="What to note in the document's changelog."
)


@click.group(help="Keep what the project knows: what workers are told, and what waits for you")
def knowledge() -> None:
    """Keep what the project knows: what workers are told, and what waits for you."""


def _office(invocation: Invocation) -> "KnowledgeOffice":
    from supervisor_ai.bootstrap.projects import open_knowledge

    return open_knowledge(invocation.directory, invocation.settings)


@verb(example="supervisor knowledge list --status provisional", name="list", group=knowledge)
@click.option("--status", type=click.Choice([*KnowledgeStatus]), help="Only those of this status.")
@json_option
@click.pass_obj
def list_(invocation: Invocation, *, status: str | None, as_json: bool) -> int:
    """List the documents of the knowledge store.

    Reads docs/knowledge/ of the checkout and your own store. USES counts the tasks whose workers
    were told of a document; CLEAN, those in a row of which no check failed since. Five of them
    make a provisional document one that can be promoted.
    """
    from supervisor_ai.control.dashboard.knowledge import list_documents

    found = list_documents(_office(invocation), status=status, most=_MOST)
    if as_json:
        write_json(found)
        return DONE
    if found.documents:
        write("\n".join(_table(found.documents)))
    else:
        say("There is no document. Write one: supervisor knowledge add conventions/NAME")
    if found.truncated:
        say(f"Only {len(found.documents)} of {found.total} documents are listed.")
    for remark in _remarks(found.documents):
        say(remark)
    for problem in found.problems[:_MOST]:
        say(f"note: {one_line(problem.sentence)}")
    return DONE


@verb(example="supervisor knowledge show conventions/errors.md", group=knowledge)
@click.argument("document")
@json_option
@click.pass_obj
def show(invocation: Invocation, *, document: str, as_json: bool) -> int:
    """Show one document.

    Name it by its file, by its path in the store or by its name alone.
    """
    from supervisor_ai.control.dashboard.knowledge import show_document

    found = show_document(_office(invocation), document)
    if as_json:
        write_json({"documents": [found]})
    else:
        write("\n".join(_page(found)))
        for remark in _remarks([found]):
            say(remark)
    return DONE


@verb(example="supervisor knowledge search error handling", group=knowledge)
@click.argument("words", nargs=-1, required=True, metavar="WORD…")
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, help="At most so many.")
@json_option
@click.pass_obj
def search(invocation: Invocation, *, words: tuple[str, ...], limit: int, as_json: bool) -> int:
    """Find the documents that fit some words best.

    This is how documents are found for a task: any of the words counts, in any form.
    """
    from supervisor_ai.control.dashboard.knowledge import search_documents

    found = search_documents(_office(invocation), " ".join(words), most=limit)
    if as_json:
        write_json({"documents": found})
    elif found:
        write("\n".join(_table(found)))
    else:
        say("No document fits these words.")
    return DONE


@verb(example="supervisor knowledge review", group=knowledge)
@json_option
@click.pass_obj
def review(invocation: Invocation, *, as_json: bool) -> int:
    """Show what waits for you: guesses, and what somebody wants you to see.

    What whoever wrote it wants a person to look at stands first, then what has proved itself.
    """
    from supervisor_ai.control.dashboard.knowledge import review_queue

    queue = review_queue(_office(invocation))
    if as_json:
        write_json({"documents": queue})
        return DONE
    if not queue:
        say("Nothing waits for you.")
    for it in queue:
        write("\n".join((*_page(it), f"→ {one_line(it.why)}", "")))
    if queue:
        say(f"Say yes: {invocation.command} knowledge promote DOCUMENT")
        say(f"Say no: {invocation.command} knowledge deprecate DOCUMENT")
    return DONE


class _StatusOptions(TypedDict):
    documents: tuple[str, ...]
    because: str
    is_committed: bool
    dry_run: bool
    as_json: bool


class _PromoteOptions(_StatusOptions):
    is_due: bool


@verb(example="supervisor knowledge promote conventions/errors.md --commit", group=knowledge)
@click.argument("documents", nargs=-1, metavar="[DOCUMENT]…")
@click.option("--due", "is_due", is_flag=True, help="All that five tasks in a row have proved.")
@_BECAUSE
@_COMMIT
@dry_run_option
@json_option
@click.pass_obj
def promote(invocation: Invocation, **options: Unpack[_PromoteOptions]) -> int:
    """Say that documents hold: they become established.

    Changes the files of your checkout; with --commit also commits them on your branch, each word
    of yours by a commit of its own. A run sees what is committed.
    """
    from supervisor_ai.control.commands.decisions.knowledge import due_documents

    office = _office(invocation)
    due = due_documents(office) if options["is_due"] else ()
    names = (*options["documents"], *due)
    if not names and not options["is_due"]:
        raise InvalidInput(
            "No document is named.", hint="Name one, or promote what has proved itself: --due"
        )
    return _set(invocation, office, names, KnowledgeStatus.ESTABLISHED, options)


@verb(example="supervisor knowledge deprecate design/old.md --because 'We moved'", group=knowledge)
@click.argument("documents", nargs=-1, required=True, metavar="DOCUMENT…")
@_BECAUSE
@_COMMIT
@dry_run_option
@json_option
@click.pass_obj
def deprecate(invocation: Invocation, **options: Unpack[_StatusOptions]) -> int:
    """Say that documents no longer apply: nobody is told of them any more.

    Nothing is removed: promote a document again and it holds as before.
    """
    names = options["documents"]
    return _set(invocation, _office(invocation), names, KnowledgeStatus.DEPRECATED, options)


def _set(
    invocation: Invocation,
    office: "KnowledgeOffice",
    names: Sequence[str],
    status: KnowledgeStatus,
    options: _StatusOptions,
) -> int:
    from supervisor_ai.control.commands.decisions.knowledge import plan_statuses

    changes = plan_statuses(office, names, status, options["because"])
    return _carry_out(invocation, office, changes, options)


class _AddOptions(TypedDict):
    place: str | None
    source: str | None
    title: str | None
    rules: str | None
    examples: str
    rationale: str
    because: str
    is_user: bool
    is_committed: bool
    yes: bool
    dry_run: bool
    as_json: bool


@verb(
    example="supervisor knowledge add conventions/errors --title 'Errors' --rules '1. Raise …'",
    group=knowledge,
)
@click.argument("place", metavar="[DIRECTORY/NAME]", required=False)
@click.option("--from", "source", metavar="FILE", help="Take AGENTS.md or CLAUDE.md as a seed.")
@click.option("--title", metavar="TEXT", help="What it is about; by default the name in words.")
@click.option("--rules", metavar="TEXT", help="What holds, at most 500 characters; - reads stdin.")
@click.option("--examples", default="", metavar="TEXT", help="What is good and what is not.")
@click.option("--rationale", default="", metavar="TEXT", help="Why.")
@_BECAUSE
@_USER
@_COMMIT
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def add(invocation: Invocation, **options: Unpack[_AddOptions]) -> int:
    """Write a document, or take a file for agents as the seed of many.

    What you write holds at once. With --from each section of AGENTS.md, CLAUDE.md or GEMINI.md
    becomes a convention of at most 500 characters; what is longer is named and left out.
    """
    from supervisor_ai.control.commands.decisions.knowledge import (
        plan_document,
        plan_seeds,
        preview,
    )

    office = _office(invocation)
    store = StoreName.USER if options["is_user"] else StoreName.PROJECT
    place, source = options["place"], options["source"]
    if (place is None) == (source is None):
        raise InvalidInput("Name either one document, as DIRECTORY/NAME, or a file with --from.")
    if source is not None:
        change = plan_seeds(office, source, store)
        if change.changed and not (options["yes"] or options["dry_run"]):
            say(plain("\n".join(preview(office, change))))
            _confirm(f"Write these {len(change.changed)} documents?")
        return _carry_out(invocation, office, [change], options)
    change = plan_document(office, place or "", _draft(place or "", options), store)
    return _carry_out(invocation, office, [change], options)


def _draft(place: str, options: _AddOptions) -> WriteDocument:
    rules = options["rules"]
    if rules is None:
        raise InvalidInput(
            "A document needs rules.", hint="Write --rules '1. …', or --rules - and pipe them in."
        )
    words = place.rpartition("/")[2].removesuffix(".md").replace("_", " ").replace("-", " ")
    return WriteDocument(
        by="",
        area="",
        name="",
        title=options["title"] or words.capitalize(),
        rules=sys.stdin.read() if rules == "-" else rules,
        examples=options["examples"],
        rationale=options["rationale"],
        what=options["because"],
    )


class _ExportOptions(TypedDict):
    file: str
    undo: bool
    yes: bool
    dry_run: bool
    as_json: bool


@verb(example="supervisor knowledge export AGENTS.md", group=knowledge)
@click.argument("file", default="AGENTS.md")
@click.option("--undo", is_flag=True, help="Take our part out again.")
@yes_option
@dry_run_option
@json_option
@click.pass_obj
def export(invocation: Invocation, **options: Unpack[_ExportOptions]) -> int:
    """Write the established conventions into AGENTS.md, CLAUDE.md or GEMINI.md.

    They stand between two marks; everything else in the file stays as it is, and with --undo the
    file becomes exactly what it was. The difference is shown before anything is written.
    """
    from supervisor_ai.control.commands.decisions.knowledge import (
        guide_difference,
        plan_guide,
        write_guide,
    )

    office, name = _office(invocation), options["file"]
    change = plan_guide(office, name, undo=options["undo"])
    difference = list(guide_difference(change))
    if difference and not options["as_json"]:
        say(plain("\n".join(difference)))
    if difference and not (options["yes"] or options["dry_run"]):
        _confirm(f"Write {name}?")
    done = write_guide(office, change, dry_run=options["dry_run"])
    return report_mutation(done, as_json=options["as_json"])


def _confirm(question: str) -> None:
    if not can_ask():
        raise InvalidInput(
            "Somebody must agree to this.", hint="Look at it with --dry-run, then say --yes."
        )
    click.confirm(question, default=True, abort=True, err=True)


def _carry_out(
    invocation: Invocation,
    office: "KnowledgeOffice",
    changes: "Sequence[KnowledgeChange]",
    options: _StatusOptions | _AddOptions,
) -> int:
    from supervisor_ai.bootstrap.projects import open_merges
    from supervisor_ai.control.commands.decisions.knowledge import carry_out

    dry_run = options["dry_run"]
    if not options["is_committed"] or dry_run:
        done = carry_out(office, changes, dry_run=dry_run)
    else:
        with open_merges(invocation.directory, invocation.settings) as merges:
            done = carry_out(office, changes, dry_run=False, commits=merges.for_user())
    return _report(invocation, changes, done, as_json=options["as_json"])


def _report(
    invocation: Invocation,
    changes: "Sequence[KnowledgeChange]",
    done: "KnowledgeDone",
    *,
    as_json: bool,
) -> int:
    """Say what was done; that nothing could be done is a failure of what was asked."""
    if not any(it.changed for it in changes) and any("already" not in it for it in done.notes):
        raise InvalidInput(" ".join(f"{it}." for it in done.notes))
    report_mutation(done, as_json=as_json)
    if as_json:
        return DONE
    for note in done.notes:
        say(f"note: {one_line(note)}")
    if done.committed is not None:
        branch, commit = one_line(done.committed.branch), short(done.committed.commit)
        say(f"Committed on {branch} as {commit}.")
    elif done.applied and any(it.store is StoreName.PROJECT for it in changes):
        say(f"A run sees what is committed: {invocation.git} add docs/knowledge, then commit.")
    return DONE


def _table(documents: "Sequence[DocumentView]") -> Iterator[str]:
    rows = [("STATUS", "USES", "CLEAN", "DOCUMENT", "TITLE", "UPDATED BY")]
    rows += [
        (
            it.status.value,
            str(it.uses),
            str(it.clean_uses),
            one_line(it.path),
            one_line(it.title),
            one_line(it.updated_by),
        )
        for it in documents
    ]
    yield from fitted(rows)


def _remarks(documents: "Sequence[DocumentView]") -> Iterator[str]:
    unseen = [it.path for it in documents if not it.is_committed]
    if unseen:
        named = ", ".join(map(one_line, unseen[:_NAMED]))
        more = f" and {len(unseen) - _NAMED} more" if unseen[_NAMED:] else ""
        yield from folded([f"Not committed as they are, so no run sees them yet: {named}{more}."])


def _page(it: "DocumentView") -> Iterator[str]:
    yield f"━━ {one_line(it.path)}"
    by = f", last updated by {one_line(it.updated_by)}" if it.updated_by else ""
    uses = "1 use" if it.uses == 1 else f"{it.uses} uses"
    yield f"{one_line(it.title)} ({it.status.value}{by}; {uses}, {it.clean_uses} clean)"
    yield ""
    yield plain(it.rules)
    for name, text in (("Examples", it.examples), ("Rationale", it.rationale)):
        if text:
            yield f"\n── {name}\n{plain(text)}"
    if it.changes:
        yield "\n── Changelog"
        for note in it.changes:
            task = f", {one_line(note.task)}" if note.task else ""
            yield f"{one_line(note.by)}{task}: {one_line(note.what)}"
