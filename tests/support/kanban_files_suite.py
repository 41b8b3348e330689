"""What every implementation of the KanbanFiles port must do."""

from collections.abc import Callable, Mapping
from typing import Final, Protocol

from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.ids import CommitSha
from supervisor_ai.domain.run.values import Snapshot
from supervisor_ai.drivers.kanban.board.bounds import FILE_BYTES
from supervisor_ai.drivers.kanban.board.policy import KanbanPlace
from supervisor_ai.drivers.kanban.ports import (
    KanbanFiles,
    NotSaved,
    NotTaken,
    Saved,
    Standing,
    Taken,
)
from supervisor_ai.testing.workspaces_suite import AT, FILES, expect, wait

BRANCH: Final = "ai/r1"
FILE: Final = "tasks/0-kanban-x.md"
BOARD: Final = {FILE: "kanban\n", "tasks/1-a.md": "one\n"}
OTHERS: Final = {"tasks/notes.txt": "n\n", "tasks/deep/2-b.md": "deep\n", "3-c.md": "top\n"}
HERE: Final = KanbanPlace(file=FILE)


class KanbanFilesWorld(Protocol):
    """A repository and a plain directory around the files, and a person's hands in both."""

    @property
    def kanban_files(self) -> KanbanFiles:
        """Return what is under test."""
        ...

    @property
    def directory(self) -> str:
        """Name a plain directory, which is there and empty at first."""
        ...

    def commit(self, files: Mapping[str, str], *, parent: CommitSha | None = None) -> CommitSha:
        """Make a commit, as a user would."""
        ...

    def files(self, commit: CommitSha) -> Mapping[str, str]:
        """Return the files of a commit."""
        ...

    def move(self, branch: str, commit: CommitSha) -> None:
        """Move a branch, as a user would."""
        ...

    def put(self, name: str, content: bytes | None) -> None:
        """Write a file of the plain directory, or remove it."""
        ...

    def look(self) -> Mapping[str, bytes]:
        """Return what the plain directory holds."""
        ...


class BranchSuite:
    """Files on a branch; subclass it and, before each test, say how to make a new world."""

    world: Callable[[], KanbanFilesWorld]

    def test_without_a_branch_the_base_is_read(self) -> None:
        """The markdown files right in the folder, and no others."""
        world = self.world()
        base = world.commit(FILES | BOARD | OTHERS)
        taken = _take(world, HERE, base)
        expect((taken.snapshot.commit, taken.tip), (base, None))
        expect(dict(taken.files), _bytes(BOARD))

    def test_the_branch_is_read_where_it_stands(self) -> None:
        """What a person committed after the run counts."""
        world = self.world()
        base = world.commit(FILES | BOARD)
        landed = world.commit(FILES | BOARD | {"new": "n\n"}, parent=base)
        edited = world.commit(FILES | BOARD | {FILE: "edited\n"}, parent=landed)
        world.move(BRANCH, edited)
        for known in (None, landed):
            taken = _take(world, HERE, base, landed=known)
            expect((taken.snapshot.commit, taken.tip), (edited, edited))
            expect(taken.files[FILE], b"edited\n")

    def test_a_branch_that_is_gone_is_not_taken(self) -> None:
        """The work on it would be lost."""
        world = self.world()
        base = world.commit(FILES | BOARD)
        reason = _not_taken(world, HERE, base, landed=base)
        expect(BRANCH in reason and "gone" in reason, wanted=True)

    def test_a_folder_that_no_commit_has_is_empty(self) -> None:
        """Whoever reads the files says what is missing."""
        world = self.world()
        base = world.commit(FILES)
        expect(dict(_take(world, HERE, base).files), {})
        expect(dict(wait(world.kanban_files.read(base, "src/app.py"))), {})

    def test_more_than_a_kanban_can_have_is_not_taken(self) -> None:
        """A file that is too large is named."""
        world = self.world()
        base = world.commit({FILE: "x" * (FILE_BYTES + 1)})
        expect(FILE in _not_taken(world, HERE, base), wanted=True)
        expect(_is_refused(world, base), wanted=True)

    def test_what_differs_between_two_commits_is_listed(self) -> None:
        """Wherever it is, and in both directions."""
        world = self.world()
        old = world.commit(FILES | BOARD)
        new = world.commit({"README": "hello\n", "src/app.py": "2\n", "a": "", **BOARD})
        wanted = {"src/app.py", "src/old.py", "a"}
        for pair in ((old, new), (new, old)):
            expect(set(wait(world.kanban_files.changed(*pair))), wanted)
        expect(wait(world.kanban_files.changed(old, old)), ())

    def test_files_on_a_branch_are_not_saved_elsewhere(self) -> None:
        """They land."""
        world = self.world()
        base = world.commit(FILES | BOARD)
        expect("no plain directory" in _not_saved(world, HERE, base, base), wanted=True)


