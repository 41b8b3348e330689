"""Whether a plan can be carried out: order, size, and what it builds on."""

from graphlib import CycleError, TopologicalSorter
from typing import Final

from supervisor_ai.drivers.checkpoint.checks.model import (
    RuleOutcome,
    Undecided,
    failed,
    passed,
    vacuous,
    warned,
)
from supervisor_ai.drivers.checkpoint.checks.view import CheckedSession, Params, Placed, cite, names
from supervisor_ai.drivers.checkpoint.facts.ids import find_ids
from supervisor_ai.drivers.checkpoint.facts.model import ArtifactFacts, Citation, PlanComplexity
from supervisor_ai.tools.text import counted

_MANY: Final = 5
_FITS: Final = {
    PlanComplexity.LOW: range(1, 3),
    PlanComplexity.MEDIUM: range(3, 5),
    PlanComplexity.HIGH: range(5, 10_000),
}
"""How many modules go with which complexity."""
_SHOWN: Final = 8


def plan_graph(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find tasks of a plan that wait for themselves, for nothing that there is, or stand alone."""
    del params
    tasks = {it.id: (path, it) for path, it in view.stated("tasks") if it.id}
    if not tasks:
        return vacuous("No tasks with ids were found in a plan.")
    if cycle := _cycle(tasks):
        return failed(f"The tasks wait for each other: {cycle}.", *_of_cycle(cycle, tasks))
    others = {found for it in view.material.tasks for found in (it.id, *find_ids(it.id))}
    lost = [it for it in tasks.values() if set(it[1].needs) - set(tasks) - others]
    if lost:
        missing = sorted({need for _, it in lost for need in it.needs} - set(tasks) - others)
        note = f"{names(lost)}: waits for {', '.join(missing[:_SHOWN])}, which is no task."
        return failed(note, *map(cite, lost))
    alone = _alone(tasks)
    if alone:
        note = f"{names(alone)}: belongs to no other task and names nothing that it is for."
        return failed(note, *map(cite, alone))
    return passed(f"{counted(len(tasks), 'task')} in order.")


def _cycle(tasks: dict[str, Placed]) -> str:
    try:
        TopologicalSorter({id_: it.needs for id_, (_, it) in tasks.items()}).prepare()
    except CycleError as error:
        found: list[str] = error.args[1]
        return " \u2192 ".join([*found[:_SHOWN], *found[_SHOWN:][-1:]])
    return ""


def _of_cycle(cycle: str, tasks: dict[str, Placed]) -> list[Citation]:
    ids = dict.fromkeys(cycle.split(" \u2192 "))
    return [cite(tasks[id_]) for id_ in ids if id_ in tasks]


def _alone(tasks: dict[str, Placed]) -> list[Placed]:
    """List the tasks without any connection, where the plan connects others."""
    needed = {need for _, it in tasks.values() for need in it.needs}
    alone = [
        placed
        for id_, placed in tasks.items()
        if not placed[1].needs and not placed[1].refs and id_ not in needed
    ]
    return alone if len(alone) < len(tasks) else []


def complexity_fits(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Compare the complexity that a plan states with the number of its modules."""
    del params
    labels = [(path, it.complexity) for path, it in view.facts.items() if it.complexity]
    if not labels:
        return vacuous("No artifact says how complex the work is.")
    path, label = labels[-1]
    modules = max(map(_modules, view.facts.values()), default=0)
    if not modules:
        return vacuous("No artifact says which modules there are.")
    place = Citation(file=path, line=label.line, quote=label.quote)
    complexity = label.complexity
    note = f"Complexity {complexity.value} with {counted(modules, 'module')}."
    wrong = {PlanComplexity.LOW: modules >= _MANY, PlanComplexity.HIGH: modules == 1}
    if wrong.get(complexity, False):
        return failed(note, place)
    return passed(note) if modules in _FITS[complexity] else warned(note, place)


def _modules(facts: ArtifactFacts) -> int:
    return facts.module_count or len(facts.modules)


def plan_cites_decisions(view: CheckedSession, params: Params) -> RuleOutcome | Undecided:
    """Find out whether the plan names decisions of the architecture."""
    del params
    decisions = [it for it in view.stated("decisions") if it[1].id]
    plans = {path: facts for path, facts in view.facts.items() if facts.tasks}
    if not decisions or not plans:
        missing = "plan" if decisions else "decisions with ids"
        return vacuous(f"No {missing} were found in the artifacts.")
    cited = [it for it in decisions if any(it[1].id in plan.mentions for plan in plans.values())]
    if cited:
        return passed(f"{counted(len(cited), 'decision')} cited by the plan.")
    return failed(f"The plan names none of {names(decisions)}.", *map(cite, decisions))
