"""What was found in a project's files, each with the place where it stands."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Final

from msgspec import Struct

from supervisor_ai.control.ports.project_survey import ManifestEvidence

TOP: Final = "."
_AND: Final = " & "


class ProjectFact(Struct, frozen=True, kw_only=True):
    """One thing that a file says, by its kind and name."""

    name: str
    evidence: ManifestEvidence
    place: str | None = None
    """The directory that it says something about, if that is not the file's own."""

    @property
    def directory(self) -> str:
        """Return what it says something about."""
        return self.place or str(PurePosixPath(self.evidence.file).parent)


class Facts:
    """Everything that was found; the first finding of a name is its evidence."""

    def __init__(self, found: Iterable[ProjectFact]) -> None:
        self._by_name: dict[str, list[ProjectFact]] = defaultdict(list)
        self._by_directory: dict[str, Facts] = {}
        for fact in found:
            self._by_name[fact.name].append(fact)

    def __iter__(self) -> Iterator[ProjectFact]:
        for facts in self._by_name.values():
            yield from facts

    def __or__(self, other: "Facts") -> "Facts":
        return Facts((*self, *other))

    def named(self, name: str) -> tuple[ProjectFact, ...]:
        """Return every finding of a name."""
        return tuple(self._by_name.get(name, ()))

    def evidence(self, conditions: Iterable[str]) -> ManifestEvidence | None:
        """Return what makes the first condition hold, or None where none does."""
        for condition in conditions:
            found = [self._first(name) for name in condition.split(_AND)]
            if all(found):
                return found[0]
        return None

    def all_evidence(self, conditions: Iterable[str]) -> tuple[ManifestEvidence, ...]:
        """Return the evidence of every condition that holds."""
        found = (self.evidence([condition]) for condition in conditions)
        return tuple(dict.fromkeys(evidence for evidence in found if evidence is not None))

    def in_directory(self, directory: str) -> "Facts":
        """Keep what stands in one directory itself."""
        if not self._by_directory:
            by_directory: dict[str, list[ProjectFact]] = defaultdict(list)
            for fact in self:
                by_directory[fact.directory].append(fact)
            self._by_directory = {name: Facts(facts) for name, facts in by_directory.items()}
        return self._by_directory.get(directory, Facts(()))

    @property
    def directories(self) -> tuple[str, ...]:
        """Name the directories with a finding, the top first."""
        return tuple(sorted({fact.directory for fact in self}, key=_depth))

    def _first(self, name: str) -> ManifestEvidence | None:
        facts = self._by_name.get(name)
        return facts[0].evidence if facts else None


def _depth(directory: str) -> tuple[int, str]:
    return (len(PurePosixPath(directory).parts), directory)
