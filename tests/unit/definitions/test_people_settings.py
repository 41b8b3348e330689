"""`people:` and `allowed_signers:`: the user's word, and never a project's."""
# ruff: noqa: E501 - each mistake is one line, as the user sees it

from pathlib import Path

import pytest
from inline_snapshot import snapshot
from tests.unit.definitions.layered import Layers

from supervisor_ai.definitions.consent.own_settings import read_own_settings
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.people import Person

GOOD = """\
people:
  tech_lead: [alice, {name: bob, ssh: bob@example.com}]
  security_team: [{name: carol, user: carol, ssh: carol@example.com}]
allowed_signers: /etc/supervisor/allowed_signers
"""
BAD = """\
people:
  empty: []
  tech_lead:
    - alice
    - {name: bob}
    - {name: "bob smith", ssh: bob@x}
    - {name: dave, ssh: "*@example.com"}
    - {name: eve, user: alice}
    - 7
    - {name: carol, mail: c@x}
  security_team:
    - {name: alice, ssh: alice@example.com}
    - alice2
    - {name: mallory, ssh: alice@example.com}
allowed_signers: signers
"""
TWICE = """\
people:
  tech_lead:
    - alice
    - {name: bob}
    - {name: eve, user: alice}
    - alice
  security_team:
    - {name: alice, ssh: alice@example.com}
"""


def read(directory: Path, config: str) -> str:
    (directory / "config.yaml").write_text(config)
    with pytest.raises(InvalidInput) as caught:
        read_own_settings(directory)
    return caught.value.message.replace(str(directory), "~")


def test_the_users_own_config_says_who_people_are(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(GOOD)
    own = read_own_settings(tmp_path).people
    alice, bob = Person(name="alice", user="alice"), Person(name="bob", ssh="bob@example.com")
    carol = Person(name="carol", user="carol", ssh="carol@example.com")
    assert own.people.groups == {"tech_lead": (alice, bob), "security_team": (carol,)}
    assert own.signers == Path("/etc/supervisor/allowed_signers")


def test_without_a_config_there_is_nobody(tmp_path: Path) -> None:
    own = read_own_settings(tmp_path).people
    assert (own.people.everybody, own.signers) == ((), None)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    assert read(tmp_path, BAD) == snapshot("""\
The definitions have 7 mistakes:
  ~/config.yaml:2: people.empty: has nobody in it, so that nobody could ever approve for it
  ~/config.yaml:6: people.tech_lead[2].name: 'bob smith' is no usable name: letters, digits, '.', '_', '@' and '-'
  ~/config.yaml:7: people.tech_lead[3].ssh: must be one principal such as bob@example.com, found '*@example.com'
  ~/config.yaml:9: people.tech_lead[5]: must be a mapping, found 7
  ~/config.yaml:10: people.tech_lead[6].mail: unknown key (known: name, user, ssh)
  ~/config.yaml:14: people.security_team[2]: the SSH principal 'alice@example.com' is 'alice' above and 'mallory' here
  ~/config.yaml:15: allowed_signers: must be an absolute path or begin with ~/, found 'signers'\
""")


def test_nobody_can_be_counted_twice(tmp_path: Path) -> None:
    assert read(tmp_path, TWICE) == snapshot("""\
The definitions have 4 mistakes:
  ~/config.yaml:4: people.tech_lead[1]: 'bob' can prove nothing: give a `user`, an `ssh` or both
  ~/config.yaml:5: people.tech_lead[2]: the OS user 'alice' is 'alice' above and 'eve' here
  ~/config.yaml:6: people.tech_lead[3]: 'alice' is in the group already
  ~/config.yaml:8: people.security_team[0]: 'alice' is the signer 'alice@example.com' here and the user 'alice' above\
""")


def test_a_project_has_no_say_in_it(tmp_path: Path) -> None:
    assert Layers(tmp_path).mistakes(GOOD) == snapshot("""\
The definitions have 2 mistakes:
  .supervisor/config.yaml:2: people: says who may approve; that belongs into the config.yaml of your own directory, never into a project's
  .supervisor/config.yaml:5: allowed_signers: says who may approve; that belongs into the config.yaml of your own directory, never into a project's\
""")


def test_a_project_cannot_add_to_the_users_groups(tmp_path: Path) -> None:
    layers = Layers(tmp_path)
    layers.user(GOOD)
    assert layers.mistakes("people:\n  tech_lead: [mallory]\n") == snapshot("""\
The definitions have a mistake:
  .supervisor/config.yaml:2: people: says who may approve; that belongs into the config.yaml of your own directory, never into a project's\
""")
