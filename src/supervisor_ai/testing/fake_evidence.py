"""Evidence that says what a test wants it to say."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from supervisor_ai.domain.run.gates import HarnessRules
from supervisor_ai.engine.ports.evidence import Halves, Hollow, ProbeKind, TestProbe
from supervisor_ai.engine.ports.gates import ChangeCase, Unexaminable


@dataclass(kw_only=True)
class FakeEvidence:
    """Answers from its fields."""

    parts: Halves = field(default_factory=Halves)
    changed: Hollow = field(default_factory=Hollow)
    """What is emptied of the change."""
    whole: Hollow = field(default_factory=Hollow)
    fault: Unexaminable | None = None
    """Why nobody can look."""
    own: Mapping[str, bytes | None] = field(default_factory=dict)
    """What is replayed where files of the harness must be the head's."""
    asked: Mapping[ProbeKind, tuple[TestProbe, ...]] = field(default_factory=dict)
    """What is asked besides, by kind."""
    unspoken: tuple[TestProbe, ...] = ()
    """What is asked where tests speak for the change."""

    async def halves(self, case: ChangeCase, rules: HarnessRules) -> Halves:
        """Tell the harness of a change from its product."""
        del case, rules
        if self.fault is not None:
            raise self.fault
        return self.parts

    async def hollowed(self, case: ChangeCase, rules: HarnessRules, *, whole: bool) -> Hollow:
        """Empty the modules of the product that a change touches, or all of them."""
        del case, rules
        if self.fault is not None:
            raise self.fault
        return self.whole if whole else self.changed

    async def probes(
        self,
        case: ChangeCase,
        rules: HarnessRules,
        kind: ProbeKind,
        speaking: tuple[str, ...] = (),
    ) -> tuple[TestProbe, ...]:
        """Write tests that ask more than the change's own; none where there is no reason to."""
        del case, rules
        return self.unspoken if speaking else self.asked.get(kind, ())

    async def head_version(
        self, case: ChangeCase, halves: Halves, paths: Collection[str]
    ) -> Mapping[str, bytes | None]:
        """Return what to replay where some files of the harness must be the head's."""
        del case, halves, paths
        return self.own
