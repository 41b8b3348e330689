"""What the user's config says about who may decide."""

from pathlib import Path

from msgspec import Struct

from supervisor_ai.definitions.config.merged import MergedConfig
from supervisor_ai.definitions.sources.mistakes import FileMistakes
from supervisor_ai.domain.people import People, Person, people_mistakes


class OwnPeople(Struct, frozen=True, kw_only=True):
    """The people of the user's config, and where their keys are listed."""

    people: People
    signers: Path | None


def read_people(config: MergedConfig, mistakes: FileMistakes) -> OwnPeople:
    """Make the groups of what the config says, and note what cannot be."""
    shape = config.shape
    groups = {
        name: tuple(Person(name=it.name, user=it.user, ssh=it.ssh) for it in members)
        for name, members in shape.people.items()
    }
    people = People(groups=groups)
    for mistake in people_mistakes(people):
        member = () if mistake.member is None else (mistake.member,)
        mistakes.add(config.place("people", mistake.group, *member), mistake.problem)
    signers = None if shape.allowed_signers is None else Path(shape.allowed_signers)
    return OwnPeople(people=people, signers=signers)
