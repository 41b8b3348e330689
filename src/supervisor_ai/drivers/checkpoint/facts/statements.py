"""Goals, requirements, components, stories, tasks and decisions, as documents state them.

How they are recognised, tolerantly:

- An entry (a heading, an entry of a list, a row of a table) that begins with an id states what the
  id is the id of: `G1`, `GOAL-1`, `OBJ-1`, `Goal 1` a goal; `R1`, `REQ-1`, `FR-1`, `NFR-1` a
  requirement; `US-1`, `STORY-1`, `EPIC-1` a story; `C1`, `COMP-1` a component; `ADR-1`, `DEC-1`,
  `D1` a decision; `T1`, `TASK-1`, `IMPL-1` a task; below a heading about tasks every id is one's.
- A line of a paragraph that begins with an id and a colon or a dash is an entry as well.
- Where a document gives no ids to a kind, the outermost entries of lists and the rows of tables
  below a heading that announces the kind state it; what is nested in them are details. Components,
  modules, stories, tasks and decisions may have headings of their own instead, right below it. The
  title of the whole document announces only what stands right below it.
- What is below "Non-Goals" or "Out of Scope" states nothing.
- A requirement is a must-have below a heading "Must Have", by `[Must]`, `(must)`, `Must:`,
  `Must-have`, the word MUST, `P0`, or by `Priority: Must` in it, below it or in a column.
- What comes before a task is named after `depends on`, `dependencies`, `blocked by`, `needs`,
  `after`, `requires` or `prerequisites`, in it, below it or in such a column.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Final

from supervisor_ai.drivers.checkpoint.facts import ids
from supervisor_ai.drivers.checkpoint.facts.markdown import EntryForm, MarkdownEntry
from supervisor_ai.drivers.checkpoint.facts.model import LONGEST_QUOTE, Moscow, Statement
from supervisor_ai.drivers.checkpoint.facts.topics import Topic
from supervisor_ai.drivers.checkpoint.facts.vocabulary import telling_words

MOST_STATEMENTS: Final = 1_000
_LONGEST_TEXT: Final = 200
_PRIORITIES: Final = {
    "must": Moscow.MUST,
    "should": Moscow.SHOULD,
    "could": Moscow.COULD,
    "wont": Moscow.WONT,
    "p0": Moscow.MUST,
    "p1": Moscow.SHOULD,
    "p2": Moscow.COULD,
}
_WORD: Final = r"(must|should|could|won'?t|p[0-2])"
_MARKED: Final = (
    re.compile(rf"\bpriority\W{{1,6}}{_WORD}\b", re.IGNORECASE),
    re.compile(rf"[\[(]{_WORD}(?:[- ]have)?[\])]", re.IGNORECASE),
    re.compile(rf"(?:^|\| ?){_WORD}(?:[- ]have)?(?: ?\||:|$)", re.IGNORECASE),
    re.compile(rf"\b{_WORD}[- ]haves?\b", re.IGNORECASE),
    re.compile(r"\b(MUST|SHOULD|COULD|P[0-2])\b"),
)
_BELOW_MARKED: Final = _MARKED[:1]
_BEFORE: Final = re.compile(
    r"\b(?:depends?[ _-]?on|dependenc(?:y|ies)|blocked[ _-]?by|needs|after|requires"
    r"|prerequisites?)\b",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"^[0-9]{1,3}(?:\.[0-9]{1,3}){0,3}[.)]? ")
_TITLED: Final = frozenset(
    {Topic.COMPONENTS, Topic.MODULES, Topic.STORIES, Topic.TASKS, Topic.DECISIONS}
)
"""What has headings of its own, more often than headings that group it."""
_NOTHING: Final = frozenset({"none", "n/a", "na", "-", "tbd", "nothing"})


def is_nothing(text: str) -> bool:
    """Tell whether an entry only says that there is none."""
    return text.strip(" .").lower() in _NOTHING


def statements(
    entries: Sequence[MarkdownEntry], families: frozenset[str], topic: Topic
) -> tuple[Statement, ...]:
    """Find what a document states of one kind."""
    named: dict[str, MarkdownEntry] = {}
    for entry in entries:
        if _is_named(entry, families, topic):
            named.setdefault(entry.id, entry)
    if named:
        first = islice(named.items(), MOST_STATEMENTS)
        return tuple(_statement(entry, id_, topic) for id_, entry in first)
    titled = [it for it in entries if topic in _TITLED and _is_titled(it, topic)]
    plain = [it for it in entries if _is_plain(it, topic) and (not titled or it.distance == 0)]
    chosen = sorted((*titled, *plain), key=lambda it: it.line)[:MOST_STATEMENTS]
    return tuple(_statement(entry, "", topic) for entry in chosen)


def _is_named(entry: MarkdownEntry, families: frozenset[str], topic: Topic) -> bool:
    if not entry.id or entry.topic is Topic.EXCLUDED:
        return False
    is_task = topic is Topic.TASKS and entry.topic is Topic.TASKS
    return is_task or ids.family(entry.id) in families


def _is_titled(entry: MarkdownEntry, topic: Topic) -> bool:
    is_heading = entry.form is EntryForm.HEADING and entry.distance == 1
    return is_heading and entry.topic is topic and ids.family(entry.id) not in ids.KNOWN


def _is_plain(entry: MarkdownEntry, topic: Topic) -> bool:
    if entry.topic is not topic or entry.form is EntryForm.HEADING or entry.depth > 0:
        return False
    is_other = ids.family(entry.id) in ids.KNOWN
    return bool(entry.text) and not is_other and not is_nothing(entry.text)


def _statement(entry: MarkdownEntry, id_: str, topic: Topic) -> Statement:
    text = entry.said if id_ else _NUMBERED.sub("", entry.text)
    return Statement(
        id=id_,
        text=text[:_LONGEST_TEXT],
        line=entry.line,
        quote=entry.raw.strip()[:LONGEST_QUOTE].strip(),
        refs=tuple(ref for ref in entry.refs if ref != id_),
        words=telling_words(" ".join((text, *entry.below))),
        priority=_priority(entry, text) if topic is Topic.REQUIREMENTS else None,
        needs=_needs(entry, id_) if topic is Topic.TASKS else (),
    )


def _priority(entry: MarkdownEntry, text: str) -> Moscow | None:
    column = _column(entry, lambda title: "priority" in title or "moscow" in title)
    own = (_first(text, _MARKED), _first(column, _MARKED))
    below = (_first(line, _BELOW_MARKED) for line in entry.below)
    above = (_first(title, _MARKED[3:4]) for title in reversed(entry.titles))
    return next((found for found in (*own, *below, *above) if found is not None), None)


def _first(text: str, patterns: Iterable[re.Pattern[str]]) -> Moscow | None:
    for pattern in patterns:
        if match := pattern.search(text):
            return _PRIORITIES[match[1].lower().replace("'", "")]
    return None


def _column(entry: MarkdownEntry, is_wanted: Callable[[str], bool]) -> str:
    return next((cell for title, cell in entry.cells.items() if is_wanted(title)), "")


def _needs(entry: MarkdownEntry, id_: str) -> tuple[str, ...]:
    column = _column(entry, lambda title: _BEFORE.search(title) is not None)
    lines = (entry.text, *entry.below) if entry.form is not EntryForm.ROW else ()
    told = (_after_word(line) for line in lines)
    found = (ref for text in (column, *told) for ref in ids.find_ids(text))
    return tuple(dict.fromkeys(ref for ref in found if ref != id_ and _can_come_before(ref)))


def _after_word(line: str) -> str:
    match = _BEFORE.search(line)
    return line[match.end() :] if match else ""


def _can_come_before(ref: str) -> bool:
    return ids.family(ref) not in ids.KNOWN - ids.TASKS
