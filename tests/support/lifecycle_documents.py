"""What the members of a full-lifecycle session write: documents of the size that agents write.

A product of twelve features, told seven times: as research, brief, requirements, architecture,
stories, a readiness report and a plan. Each has the sections that such documents have.
"""

from collections.abc import Iterator
from typing import Final

FEATURES: Final = (
    ("browse", "Catalogue", "see what the shop sells, by category and by price"),
    ("search", "Search", "find a product by a word of its name or its description"),
    ("cart", "Cart", "collect products and change their number before paying"),
    ("pay", "Checkout", "pay by card within a minute, without an account"),
    ("confirm", "Mail", "get a confirmation with everything that was ordered"),
    ("track", "Tracking", "see where an order is until it has arrived"),
    ("return", "Returns", "send something back and get the money within a week"),
    ("stock", "Stock", "know how many of each product are left, at any time"),
    ("price", "Pricing", "set prices and reductions that begin and end by themselves"),
    ("export", "Export", "take every sale into the books of the accountant"),
    ("report", "Dashboard", "see what was sold today, this week and this month"),
    ("audit", "Audit Log", "see who changed a price, a stock or an order, and when"),
)
DECISIONS: Final = (
    "Payments go through one provider",
    "Orders are kept in one relational database",
    "The pages are rendered on the server",
    "Mails are sent by a queue that tries again",
    "Prices are kept as whole cents",
)
MODULES: Final = ("catalogue", "checkout", "orders", "backoffice")


def research() -> str:
    """Tell what the analyst found out."""
    return _lines(
        *("# Discovery", "", "## Sources", ""),
        *(f"- Interview {n}: a shop owner about {name}" for n, (_, name, _) in _numbered()),
        *("", "## What was heard", ""),
        *(it for n, feature in _numbered() for it in _heard(n, *feature)),
        *("", "## Competitors", ""),
        *(f"- {name}: two of three competitors let people {wish}." for _, name, wish in FEATURES),
    )


def _heard(number: int, key: str, name: str, wish: str) -> Iterator[str]:
    yield from (f"### {number}. {name}", "", f"Owners say that customers want to {wish}.")
    yield f"Today this is done by hand, and what concerns `{key}` is written on paper first."
    yield from ("Two of five owners have tried a tool for it and given up after a month.", "")
    yield f"> If I could {wish}, I would sleep better."
    yield ""


def brief() -> str:
    """Tell what is to be made, and why."""
    return _lines(
        *("# Product Brief: Shop", "", "## Vision", ""),
        "A shop that one person can run, in which a customer buys within a minute.",
        *("", "### Goals", ""),
        *(f"- **G{n}**: A customer or owner can {wish}" for n, (_, _, wish) in _numbered()),
        *("", "### Non-Goals", "", "- A marketplace for other shops", "- A till for a store"),
        *("", "## Users", ""),
        *(it for n, feature in _numbered() for it in _user(n, *feature)),
        *("", "## Glossary", ""),
        "- **Customer** (not: client, shopper): who buys something",
        "- **Order**: what a customer has paid for",
        "- **Owner**: who runs the shop",
        *("", "## Decisions", ""),
        *(f"- D{n}: {text}" for n, text in enumerate(DECISIONS, 1)),
        *("", "## Risks", ""),
        *(f"- {name} may take longer than planned; its owner decides" for _, name, _ in FEATURES),
        *("", "Self-score: 85"),
    )


def _user(number: int, key: str, name: str, wish: str) -> Iterator[str]:
    yield from (f"### Persona {number}: who cares about {name}", "")
    yield f"Wants to {wish}. Has an hour a day for the shop and a phone to do it with."
    yield from (
        f"What matters about `{key}`: that it works the first time, and is told if not.",
        "",
    )
    yield f"Measure of success: nine of ten people can {wish} without asking anybody."
    yield ""


def requirements() -> str:
    """Tell what has to hold."""
    head = ("# Requirements", "", "| ID | Requirement | Priority | Goal |", "|---|---|---|---|")
    return _lines(
        *head,
        *(
            f"| REQ-{n:03} | {name}: {wish} | {'Must' if n < 9 else 'Should'} | G{n} |"
            for n, (_, name, wish) in _numbered()
        ),
        *("", "## Details", ""),
        *(it for n, feature in _numbered() for it in _required(n, *feature)),
        *("## Quality", ""),
        *(f"- A page of {name} is there within a second" for _, name, _ in FEATURES),
        *("", "## Open Questions", "", "- Which font? (minor)", "", "Quality score: 8.2/10"),
    )


def _required(number: int, key: str, name: str, wish: str) -> Iterator[str]:
    yield from (f"### About REQ-{number:03}: {name}", "")
    yield from (f"As somebody who uses the shop I want to {wish}.", "", "Acceptance:", "")
    yield f"1. Given an empty shop, when `{key}` is used, then it says that there is nothing yet."
    yield f"2. Given a usual day, when somebody wants to {wish}, then that takes under a minute."
    yield "3. Given no connection, when it is tried, then nothing is lost and it is tried again."
    yield f"4. Given wrong input to `{key}`, then the page says what is wrong and keeps the rest."
    yield from ("", f"Depends on nothing but the session of the customer. Traces to G{number}.")
    yield from (f"Rationale: without {name} the measure of the brief cannot be reached.", "")
    yield from ("Out of it: everything that needs an account with somebody else.", "")


