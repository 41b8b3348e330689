"""The page of the docs that shows what came of other people's projects."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tests.projects.outcomes import Outcome
from tests.projects.table import ForeignProject

PAGE: Final = Path(__file__).parents[2] / "docs" / "projects.md"
HEAD: Final = """\
# Other people's projects

Releases that other people made, as the registries have them, each pinned by its hash
(`tests/projects/projects.toml`). `make test-long` takes each of them through the same steps on one
machine, where the registries are the only network:

1. **own**: its environment is made as its own instructions say, and its tests run plainly, without
   Supervisor.
2. **gates**: `supervisor init --yes` finds commands, tries them in the sandbox and writes what
   worked; in brackets, how many tests the gate ran.
3. **green**: `supervisor run` with a scripted agent that adds a comment to the product completes:
   plan, implementation, tests, review, commit.
4. **red**: one line of the product is broken, and `supervisor gate check test` fails.

The test fails if fewer than nine in ten of those whose own instructions work are green, or if any
of them stays green with the broken line. The seconds are those of a busy machine with two cores.
`python -m tests.projects --record` writes this page.
"""
COLUMNS: Final = (
    *("project", "version", "from", "language", "layout", "own", "gates", "green", "red"),
    *("prepare s", "init s", "run s", "check s"),
)


def page(projects: Sequence[ForeignProject], outcomes: Sequence[Outcome]) -> str:
    """Write the page."""
    by_name = {project.name: project for project in projects}
    rows = [_row(by_name[it.name], it) for it in outcomes]
    table = [_line(COLUMNS), _line(["---"] * len(COLUMNS)), *map(_line, rows)]
    return "\n".join((HEAD, _sum(outcomes), "", *table, "", *_reasons(outcomes)))


def _sum(outcomes: Sequence[Outcome]) -> str:
    workable = [it for it in outcomes if it.works_plainly]
    green = [it for it in workable if it.is_green]
    red = [it for it in green if it.is_red]
    share = 100 * len(green) // max(1, len(workable))
    return (
        f"**{len(outcomes)} projects; {len(workable)} work here by their own instructions, "
        f"{len(green)} of these ({share} %) are green untouched, and {len(red)} of {len(green)} "
        "turn red with one broken line.**"
    )


def _row(project: ForeignProject, it: Outcome) -> list[str]:
    layout = f"{project.layout}, {project.lock}" if project.lock else project.layout
    is_tried = it.works_plainly and "test" in it.gates
    return [
        *(it.name, it.version, project.registry, project.language, layout),
        *(_mark(it.works_plainly), ", ".join(_gates(it))),
        *((_mark(it.is_green), _mark(it.is_red)) if is_tried else ("", "")),
        *(_seconds(it, name) for name in ("prepare", "init", "run", "broken")),
    ]


def _gates(it: Outcome) -> Iterator[str]:
    for name, tests in it.gates.items():
        yield name if tests is None else f"{name} ({tests})"


def _mark(holds: bool) -> str:  # noqa: FBT001 - a cell of the table
    return "yes" if holds else "**no**"


def _seconds(it: Outcome, name: str) -> str:
    return f"{it.seconds[name]:.0f}" if name in it.seconds else ""


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _reasons(outcomes: Sequence[Outcome]) -> Iterator[str]:
    told = [it for it in outcomes if it.reason]
    if told:
        yield "What does not work, and why:\n"
    for it in told:
        yield f"- {it.name}: {it.reason}"
    yield ""
