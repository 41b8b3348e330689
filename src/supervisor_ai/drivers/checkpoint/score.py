"""The score of a checkpoint: the mean of its checks, and the verdict that follows from it."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final

from msgspec import Struct

from supervisor_ai.domain.errors import InternalError


class CheckVerdict(StrEnum):
    """How one check came out."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    WARN = "warn"
    FAIL = "fail"
    UNDECIDED = "undecided"
    """There was nothing to look at, or nobody to judge it: it does not count."""


class CheckpointVerdict(StrEnum):
    """What a checkpoint says about the pipeline."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    WARN = "warn"
    BLOCK = "block"


PASS_FROM: Final = Fraction(8, 10)
WARN_FROM: Final = Fraction(5, 10)
_HALVES: Final = {
    CheckVerdict.PASS: 2,
    CheckVerdict.WARN: 1,
    CheckVerdict.UNDECIDED: 1,
    CheckVerdict.FAIL: 0,
}


class Score(Struct, frozen=True, kw_only=True):
    """The mean of what checks are worth, as whole numbers: no threshold depends on rounding."""

    halves: int
    """A check that passed is worth two of them, one that warned one."""
    checks: int

    def __post_init__(self) -> None:
        if not 0 <= self.halves <= 2 * self.checks or self.checks == 0:
            message = f"There is no score of {self.halves} halves for {self.checks} checks."
            raise InternalError(message)

    @property
    def value(self) -> Fraction:
        """Return the exact mean, from 0 to 1."""
        return Fraction(self.halves, 2 * self.checks)

    @property
    def verdict(self) -> CheckpointVerdict:
        """Say what the mean means."""
        if self.value >= PASS_FROM:
            return CheckpointVerdict.PASS
        return CheckpointVerdict.WARN if self.value >= WARN_FROM else CheckpointVerdict.BLOCK

    @property
    def hundredths(self) -> int:
        """Round to hundredths; never up to a threshold that the mean does not reach."""
        rounded = int(self.value * 100 + Fraction(1, 2))
        crossed = any(
            self.value < edge <= Fraction(rounded, 100) for edge in (PASS_FROM, WARN_FROM)
        )
        return rounded - 1 if crossed else rounded

    @property
    def text(self) -> str:
        """Write the score as reports do, with two digits."""
        return f"{self.hundredths // 100}.{self.hundredths % 100:02}"

    @property
    def number(self) -> float:
        """Return the score as JSON has it."""
        return self.hundredths / 100


def score(verdicts: Iterable[CheckVerdict]) -> Score:
    """Score what checks said, each alike."""
    worth = [_HALVES[verdict] for verdict in verdicts]
    return Score(halves=sum(worth), checks=len(worth))


def weigh(content: Sequence[CheckVerdict], health: Iterable[CheckVerdict] = ()) -> Score:
    """Score what was decided; the health of a team can lower a score and never raise it."""
    decided = [it for it in content if it is not CheckVerdict.UNDECIDED]
    usual: Sequence[CheckVerdict] = decided or (CheckVerdict.UNDECIDED,)
    mean = score(usual).value
    lower = [it for it in health if score((it,)).value < mean and it is not CheckVerdict.UNDECIDED]
    return score((*usual, *lower))


class QualityTrend(StrEnum):
    """Where the quality of a session is going, from one checkpoint to the next."""

    IMPROVING = "improving"
    STABLE = "stable"
    DEGRADING = "degrading"


NOTICEABLE: Final = Fraction(5, 100)


def trend(before: Score | None, now: Score) -> QualityTrend:
    """Compare a score with the one before it; the first is stable."""
    change = Fraction(0) if before is None else now.value - before.value
    if change >= NOTICEABLE:
        return QualityTrend.IMPROVING
    return QualityTrend.DEGRADING if change <= -NOTICEABLE else QualityTrend.STABLE
