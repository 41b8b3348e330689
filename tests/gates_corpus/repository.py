"""All cases as commits of one real repository."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.gates_corpus.case import Case, Files

from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.testing.scratch_repository import ScratchRepository


@dataclass(frozen=True, slots=True)
class Pair:
    """The commits of a case."""

    base: CommitSha
    head: CommitSha


@dataclass(frozen=True, slots=True)
class CorpusRepository:
    """A repository with two commits per case."""

    scratch: ScratchRepository
    pairs: Mapping[str, Pair]

    def ask(self, *arguments: str, stdin: bytes = b"") -> bytes:
        """Ask git about the repository."""
        return self.scratch.git.run(*arguments, stdin=stdin).output


def commit_all(place: Path, cases: Sequence[Case]) -> CorpusRepository:
    """Commit every case, all of them with one call of git."""
    scratch = ScratchRepository(place)
    stream = b"".join(
        part for number, case in enumerate(cases, start=1) for part in _pair(number, case)
    )
    marks = place / "marks"
    scratch.git.run("fast-import", "--quiet", f"--export-marks={marks}", stdin=stream)
    shas = dict(line.split() for line in marks.read_text().splitlines())
    return CorpusRepository(
        scratch,
        {
            case.name: Pair(
                CommitSha(shas[f":{2 * number - 1}"]), CommitSha(shas[f":{2 * number}"])
            )
            for number, case in enumerate(cases, start=1)
        },
    )


def _pair(number: int, case: Case) -> Iterator[bytes]:
    yield from _commit(f"{case.name}/before", 2 * number - 1, None, case.before)
    yield from _commit(f"{case.name}/after", 2 * number, 2 * number - 1, case.after)


def _commit(branch: str, mark: int, parent: int | None, files: Files) -> Iterator[bytes]:
    yield f"commit refs/heads/{branch}\nmark :{mark}\n".encode()
    yield b"committer Ada <ada@example.org> 1000000000 +0000\ndata 4\nuser\n"
    if parent is not None:
        yield f"from :{parent}\n".encode()
    yield b"deleteall\n"
    for path, text in files.items():
        content = text.encode()
        yield f"M 100644 inline {path}\ndata {len(content)}\n".encode() + content + b"\n"
