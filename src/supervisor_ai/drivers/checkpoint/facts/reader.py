"""Reads an artifact for everything that checks may need of it.

Markdown is read as `statements`, `terms`, `remarks` and `vocabulary` say; a file that ends in
`.json` as a plan. Reading costs time in proportion to the text, which is cut where it is too long.
"""

from supervisor_ai.drivers.checkpoint.facts import ids
from supervisor_ai.drivers.checkpoint.facts.json_plan import read_json_plan
from supervisor_ai.drivers.checkpoint.facts.markdown import EntryForm, Outlined, outline
from supervisor_ai.drivers.checkpoint.facts.model import ArtifactFacts, TermDefinition
from supervisor_ai.drivers.checkpoint.facts.remarks import (
    complexity,
    module_count,
    open_questions,
    self_scores,
)
from supervisor_ai.drivers.checkpoint.facts.statements import statements
from supervisor_ai.drivers.checkpoint.facts.terms import definitions
from supervisor_ai.drivers.checkpoint.facts.topics import Topic
from supervisor_ai.drivers.checkpoint.facts.vocabulary import uses


def read_artifact(path: str, text: str, *, task: str = "") -> ArtifactFacts:
    """Read the facts of one artifact; the same text always has the same facts."""
    if path.lower().endswith(".json"):
        return read_json_plan(text, task=task)
    document = outline(text)
    entries, prose = document.entries, document.prose
    terms = definitions(entries)
    return ArtifactFacts(
        task=task,
        lines=document.lines,
        is_cut=document.is_cut,
        goals=statements(entries, ids.GOALS, Topic.GOALS),
        requirements=statements(entries, ids.REQUIREMENTS, Topic.REQUIREMENTS),
        components=statements(entries, ids.COMPONENTS, Topic.COMPONENTS),
        stories=statements(entries, ids.STORIES, Topic.STORIES),
        tasks=statements(entries, ids.TASKS, Topic.TASKS),
        decisions=statements(entries, ids.DECISIONS, Topic.DECISIONS),
        modules=statements(entries, ids.MODULES, Topic.MODULES),
        module_count=module_count(prose),
        complexity=complexity(prose),
        questions=open_questions(entries),
        scores=self_scores(prose),
        terms=terms,
        uses=_uses(document, terms),
        headings=_headings(document),
        mentions=_mentions(document),
    )


def _uses(document: Outlined, terms: tuple[TermDefinition, ...]) -> dict[str, int]:
    """List what the text calls things; a line that defines a term uses no other word for it."""
    defining = {term.line for term in terms}
    lines = (it for it in document.prose if it[0] not in defining)
    defined = ((term.line, term.term) for term in terms)
    return uses((*defined, *lines))


def _headings(document: Outlined) -> dict[str, int]:
    found = [it for it in document.entries if it.form is EntryForm.HEADING]
    return {entry.text.lower(): entry.line for entry in reversed(found)}


def _mentions(document: Outlined) -> dict[str, int]:
    found: dict[str, int] = {}
    for number, line in document.prose:
        for id_ in ids.find_ids(line):
            found.setdefault(id_, number)
    return found