def architecture() -> str:
    """Tell what it is made of."""
    return _lines(
        *("# Architecture", "", "## Components", ""),
        *(f"- C{n} {name}: lets people {wish}" for n, (_, name, wish) in _numbered()),
        *("", "## Structure", ""),
        *(it for n, feature in _numbered() for it in _component(n, *feature)),
        *("## Decisions", ""),
        *(it for n, text in enumerate(DECISIONS, 1) for it in _decision(n, text)),
        "Self-score: 84",
    )


def _component(number: int, key: str, name: str, wish: str) -> Iterator[str]:
    yield from (
        f"### How {name} works",
        "",
        f"It answers requests below `/{key}` and nothing else.",
    )
    yield f"Its tables are `{key}` and `{key}_events`; nobody else writes them."
    yield from ("", "```", f"GET  /{key}        -> 200 [{{id, name, price}}]")
    yield from (f"POST /{key}        -> 201 {{id}} | 422 {{field, problem}}", "```", "")
    yield f"When somebody wants to {wish}, the page asks it once and shows what comes back."
    yield f"It fails closed: where its database is gone, `{key}` says so and takes nothing."
    yield from (
        f"It serves REQ-{number:03} and is tested by itself with a database of its own.",
        "",
    )


def _decision(number: int, text: str) -> Iterator[str]:
    yield from (f"### ADR-{number}: {text}", "", f"Follows D{number}.", "", "Context: one person")
    yield from ("runs the shop and nobody is called at night.", "", "Considered:", "")
    yield from ("- to buy it: costs more than it brings", "- to leave it out: see the brief")
    yield from ("- two of it: twice the work on the day it breaks", "", "Consequences: one place")
    yield from ("to look at, and one place that has to be kept well.", "")


def stories() -> str:
    """Tell who wants what."""
    return _lines(
        *("# Epics and Stories", ""),
        *(it for n, feature in _numbered() for it in _epic(n, *feature)),
        "Overall score: 88%",
    )


def _epic(number: int, key: str, name: str, wish: str) -> Iterator[str]:
    yield from (f"## EPIC-{number}: {name}", "", f"Lets people {wish} (REQ-{number:03}).", "")
    for part, what in enumerate(("the usual way", "with wrong input", "without a connection"), 1):
        yield f"### US-{number}{part}: {name}, {what}"
        yield from ("", f"As a user I {wish}, {what} (C{number}).", "")
        yield f"- The page of `{key}` shows within a second what has happened"
        yield f"- What was typed into `{key}` is kept until it is taken"
        yield "- Nothing is done twice, however often the button is pressed"
        yield from ("- Size: 3 points", "")


def readiness() -> str:
    """Tell whether the documents are good enough to plan by."""
    return _lines(
        *("# Readiness Report", "", "## Coverage", ""),
        *(f"- REQ-{n:03} has C{n} and US-{n}1 to US-{n}3" for n, _ in _numbered()),
        *("", "## Findings", ""),
        *(f"- {name}: the acceptance of `{key}` can be tested" for key, name, _ in FEATURES),
        *("", "Overall score: 86"),
    )


def plan() -> str:
    """Tell what is done in which order."""
    return _lines(
        *("# Plan", "", "Complexity: medium", "", "Execution: in parallel, module by module", ""),
        *("Each module has one executor; nobody waits for a page that is not needed.", ""),
        *("## Modules", "", *(f"- {name}" for name in MODULES), "", "## Tasks", ""),
        *(it for n, feature in _numbered() for it in _task(n, *feature)),
        *("", "## Verification", ""),
        *(
            f"- `make test` runs `tests/{key}`, and the browser tries {name}"
            for key, name, _ in FEATURES
        ),
    )


def _task(number: int, key: str, name: str, wish: str) -> Iterator[str]:
    yield f"- TASK-{number}: {name} for REQ-{number:03}, as ADR-{1 + number % len(DECISIONS)} says"
    if number > len(MODULES):
        yield f"  - depends on: TASK-{number - len(MODULES)}"
    yield f"  - files: `src/{key}/pages.py`, `src/{key}/tables.py`, `tests/{key}/`"
    yield f"  - first: the tables of `{key}`, and what fills them in a test"
    yield f"  - then: the page of `{key}` in its usual way"
    yield "  - last: wrong input, and what happens without a connection"
    yield f"  - done when: somebody can {wish}, and US-{number}1 to US-{number}3 are tests"
    yield f"  - watch: {name} must not write what belongs to others"
    yield "  - effort: small"


def wisdom() -> str:
    """Tell what the team has learnt until the plan is made."""
    return _lines(
        "# Learnings",
        *(f"- `{key}`: {name} is easier with fewer words on the page" for key, name, _ in FEATURES),
    )


def _numbered() -> Iterator[tuple[int, tuple[str, str, str]]]:
    return enumerate(FEATURES, 1)


def _lines(*lines: str) -> str:
    return "\n".join((*lines, ""))


DOCUMENTS: Final = {
    "RESEARCH-001": ("spec/discovery.md", research()),
    "DRAFT-001": ("spec/product-brief.md", brief()),
    "DRAFT-002": ("spec/requirements.md", requirements()),
    "DRAFT-003": ("spec/architecture.md", architecture()),
    "DRAFT-004": ("spec/epics.md", stories()),
    "QUALITY-001": ("spec/readiness-report.md", readiness()),
    "PLAN-001": ("plan/plan.md", plan()),
}
"""What each task of the pipeline leaves, by its path."""
