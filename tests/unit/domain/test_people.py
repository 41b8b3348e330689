"""Groups of people: who is found by which proof, and nobody counts twice."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from supervisor_ai.domain.people import People, Person, people_mistakes

ALICE = Person(name="alice", user="alice")
BOB = Person(name="bob", ssh="bob@example.com")
CAROL = Person(name="carol", user="carol", ssh="carol@example.com")
PEOPLE = People(groups={"tech_lead": (ALICE, BOB), "security_team": (CAROL, BOB)})


def test_a_person_is_found_by_each_proof_and_by_nothing_else() -> None:
    assert PEOPLE.person_of_user("alice") == ALICE
    assert PEOPLE.person_of_signer("bob@example.com") == BOB
    assert PEOPLE.person_of_user("carol") == PEOPLE.person_of_signer("carol@example.com") == CAROL
    assert PEOPLE.person_of_user("bob") is None
    assert PEOPLE.person_of_signer("BOB@example.com") is None
    assert PEOPLE.person_of_signer("*") is None
    assert PEOPLE.person_called("bob") == BOB
    assert PEOPLE.person_called("mallory") is None


def test_a_person_in_two_groups_is_one_person() -> None:
    assert PEOPLE.members(["tech_lead", "security_team"]) == (ALICE, BOB, CAROL)
    assert PEOPLE.everybody == (ALICE, BOB, CAROL)
    assert PEOPLE.members(["nobody_knows_it"]) == ()
    assert PEOPLE.groups_of(BOB) == ("tech_lead", "security_team")
    assert people_mistakes(PEOPLE) == ()


@pytest.mark.parametrize(
    ("groups", "found"),
    [
        ({"a": ()}, [("a", None, "has nobody in it, so that nobody could ever approve for it")]),
        (
            {"a": (Person(name="x"),)},
            [("a", 0, "'x' can prove nothing: give a `user`, an `ssh` or both")],
        ),
        ({"a": (ALICE, ALICE)}, [("a", 1, "'alice' is in the group already")]),
        (
            {"a": (ALICE,), "b": (Person(name="alice", ssh="a@x"),)},
            [("b", 0, "'alice' is the signer 'a@x' here and the user 'alice' above")],
        ),
        (
            {"a": (ALICE, Person(name="eve", user="alice"))},
            [("a", 1, "the OS user 'alice' is 'alice' above and 'eve' here")],
        ),
        (
            {"a": (BOB,), "b": (Person(name="eve", ssh="bob@example.com"),)},
            [("b", 0, "the SSH principal 'bob@example.com' is 'bob' above and 'eve' here")],
        ),
    ],
)
def test_what_must_not_be(
    groups: dict[str, tuple[Person, ...]], found: list[tuple[str, int | None, str]]
) -> None:
    mistakes = people_mistakes(People(groups=groups))
    assert [(it.group, it.member, it.problem) for it in mistakes] == found


WORDS = st.sampled_from(["a", "b", "c"])
PERSONS = st.builds(Person, name=WORDS, user=st.none() | WORDS, ssh=st.none() | WORDS)


@given(st.dictionaries(WORDS, st.lists(PERSONS, max_size=3).map(tuple), max_size=3))
def test_where_there_is_no_mistake_every_proof_is_one_name(
    groups: dict[str, tuple[Person, ...]],
) -> None:
    people = People(groups=groups)
    if people_mistakes(people):
        return
    names = [person.name for person in people.everybody]
    users = [person.user for person in people.everybody if person.user]
    principals = [person.ssh for person in people.everybody if person.ssh]
    for proofs in (names, users, principals):
        assert len(proofs) == len(set(proofs))
    assert all(groups.values())
