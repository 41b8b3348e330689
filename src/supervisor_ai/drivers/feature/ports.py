"""What features ask of adapters."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.drivers.feature.plan.interfaces import InterfaceForm
from supervisor_ai.drivers.feature.plan.model import Feature, Interface
from supervisor_ai.drivers.feature.plan.projects import FeatureProject


class PlanReader(Protocol):
    """Reads the plans of features."""

    def read(self, file: str, text: str, projects: Sequence[FeatureProject] = ()) -> Feature:
        """Read a plan; raises InvalidInput with every mistake, each with its line."""
        ...

    def with_need(self, text: str, phase: str, component: str, word: str) -> str | None:
        """Add what a component depends on to a plan; None where its text is too unusual."""
        ...

    def with_external(self, text: str, names: Sequence[str]) -> str | None:
        """Add imports that are packages to a plan; None where its text is too unusual."""
        ...

    def forms(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        """Say of each interface who looked at its text and what is wrong with it."""
        ...


class ImportReader(Protocol):
    """Reads what files of commits import."""

    def paths(self, commit: CommitSha) -> tuple[str, ...]:
        """List the files of a commit."""
        ...

    def text(self, commit: CommitSha, path: str) -> str:
        """Return a file of a commit, as far as it is read; nothing where it is no text."""
        ...

    def imports(
        self, commit: CommitSha, wanted: Sequence[str], planned: Sequence[str]
    ) -> Mapping[str, Sequence[tuple[str, tuple[str, ...], bool]]]:
        """Say what files of a commit import; files that are only planned are empty.

        Of each import its name, the files behind it, and whether a package has it.
        """
        ...


class InterfaceParser(Protocol):
    """Reads interfaces in their own languages, as far as a parser is installed."""

    def parse(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        """Say of each interface who looked at it and what is wrong with it."""
        ...

    async def read(self, commit: CommitSha, paths: Sequence[str]) -> Mapping[str, str | None]:
        """Read files of a commit; None where there is none."""
        ...

    async def looked(self, interfaces: Sequence[Interface]) -> tuple[InterfaceForm, ...]:
        """Parse interfaces beside whatever else is going on."""
        ...


class PlanAnswers(Struct, frozen=True, kw_only=True):
    """What a plan is made of: the words of a person, a planner and a tech lead."""

    feature: str
    """The id that the feature is to have."""
    task: str
    phases: str
    components: str


class PlanDrafts(Protocol):
    """Makes plans of answers, and keeps them where they can be edited."""

    def write(self, answers: PlanAnswers) -> str:
        """Write a plan in the format of its files; raises InvalidInput with every mistake."""
        ...

    def keep(self, feature: str, text: str) -> None:
        """Keep a plan under the id of its feature, in place of an earlier one."""
        ...
