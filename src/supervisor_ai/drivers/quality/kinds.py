"""The kinds of answers that quality supervisors give, and of steps at which they look."""

from typing import Final

from supervisor_ai.domain.run.answers import AnswerWord, Meaning
from supervisor_ai.domain.run.definition import StepKind

ATTACHED: Final = StepKind.ATTACHED
"""Supervisors look behind the commits of a driver that is no loop."""
OF_STYLE: Final = AnswerWord("style_findings")
OF_DESIGN: Final = AnswerWord("design_findings")
OF_KNOWLEDGE: Final = AnswerWord("knowledge_items")
OF_SUPERVISORS: Final = frozenset({OF_STYLE, OF_DESIGN, OF_KNOWLEDGE})
REVIEWED: Final = "REVIEWED"
SUPERVISOR_MEANINGS: Final[dict[str, Meaning]] = {REVIEWED: Meaning.PASS}
