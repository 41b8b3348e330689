"""Where pull requests go and where issues are, as the config says."""

from collections.abc import Mapping
from typing import cast

import pytest
from tests.unit.definitions.project_files import COMMIT, CONFIG, NOWHERE, ProjectFiles

from supervisor_ai.control.ports.definitions import Power
from supervisor_ai.control.ports.trackers import TrackerCommand
from supervisor_ai.definitions.catalog.catalog import FileCatalog
from supervisor_ai.domain.errors import InvalidInput
from supervisor_ai.domain.run.definition import ForgeChoice
from supervisor_ai.engine.ports.workspaces import Repository

TRACKERS = """\
forge: gitlab
trackers:
  jira: {command: "jira-json --quiet", url: "https://j.example/browse/"}
"""


def catalog(files: Mapping[str, str]) -> FileCatalog:
    return FileCatalog(cast("Repository", ProjectFiles(files)), NOWHERE, frozenset({"command"}))


def test_a_projects_tracker_is_known_and_is_a_power() -> None:
    found = catalog({CONFIG: TRACKERS})
    choice = found.trackers(COMMIT)
    assert choice.forge is ForgeChoice.GITLAB
    assert choice.commands == {
        "jira": TrackerCommand(
            command=("jira-json", "--quiet"), url="https://j.example/browse/", is_of_project=True
        )
    }
    asked = Power(
        file=CONFIG, line=3, key="trackers.jira.command", value='["jira-json", "--quiet"]'
    )
    assert asked in found.powers(COMMIT)


def test_without_a_word_the_address_decides() -> None:
    choice = catalog({CONFIG: ""}).trackers(COMMIT)
    assert (choice.forge, dict(choice.commands)) == (ForgeChoice.AUTO, {})


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("forge: bitbucket\n", "forge"),
        ("trackers: {jira: {url: 'https://j.example/'}}\n", "trackers.jira.command"),
        ("trackers: {jira: {command: x, url: 'ftp://j'}}\n", "trackers.jira.url"),
        ("trackers: {jira: {command: x, shell: true}}\n", "trackers.jira.shell"),
    ],
)
def test_what_makes_no_sense_is_a_mistake(text: str, problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        catalog({CONFIG: text}).trackers(COMMIT)
