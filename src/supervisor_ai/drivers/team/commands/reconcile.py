"""Comparing state.md with the ledger because somebody asks for it."""

from typing import Final

from supervisor_ai.domain.envelope import Actor
from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.drivers.team.commands.projection import project_state
from supervisor_ai.drivers.team.commands.team_desk import TeamDesk
from supervisor_ai.drivers.team.event_kinds.reconcile import StateDiverged
from supervisor_ai.drivers.team.machines.reconcile import LockStatus
from supervisor_ai.drivers.team.sent import TeamAnswer
from supervisor_ai.drivers.team.state import TeamState

CONSISTENT: Final = "STATE_CONSISTENT"


def check_state(teams: TeamDesk, name: str, actor: Actor) -> TeamAnswer:
    """Look at state.md, put it right where that needs nobody, and say what was found."""
    before = teams.state(name).index
    is_written = project_state(teams, name, actor)
    state = teams.state(name)
    edits = [it for _, it in teams.facts(name, after=before) if isinstance(it, StateDiverged)]
    if state.lock is not LockStatus.OPEN:
        return _locked(teams, name, state)
    if not edits:
        reason = "state.md is what the ledger says." if is_written else "state.md is not written."
        return TeamAnswer(accepted=is_written, event=CONSISTENT, reason=reason)
    return TeamAnswer(
        accepted=True,
        event=StateDiverged.word,
        reason="Somebody else changed state.md; no work is touched, and it is undone."
        f"{_kept(edits[-1].edit)}",
        edit=edits[-1].edit,
    )


def _kept(edit: ArtifactHash | None) -> str:
    return "" if edit is None else f" What was there: supervisor ledger show {edit}"


def _locked(teams: TeamDesk, name: str, state: TeamState) -> TeamAnswer:
    edit = state.reconcile.edit
    if state.lock is LockStatus.AWAITING_ACK and state.reconcile.plan is not None:
        diff = teams.desk.text(state.reconcile.plan.diff).partition("\n")[0]
        reason = (
            f"state.md was changed by somebody else ({diff}) and written anew. The edit touches "
            f"work, so nothing goes on before: supervisor team ack {name} --of reconcile."
            f"{_kept(edit)}"
        )
        return TeamAnswer(accepted=False, event=StateDiverged.word, reason=reason, edit=edit)
    event = "STATE_FROZEN" if state.lock is LockStatus.FROZEN else "RECONCILE_LOCK"
    reason = f"The Lead has to settle it first.{_kept(edit)}"
    return TeamAnswer(accepted=False, event=event, reason=reason, edit=edit)
