"""The kinds of steps, answers and questions that only checkpoints have."""

from typing import Final

from supervisor_ai.domain.ids import StepName
from supervisor_ai.domain.run.answers import AnswerWord, Meaning
from supervisor_ai.domain.run.definition import StepWord
from supervisor_ai.domain.run.values import ReasonWord

RESIDENCE: Final = StepWord("session")
"""The supervisor waits for what the coordinator says."""
CHECKPOINT: Final = StepWord("checkpoint")
"""The checks of one checkpoint are made, and a block is put before a person."""
SESSION: Final = StepName("session")
"""The step in which a resident supervisor waits."""
BLOCK: Final = ReasonWord("checkpoint")
"""A checkpoint blocks, and a person decides whether to go on all the same."""
JUDGE: Final = "checkpoint_judge"
"""The role that is asked what text alone does not decide."""
OF_JUDGE: Final = AnswerWord("judgement")
"""What such a role says about each check."""
JUDGED: Final = "JUDGED"
JUDGE_MEANINGS: Final[dict[str, Meaning]] = {JUDGED: Meaning.PASS}
