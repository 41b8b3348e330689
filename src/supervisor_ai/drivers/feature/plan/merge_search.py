"""With whom a component does not go together: bisection over what landed since it began."""

from msgspec import Struct

from supervisor_ai.domain.ids import ArtifactHash
from supervisor_ai.domain.structs import replace


class MergeSearch(Struct, frozen=True, kw_only=True):
    """Between which commits of the branch a merge with a component turns red."""

    slot: int
    """The gate that is red."""
    gate: str = ""
    low: int
    """The last landing with which it is known to be green, or the one before it began."""
    high: int
    """The first landing with which it is known to be red."""
    reason: str
    told: tuple[ArtifactHash, ...] = ()
    """What the gate said when all was merged."""

    @property
    def middle(self) -> int:
        """Name the landing to look at next."""
        return (self.low + self.high) // 2

    @property
    def is_over(self) -> bool:
        """Tell whether there is nothing left between green and red."""
        return self.high - self.low <= 1

    def narrowed(self, *, is_green: bool) -> "MergeSearch":
        """Take in how a merge with the landing in the middle is."""
        at = self.middle
        return replace(self, low=at) if is_green else replace(self, high=at)