class DirectorySuite:
    """Files in a plain directory; say how to make a new world."""

    world: Callable[[], KanbanFilesWorld]

    def test_the_files_of_a_directory_are_put_into_a_commit(self) -> None:
        """Those of the commit that it lacks are not there; the rest is as it was."""
        world, place = self._place()
        base = world.commit(FILES | BOARD | OTHERS)
        world.put("0-kanban-x.md", b"mine\n")
        world.put("5-new.md", b"new\n")
        world.put("other.txt", b"other\n")
        taken = _take(world, place, base)
        expect(dict(taken.files), {FILE: b"mine\n", "tasks/5-new.md": b"new\n"})
        found = world.files(taken.snapshot.commit)
        expect(found[FILE], "mine\n")
        expect(found.keys(), FILES.keys() | OTHERS.keys() | {FILE, "tasks/5-new.md"})
        read = wait(world.kanban_files.read(taken.snapshot.commit, "tasks"))
        expect(dict(read), dict(taken.files))
        expect(_take(world, place, base), taken)

    def test_the_files_lie_on_what_the_run_has_landed(self) -> None:
        """Workers see what was done before."""
        world, place = self._place()
        base = world.commit(FILES)
        landed = world.commit(FILES | {"new": "n\n"}, parent=base)
        world.move(BRANCH, landed)
        world.put("0-kanban-x.md", b"mine\n")
        taken = _take(world, place, base, landed=landed)
        expect(taken.tip, landed)
        expect(world.files(taken.snapshot.commit), FILES | {"new": "n\n", FILE: "mine\n"})

    def test_a_directory_that_cannot_be_read_is_not_taken(self) -> None:
        """Too large a file, or no directory."""
        world, place = self._place()
        base = world.commit(FILES)
        world.put("0-kanban-x.md", b"x" * (FILE_BYTES + 1))
        expect("0-kanban-x.md" in _not_taken(world, place, base), wanted=True)
        absent = KanbanPlace(file=FILE, directory=f"{world.directory}-absent")
        expect("absent" in _not_taken(world, absent, base), wanted=True)

    def test_what_differs_is_written_back_and_the_rest_is_apart(self) -> None:
        """Changed, new and removed files; again, it is done already."""
        world, place, start, done = self._worked()
        world.put("by-a-person.md", b"person\n")
        base = world.commit(FILES | {"tasks/old.md": "base\n"} | OTHERS)
        saved = _save(world, place, start, done, base=base)
        wanted = {
            "0-kanban-x.md": b"changed\n",
            "2-new.md": b"new\n",
            "by-a-person.md": b"person\n",
        }
        expect(dict(world.look()), wanted)
        rest = world.files(saved.commit)
        other = {path: text for path, text in OTHERS.items() if path.startswith("tasks/")}
        expect(rest, FILES | {"code": "c\n", "tasks/old.md": "base\n"} | other)
        expect(_save(world, place, start, done, base=base), saved)
        expect(dict(world.look()), wanted)

    def test_a_file_that_somebody_else_has_changed_stays(self) -> None:
        """And so do all the others."""
        for name, content in (
            ("0-kanban-x.md", b"edited\n"),
            ("0-kanban-x.md", None),
            ("1-a.md", b"edited\n"),
            ("2-new.md", b"taken\n"),
        ):
            world, place, start, done = self._worked()
            world.put(name, content)
            before = dict(world.look())
            expect(name in _not_saved(world, place, start, done), wanted=True)
            expect(dict(world.look()), before)

    def test_a_save_that_was_interrupted_is_finished(self) -> None:
        """What is written already does not count as somebody else's change."""
        world, place, start, done = self._worked()
        world.put("0-kanban-x.md", b"changed\n")
        _save(world, place, start, done)
        expect(dict(world.look()), {"0-kanban-x.md": b"changed\n", "2-new.md": b"new\n"})

    def test_a_directory_is_made_for_a_new_kanban(self) -> None:
        """It need not be there before its first file."""
        world = self.world()
        place = KanbanPlace(file=FILE, directory=f"{world.directory}/new/one")
        start, done = world.commit(FILES), world.commit(FILES | BOARD)
        _save(world, place, start, done)
        expect(dict(_take(world, place, start).files), _bytes(BOARD))

    def test_nothing_but_code_leaves_the_directory_alone(self) -> None:
        """Whatever is in it by now."""
        world, place = self._place()
        start, done = world.commit(FILES | BOARD), world.commit(FILES | BOARD | {"code": "c\n"})
        world.put("1-a.md", b"edited\n")
        saved = _save(world, place, start, done, base=start)
        expect(world.files(saved.commit), FILES | BOARD | {"code": "c\n"})
        expect(dict(world.look()), {"1-a.md": b"edited\n"})

    def _place(self) -> tuple[KanbanFilesWorld, KanbanPlace]:
        world = self.world()
        return world, KanbanPlace(file=FILE, directory=world.directory)

    def _worked(self) -> tuple[KanbanFilesWorld, KanbanPlace, CommitSha, CommitSha]:
        """Take a directory's files and let somebody change one, add one and remove one."""
        world, place = self._place()
        world.put("0-kanban-x.md", b"kanban\n")
        world.put("1-a.md", b"one\n")
        start = _take(world, place, world.commit(FILES)).snapshot.commit
        changed = {FILE: "changed\n", "tasks/2-new.md": "new\n", "code": "c\n"}
        return world, place, start, world.commit(FILES | changed, parent=start)


