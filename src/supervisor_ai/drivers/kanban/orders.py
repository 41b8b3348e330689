"""What an agent is told on a kanban, what it may write and what it owes."""

import json
from typing import Final

from supervisor_ai.domain.run.definition import Role
from supervisor_ai.domain.run.effects import Effect, RunGate, RunWorker
from supervisor_ai.domain.run.events import AttemptLost, AttemptStarted
from supervisor_ai.domain.run.writable import Writable
from supervisor_ai.domain.structs import replace
from supervisor_ai.drivers.kanban.board.kanban import Agent
from supervisor_ai.drivers.kanban.board.policy import Obligation
from supervisor_ai.drivers.kanban.definition import KanbanDefinition
from supervisor_ai.drivers.kanban.effects import RunKanbanWorker, with_obligation
from supervisor_ai.drivers.kanban.events import KanbanRead
from supervisor_ai.drivers.kanban.kinds import OF_MANAGER
from supervisor_ai.drivers.kanban.state import KanbanState
from supervisor_ai.drivers.moves.state import current_visit

AGENTS: Final = {agent.value.lower(): agent for agent in Agent}
"""The agents by the names of their steps."""


def with_orders(state: KanbanState, effect: Effect) -> Effect:
    """Tell an agent only what is its own business, and a gate where the task began."""
    match effect:
        case RunWorker():
            return _of_agent(state, effect)
        case RunGate(origin=origin, vouched=vouched) if state.reading:
            begin = state.reading.snapshot.commit
            since = begin if vouched == origin else vouched
            return replace(effect, origin=begin, vouched=since)
        case _:
            return effect


def _of_agent(state: KanbanState, effect: RunWorker) -> RunKanbanWorker:
    agent = AGENTS[effect.step]
    return replace(
        with_obligation(effect, _obligation(state, agent, effect)),
        assignment=_assignment(state, agent),
        writable=_writable(state, agent),
        context=(),
        plans=(),
        turn=0,
        turns=(),
        # Bad answers are asked for again as often as the rule says, whatever came of other tasks.
        breaker=None,
        nonce=_nonce(state, effect),
        answers_directives=agent is Agent.ARCHITECT,
    )


def _nonce(state: KanbanState, effect: RunWorker) -> str:
    """Keep the nonce unless the agent hears what was wrong: the same prompt is the same text."""
    slot = current_visit(state.flow).slot(effect.slot)
    is_once_more = slot.is_asked or isinstance(slot.news, AttemptLost)
    is_told = effect.is_told and slot.retry is not None
    return slot.nonce if is_once_more or not is_told else ""


def _assignment(state: KanbanState, agent: Agent) -> str:
    """Write the inputs of an agent; the same inputs are always the same text."""
    file = state.policy.place.file
    if agent is not Agent.MANAGER:
        told: dict[str, object] = {"task_file": state.current}
    elif state.reading is None:
        told = {"instruction": state.policy.instruction, "kanban_file": file}
    else:
        tasks, done = list(state.reading.tasks), state.pending or state.current
        told = {"kanban_file": file, "done_task": done, "tasks": tasks}
    return json.dumps(told, ensure_ascii=False, indent=2)


def _writable(state: KanbanState, agent: Agent) -> Writable:
    folder = state.policy.place.folder
    if agent is Agent.MANAGER:
        return Writable(everywhere=False, paths={folder: True})
    others = {path: False for path in _files(state) if path != state.current}
    if agent is Agent.ARCHITECT:
        # Some tools write beside a file first and put it in its place then.
        return Writable(everywhere=False, paths={folder: True, **others})
    return Writable(everywhere=True, paths=others)


def _files(state: KanbanState) -> tuple[str, ...]:
    return tuple(file.path for file in state.reading.files) if state.reading else ()


def _obligation(state: KanbanState, agent: Agent, effect: RunWorker) -> Obligation:
    place = state.policy.place
    if agent is Agent.MANAGER or state.reading is None:
        return Obligation(agent=agent, place=place, since=effect.start)
    since = state.reading.snapshot.commit
    return Obligation(agent=agent, place=place, since=since, task=state.current)


def agent_name(started: AttemptStarted) -> str:
    """Name who was asked; a kanban's agents have names of their own."""
    agent = AGENTS.get(started.step)
    return started.role if agent is None else agent.shown


def task_name(definition: KanbanDefinition, role: Role, reading: KanbanRead | None) -> str | None:
    """Name what an agent of a kanban was given: a task's file, the kanban's, or a request."""
    if role.answer != OF_MANAGER:
        return None if reading is None else reading.current
    asked = definition.kanban.instruction if reading is None else ""
    return asked or definition.kanban.place.file
