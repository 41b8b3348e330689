"""Tell an agent of the user's about us, or have it forget us: planned, shown, done."""

import re
from collections.abc import Iterator
from difflib import unified_diff
from typing import Final

from supervisor_ai.control.ports.agent_installation import AgentWish, FileRewrite, InstallationPlan
from supervisor_ai.control.run_views import MutationView
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.session.decisions import check_member
from supervisor_ai.domain.session.members import MemberRole
from supervisor_ai.tools.text import counted

_NOWHERE: Final = "/dev/null"
_SESSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", re.ASCII)


def check_wish(wish: AgentWish) -> AgentWish:
    """Refuse what can be no session: its name goes into commands that others run."""
    if wish.session is not None and _SESSION.fullmatch(wish.session) is None:
        raise InvalidInput(
            f"{wish.session[:80]!r} is no name of a session.",
            hint="Letters, digits, '_', '.' and '-', 64 characters at most.",
        )
    if wish.role is MemberRole.SUPERVISOR:
        raise InvalidInput(
            "Nobody but our own run is the supervisor of a session.",
            hint="Choose coordinator, worker or observer.",
        )
    if wish.member is not None:
        check_member(wish.member, wish.role)
    return wish


def describe_change(change: FileRewrite) -> Iterator[str]:
    """Show exactly what would become of a file, line by line."""
    yield from _without_ends(
        unified_diff(
            _lines(change.before),
            _lines(change.after),
            _NOWHERE if change.before is None else f"a/{change.path}",
            _NOWHERE if change.after is None else f"b/{change.path}",
        )
    )


def _lines(text: str | None) -> list[str]:
    return [] if text is None else text.splitlines(keepends=True)


def _without_ends(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        bare = line.rstrip("\n")
        yield bare
        if bare == line and line[:1] in {"+", "-", " "}:
            yield "\\ No newline at end of file"


def carry_out(plan: InstallationPlan, *, dry_run: bool) -> MutationView:
    """Do what was planned, and say what it was."""
    if not dry_run:
        plan.apply()
    return MutationView(
        target=plan.directory,
        applied=bool(plan.changes) and not dry_run,
        dry_run=dry_run,
        detail=_detail(plan, dry_run=dry_run),
    )


def _detail(plan: InstallationPlan, *, dry_run: bool) -> str:
    if not plan.changes:
        return "Everything is as you want it."
    would = "would be " if dry_run else ""
    words = {
        "written": sum(it.before is None for it in plan.changes),
        "changed": sum(it.before is not None and it.after is not None for it in plan.changes),
        "removed": sum(it.after is None for it in plan.changes),
    }
    told = [f"{counted(number, 'file')} {would}{word}" for word, number in words.items() if number]
    return f"{', '.join(told)} for {plan.agent}."