def _standing(base: CommitSha, landed: CommitSha | None) -> Standing:
    return Standing(branch=BRANCH, base=base, landed=landed)


def _take(
    world: KanbanFilesWorld, place: KanbanPlace, base: CommitSha, *, landed: CommitSha | None = None
) -> Taken:
    taken = wait(world.kanban_files.take(place, _standing(base, landed), at=AT))
    if isinstance(taken, Taken):
        return taken
    raise AssertionError(f"The files were not taken: {taken.reason}")


def _not_taken(
    world: KanbanFilesWorld, place: KanbanPlace, base: CommitSha, *, landed: CommitSha | None = None
) -> str:
    taken = wait(world.kanban_files.take(place, _standing(base, landed), at=AT))
    if isinstance(taken, NotTaken):
        return taken.reason
    raise AssertionError(f"The files were taken: {sorted(taken.files)!r}")


def _saving(
    world: KanbanFilesWorld,
    place: KanbanPlace,
    start: CommitSha,
    snapshot: CommitSha,
    base: CommitSha | None,
) -> Saved | NotSaved:
    saving = world.kanban_files.save(
        place, start=start, snapshot=snapshot, base=base or start, at=AT
    )
    return wait(saving)


def _save(
    world: KanbanFilesWorld,
    place: KanbanPlace,
    start: CommitSha,
    snapshot: CommitSha,
    *,
    base: CommitSha | None = None,
) -> Snapshot:
    saved = _saving(world, place, start, snapshot, base)
    if isinstance(saved, Saved):
        return saved.rest
    raise AssertionError(f"The files were not saved: {saved.reason}")


def _not_saved(
    world: KanbanFilesWorld, place: KanbanPlace, start: CommitSha, snapshot: CommitSha
) -> str:
    saved = _saving(world, place, start, snapshot, None)
    if isinstance(saved, NotSaved):
        return saved.reason
    raise AssertionError("The files were saved.")


def _is_refused(world: KanbanFilesWorld, commit: CommitSha) -> bool:
    try:
        wait(world.kanban_files.read(commit, "tasks"))
    except InvalidInput:
        return True
    return False


def _bytes(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}
