"""What is known about a change on its way to a branch: its risk, people's words, its gates."""

from typing import Final

from msgspec import Struct, field

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.ids import TreeSha
from supervisor_ai.domain.run import events as e
from supervisor_ai.domain.run.approvals.policy import REQUIRING, ApprovalAction
from supervisor_ai.domain.run.status import Verdict
from supervisor_ai.domain.run.values import ApprovalReason, ReasonWord
from supervisor_ai.domain.structs import replace

_CONCERNS: Final = frozenset(
    (
        *(e.AssessmentStarted, e.ChangeAssessed, e.NotificationDelivered, e.NotificationFailed),
        *(e.ApprovalRequested, e.ApprovalGiven, e.ApprovalLapsed, e.ApprovalRefused),
        *(e.ChangeEdited, e.CommentMade, e.GateEnded),
    )
)
"""The kinds of facts that say something about a change on its way to a branch."""


class Clearance(Struct, frozen=True, kw_only=True):
    """How far a change is allowed to land; every part of it is bound to a tree."""

    is_assessing: bool = False
    """Whether an assessment under the policy of today is under way."""
    assessed: e.ChangeAssessed | None = None
    cleared: TreeSha | None = None
    """The files that may land."""
    objected: frozenset[TreeSha] = frozenset()
    """The files that a person has said no to; nobody's silence lets them land."""
    told: e.NotificationDelivered | e.NotificationFailed | None = None
    """Whether people have heard of the change that was assessed."""
    comments: tuple[e.CommentMade, ...] = ()
    """What people said about lines, and nobody has heard yet who could answer."""
    is_edited: bool = False
    """Whether a person has changed the files instead of an answer to the last question."""
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    """What each gate said last."""
    coverage: float | None = None
    """How much of the code the tests reach, as a gate measured it last."""

    def is_signed(self, tree: TreeSha) -> bool:
        """Tell whether people have agreed to these files because the policy asked them."""
        is_asked = self.assessed is not None and self.assessed.assessment.action in REQUIRING
        return is_asked and self.cleared == tree

    def voided(self) -> "Clearance":
        """Forget what the policy and people have said; what is under way does not count either."""
        return replace(self, is_assessing=False, assessed=None, cleared=None, told=None)


def evolve(clearance: Clearance, event: Event, question: ReasonWord | None) -> Clearance:
    """Fold one fact; `question` is what people were asked last."""
    return _changed(clearance, event, question) if type(event) in _CONCERNS else clearance


def _changed(clearance: Clearance, event: Event, question: ReasonWord | None) -> Clearance:
    match event:
        case e.AssessmentStarted():
            return replace(clearance, is_assessing=True)
        case e.ChangeAssessed(tree=tree, assessment=found) if clearance.is_assessing:
            is_clear = found.action is ApprovalAction.AUTO_APPROVE
            cleared = tree if is_clear else None
            return replace(clearance.voided(), assessed=event, cleared=cleared)
        case e.ApprovalGiven(tree=tree) | e.ApprovalLapsed(tree=tree):
            # What another policy had asked for says nothing about what this one demands.
            is_asked = clearance.assessed is not None and clearance.assessed.tree == tree
            is_about_risk = question == ApprovalReason.RISK and is_asked
            return replace(clearance, cleared=tree) if is_about_risk else clearance
        case e.ApprovalRefused(tree=tree):
            return replace(clearance.voided(), objected=clearance.objected | {tree})
        case e.NotificationDelivered() | e.NotificationFailed():
            return replace(clearance, told=event)
        case e.ChangeEdited():
            return replace(clearance, is_edited=True)
        case e.ApprovalRequested():
            # Whoever edits files takes nothing back of what they said before.
            kept = clearance.comments if clearance.is_edited else ()
            return replace(clearance, comments=kept, is_edited=False)
        case e.CommentMade():
            return replace(clearance, comments=(*clearance.comments, event))
        case e.GateEnded(gate=gate, verdict=verdict, coverage=coverage):
            measured = clearance.coverage if coverage is None else coverage
            said = {**clearance.verdicts, gate: verdict}
            return replace(clearance, verdicts=said, coverage=measured)
        case _:
            return clearance
