"""Notices that are owed: recorded together with the state that they are about."""

from contextlib import suppress

from supervisor_ai.domain.errors import NotFound, SupervisorError
from supervisor_ai.domain.notices import NO_NOTICES, NoticePolicy
from supervisor_ai.domain.project.events import NoticeOwed
from supervisor_ai.domain.project.notices import StateOfRun, state_of
from supervisor_ai.domain.run.run import Run
from supervisor_ai.engine.effects.notice_words import NoticeStory, notice_words
from supervisor_ai.engine.journal import Journal
from supervisor_ai.engine.world import World


def owe_notice(journal: Journal, world: World) -> None:
    """Stage that people are to hear of the run's state, once for each state of each visit."""
    state = state_of(journal.run)
    if state is None:
        return
    route = policy_of(world).routes.get(state.about)
    if route is None or not route.channels:
        return
    if journal.project.refresh().notices.is_known(journal.run.id, state.key):
        return
    owed = NoticeOwed(
        key=state.key,
        run=journal.run.id,
        about=state.about,
        severity=route.severity,
        channels=route.channels,
        words=world.artifacts.put(_words(journal.run, world, state)),
    )
    journal.stage_project(owed)


def policy_of(world: World) -> NoticePolicy:
    """Return who hears of what; where nobody can tell, no run waits for it."""
    try:
        return world.notices()
    except SupervisorError:
        return NO_NOTICES


def _words(run: Run, world: World, state: StateOfRun) -> str:
    task = ""
    with suppress(NotFound):
        task = world.artifacts.get(run.birth.task)
    story = NoticeStory(run=run.id, about=state.about, task=task, reason=state.reason)
    words = notice_words(story, world.redactor)
    return f"{words.title}\n{words.body}"
