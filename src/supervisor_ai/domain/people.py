"""Who may decide: groups of people, and by what each of them is known."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct, field


class Person(Struct, frozen=True, kw_only=True):
    """Somebody who decides, known by a user of this machine, by an SSH key, or by both."""

    name: str
    user: str | None = None
    """The operating-system user."""
    ssh: str | None = None
    """The principal under which the list of signers has the person's keys."""


class Unproven(Struct, frozen=True, kw_only=True):
    """Nobody knows who decided; the reason is a full sentence."""

    reason: str


class PeopleMistake(Struct, frozen=True, kw_only=True):
    """What is wrong with a group, or with the member at a number of it."""

    group: str
    member: int | None
    problem: str


class People(Struct, frozen=True, kw_only=True):
    """The groups that a policy can name."""

    groups: Mapping[str, tuple[Person, ...]] = field(default_factory=dict)

    @property
    def everybody(self) -> tuple[Person, ...]:
        """Return all persons, each once."""
        return self.members(self.groups)

    def members(self, groups: Iterable[str]) -> tuple[Person, ...]:
        """Return the persons of some groups, each once; a group that is unknown has none."""
        found = (person for group in groups for person in self.groups.get(group, ()))
        return tuple(dict.fromkeys(found))

    def groups_of(self, person: Person) -> tuple[str, ...]:
        """Name the groups that a person is in."""
        return tuple(name for name, members in self.groups.items() if person in members)

    def person_called(self, name: str) -> Person | None:
        """Find a person by name, which proves nothing."""
        return next((it for it in self.everybody if it.name == name), None)

    def person_of_user(self, user: str) -> Person | None:
        """Find who an operating-system user is."""
        return next((it for it in self.everybody if it.user == user), None)

    def person_of_signer(self, principal: str) -> Person | None:
        """Find whose the signatures of a principal are; no pattern matches, only the same word."""
        return next((it for it in self.everybody if it.ssh == principal), None)


NOBODY: Final = People()


def people_mistakes(people: People) -> tuple[PeopleMistake, ...]:
    """Say what must not be: a group of nobody, and one human who could be counted twice."""
    return (
        *_empty(people),
        *_without_proof(people),
        *_repeated(people),
        *_told_apart(people),
        *_shared(people, "OS user", lambda it: it.user),
        *_shared(people, "SSH principal", lambda it: it.ssh),
    )


def _empty(people: People) -> Iterator[PeopleMistake]:
    for group, members in people.groups.items():
        if not members:
            problem = "has nobody in it, so that nobody could ever approve for it"
            yield PeopleMistake(group=group, member=None, problem=problem)


def _without_proof(people: People) -> Iterator[PeopleMistake]:
    for group, number, person in _places(people):
        if person.user is None and person.ssh is None:
            problem = f"{person.name!r} can prove nothing: give a `user`, an `ssh` or both"
            yield PeopleMistake(group=group, member=number, problem=problem)


def _repeated(people: People) -> Iterator[PeopleMistake]:
    for group, number, person in _places(people):
        if person in people.groups[group][:number]:
            problem = f"{person.name!r} is in the group already"
            yield PeopleMistake(group=group, member=number, problem=problem)


def _told_apart(people: People) -> Iterator[PeopleMistake]:
    """Find names that stand for two persons, of whom each could decide once."""
    first: dict[str, Person] = {}
    for group, number, person in _places(people):
        known = first.setdefault(person.name, person)
        if known != person:
            problem = f"{person.name!r} is {_described(person)} here and {_described(known)} above"
            yield PeopleMistake(group=group, member=number, problem=problem)


def _shared(
    people: People, what: str, proof_of: Callable[[Person], str | None]
) -> Iterator[PeopleMistake]:
    """Find proofs that two names claim: whoever has it could decide twice."""
    first: dict[str, str] = {}
    for group, number, person in _places(people):
        proof = proof_of(person)
        known = person.name if proof is None else first.setdefault(proof, person.name)
        if known != person.name:
            problem = f"the {what} {proof!r} is {known!r} above and {person.name!r} here"
            yield PeopleMistake(group=group, member=number, problem=problem)


def _places(people: People) -> Iterator[tuple[str, int, Person]]:
    for group, members in people.groups.items():
        yield from ((group, number, person) for number, person in enumerate(members))


def _described(person: Person) -> str:
    proofs = (("the user", person.user), ("the signer", person.ssh))
    return " and ".join(f"{what} {proof!r}" for what, proof in proofs if proof) or "nobody"
