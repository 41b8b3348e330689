"""The complexity of a change, from what it touches and how it was planned.

Six signs make a change medium: two or more of them; four or more make it complex.
- layers: its files lie in two or more layers (`builtin/complexity.yaml`).
- existing behaviour: it takes lines away from code that was there.
- sensitive: a line that it changes speaks of access, money or secrets.
- tasks: a plan has three or more components (or phases, where it has no components).
- dependencies: components of a plan wait for others.
- files: it changes five or more files of the product.
- statements: it adds or takes away two hundred or more; four hundred are medium by themselves.

Each of these makes it complex by itself: three layers; a shared file changes; a file about access
or money changes; five tasks; a chain of three tasks; ten files; a thousand statements; a risk
(`builtin/risks.yaml`: calls and settings that come, protections that go); code that cannot be
read. A migration is medium by itself. Whether there is a gold standard for such a change cannot be
measured, so it does not count. Tests, documents and comments count for nothing.
"""

from collections.abc import Iterator
from typing import Final

from supervisor_ai.control.ports.commits import Commits
from supervisor_ai.domain.run.gates import Complexity
from supervisor_ai.engine.ports.gates import ChangeCase, Examination
from supervisor_ai.gates.change.planned_tasks import PlannedTasks, planned
from supervisor_ai.gates.change.touched_areas import Touched, touched
from supervisor_ai.gates.change_view import ChangeView

_SOME_SIGNS: Final = 2
_MANY_SIGNS: Final = 4
_MANY_LINES: Final = 400


def look_at_complexity(view: ChangeView) -> Examination:
    """Look at a change as the gate's kind is registered."""
    return examine_complexity(view.case, view.commits)


def examine_complexity(case: ChangeCase, commits: Commits) -> Examination:
    """Measure how much scrutiny the whole change of a run needs."""
    areas, tasks = touched(case, commits), planned(case.plans)
    strong = tuple(_complex_signs(areas, tasks))
    medium = tuple(_medium_signs(areas, tasks))
    level = _level(areas, len(strong), len(medium))
    signs = ", ".join(dict.fromkeys((*strong, *medium))) or "no sign of more"
    return Examination(complexity=level, summary=f"The change is {level.value}: {signs}.")


def _level(areas: Touched, strong: int, medium: int) -> Complexity:
    if strong or medium >= _MANY_SIGNS:
        return Complexity.COMPLEX
    is_medium = medium >= _SOME_SIGNS or areas.risks or areas.lines >= _MANY_LINES
    return Complexity.MEDIUM if is_medium else Complexity.SIMPLE


def _medium_signs(areas: Touched, tasks: PlannedTasks) -> Iterator[str]:
    if len(areas.layers) >= 2:  # noqa: PLR2004 - the definition says two
        yield f"{len(areas.layers)} layers ({', '.join(areas.layers[:5])})"
    if areas.changes_behaviour:
        yield "existing behaviour changes"
    if areas.sensitive is not None:
        yield f"near a sensitive area ({areas.sensitive})"
    if tasks.count >= 3:  # noqa: PLR2004 - the definition says three
        yield f"{tasks.count} tasks"
    if tasks.has_dependencies:
        yield "tasks that wait for others"
    if areas.files >= 5:  # noqa: PLR2004 - the definition says five
        yield f"{areas.files} files"
    if areas.lines >= 200:  # noqa: PLR2004 - the definition says two hundred
        yield f"{areas.lines} statements"
    yield from (f"risk: {kind}" for kind in areas.risks)


def _complex_signs(areas: Touched, tasks: PlannedTasks) -> Iterator[str]:
    if len(areas.layers) >= 3:  # noqa: PLR2004 - the definition says three
        yield f"{len(areas.layers)} layers ({', '.join(areas.layers[:5])})"
    if areas.shared is not None:
        yield f"shared behaviour changes ({areas.shared})"
    if areas.direct is not None:
        yield f"code about access or money ({areas.direct})"
    if tasks.count >= 5:  # noqa: PLR2004 - the definition says five
        yield f"{tasks.count} tasks"
    if tasks.has_chain:
        yield "a chain of three tasks"
    if areas.files >= 10:  # noqa: PLR2004 - the definition says ten
        yield f"{areas.files} files"
    if areas.lines >= 1000:  # noqa: PLR2004 - the definition says a thousand
        yield f"{areas.lines} statements"
    yield from (f"risk: {kind}" for kind in areas.strong_risks)
    if areas.unread is not None:
        yield f"code that cannot be looked at ({areas.unread})"
