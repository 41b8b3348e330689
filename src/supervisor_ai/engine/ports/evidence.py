"""Port of evidence: the two halves of a change, and the trees that are composed of them."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Protocol

from msgspec import Struct, field

from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.gates import ChangeCase


class Half(StrEnum):
    """Which side of a judgement a file is on: what judges, what is judged, or both in one."""

    HARNESS = "harness"
    PRODUCT = "product"
    MIXED = "mixed"


class HalfOf(Struct, frozen=True, kw_only=True):
    """A file that a change touches, and the half that it belongs to."""

    path: str
    half: Half
    why: str
    """The convention or the rule of the project that says so."""


class Halves(Struct, frozen=True, kw_only=True):
    """A change, taken apart."""

    files: tuple[HalfOf, ...] = ()
    """Every file that the change touches."""
    touches_harness: bool = False
    touches_product: bool = False
    replay: Mapping[str, bytes | None] = field(default_factory=dict)
    """What to put over the head so that its harness is the base's; None: no file."""
    not_replayed: tuple[str, ...] = ()
    """What of the harness is the head's nevertheless, and why; one sentence each."""


class Hollow(Struct, frozen=True, kw_only=True):
    """A product that does nothing."""

    contents: Mapping[str, bytes | None] = field(default_factory=dict)
    """What to put over the head."""
    emptied: tuple[str, ...] = ()
    """The modules that do nothing any more."""
    left: int = 0
    """How many more there are, which were too many to be emptied."""
    far_tests: tuple[str, ...] = ()
    """The files of tests that do not speak of the modules: the others may notice sooner."""


class ProbeKind(StrEnum):
    """What is asked by tests that somebody else than the change wrote."""

    NEIGHBOURS = "neighbours"
    """The base's tests of what changed, with values beside their own."""
    NEW_INPUTS = "new_inputs"
    """The tests that the change adds, with values that have nothing to do with their own."""
    FAILURES = "failures"
    """The base's tests of what changed, each with a failure at its end."""
    PLAINLY = "plainly"
    """The base's tests of what changed, called without a runner around them."""


class TestProbe(Struct, frozen=True, kw_only=True):
    """One question, as trees to run the tests on."""

    __test__ = False
    subject: str = ""
    """What it is about, in words."""
    variants: tuple[Mapping[str, bytes | None], ...] = ()
    """What to put over a commit, one after the other."""
    on_head: Mapping[str, bytes | None] = field(default_factory=dict)
    """What to put over the change instead, of files that are product and tests in one."""
    control: Mapping[str, bytes | None] = field(default_factory=dict)
    """What no tests pass with, if they are run at all."""


class Evidence(Protocol):
    """Takes changes apart; everything that it is shown is hostile.

    Every method raises Unexaminable where nobody could look.
    """

    async def halves(self, case: ChangeCase, rules: HarnessRules) -> Halves:
        """Tell the harness of a change from its product."""
        ...

    async def hollowed(self, case: ChangeCase, rules: HarnessRules, *, whole: bool) -> Hollow:
        """Empty the modules of the product that a change touches, or all of them."""
        ...

    async def probes(
        self,
        case: ChangeCase,
        rules: HarnessRules,
        kind: ProbeKind,
        speaking: tuple[str, ...] = (),
    ) -> tuple[TestProbe, ...]:
        """Write tests that ask more than the change's own; none where there is no reason to.

        Of what the tests that speak for the change say themselves, nothing is asked.
        """
        ...

    async def head_version(
        self, case: ChangeCase, halves: Halves, paths: Collection[str]
    ) -> Mapping[str, bytes | None]:
        """Return what to replay where some files of the harness must be the head's.

        What is new in the head's harness and named by those files comes along.
        """
        ...
