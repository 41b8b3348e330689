"""What a worker answers with that is asked to judge checks."""

from typing import Annotated, Final, Literal

from msgspec import Meta

from supervisor_ai.definitions.worker_answers.forms import AnswerForm
from supervisor_ai.definitions.worker_answers.models import AnswerModel, Output

_MOST: Final = 500
_MOST_EVIDENCE: Final = 50


class JudgedEvidence(AnswerModel, frozen=True, kw_only=True):
    """A line that bears a judgement out; it has to be there."""

    file: str
    line: Annotated[int, Meta(ge=1)]
    quote: str | None = None


class JudgedCheck(AnswerModel, frozen=True, kw_only=True):
    """What the worker says about one check."""

    check: str
    verdict: Literal["pass", "warn", "fail"]
    evidence: Annotated[list[JudgedEvidence], Meta(max_length=_MOST_EVIDENCE)]
    note: str | None = None


class JudgementOutput(Output, frozen=True, kw_only=True):
    """The answer of a worker that judges what text alone does not decide."""

    status: Literal["JUDGED"] = "JUDGED"
    checks: Annotated[list[JudgedCheck], Meta(max_length=_MOST)]

    @property
    def told(self) -> str:  # type: ignore[explicit-override]
        """Return what it says to people."""
        counts = [f"{it.check}: {it.verdict}" for it in self.checks]
        return ", ".join(counts)


JUDGEMENT: Final = AnswerForm(model=JudgementOutput)
