"""One call of the command: its project directory, its settings, and what it may open."""

import os
import shlex
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from supervisor_ai.domain.errors import NotFound
from supervisor_ai.tools.programs import find_program

if TYPE_CHECKING:
    from supervisor_ai.control.commands.doctor import HostMachine
    from supervisor_ai.control.commands.packs import PackPlace
    from supervisor_ai.control.commands.project_init import NewProject
    from supervisor_ai.control.ports.agent_installation import AgentInstaller
    from supervisor_ai.control.ports.definitions import Catalog
    from supervisor_ai.control.ports.logins import Logins
    from supervisor_ai.control.preflight import Preflight
    from supervisor_ai.control.project import OpenProject
    from supervisor_ai.control.queries.notices import Channels
    from supervisor_ai.control.records import Records
    from supervisor_ai.control.sessions.start import SessionOffice
    from supervisor_ai.control.settings import HostSettings
    from supervisor_ai.domain.envelope import Envelope
    from supervisor_ai.domain.ids import CommitSha
    from supervisor_ai.domain.live_output import LiveOutput


class Watcher(Protocol):
    """Is told facts and output as they come."""

    def recorded(self, envelope: "Envelope") -> None:
        """Show a fact."""
        ...

    def output(self, output: "LiveOutput") -> None:
        """Show a piece of output."""
        ...


@dataclass
class Invocation:
    """The project that a call is about; nothing is opened before it is asked for."""

    directory: Path
    trusts: bool = False

    @property
    def command(self) -> str:
        """Return how a person would call us for the same project."""
        return f"{_program()}{self._chosen}"

    @property
    def git(self) -> str:
        """Return how a person would call git for the same project."""
        return f"git{self._chosen}"

    @property
    def _chosen(self) -> str:
        return "" if self.directory == Path() else f" -C {shlex.quote(str(self.directory))}"

    @cached_property
    def settings(self) -> "HostSettings":
        """Return what the environment says, read once."""
        from supervisor_ai.bootstrap.projects import read_settings

        return read_settings(trusts=self.trusts)

    def records(self) -> "Records | None":
        """Open the ledger for reading, or return None where there is none yet."""
        from supervisor_ai.bootstrap.projects import open_records

        return open_records(self.directory, self.settings)

    def catalog(self) -> "tuple[Catalog, CommitSha]":
        """Open the definitions, and name the commit that they are read from."""
        from supervisor_ai.bootstrap.projects import open_catalog

        catalog, repository = open_catalog(self.directory, self.settings)
        return catalog, repository.resolve(None).sha

    def require_records(self) -> "Records":
        """Open the ledger for reading; raise NotFound where there is none yet."""
        records = self.records()
        if records is None:
            raise NotFound("This project has no runs yet.", hint='Start one: supervisor run "…"')
        return records

    def preflight(self) -> "Preflight":
        """Open what can be asked before anything is written."""
        from supervisor_ai.bootstrap.projects import open_preflight
        from supervisor_ai.domain.structs import replace

        opened = open_preflight(self.directory, self.settings)
        return replace(opened, last_task=self._last_task)

    def _last_task(self) -> int:
        from supervisor_ai.control.commands.task_branches import last_task

        records = self.records()
        return 0 if records is None else last_task(records)

    def project(
        self,
        watcher: "Watcher | None" = None,
        *,
        is_fresh: bool = False,
        is_driven: bool = False,
    ) -> "OpenProject":
        """Open the project for commands; where it is fresh, they use nothing from before."""
        from supervisor_ai.bootstrap.projects import open_project
        from supervisor_ai.cli.output import say
        from supervisor_ai.domain.structs import replace

        return open_project(
            self.directory,
            self.settings,
            monitor=watcher,
            tell=say,
            alter=lambda world: replace(world, is_fresh=is_fresh),
            is_driven=is_driven,
        )

    def logins(self) -> "Logins":
        """Open the user's keys and logins."""
        from supervisor_ai.bootstrap.adapters import open_logins

        return open_logins(self.settings)

    def agent_installer(self) -> "AgentInstaller":
        """Open what tells the user's own agents about us."""
        from supervisor_ai.bootstrap.projects import open_agent_installer

        return open_agent_installer(self.directory, self.settings)

    def channels(self) -> "Channels":
        """Open the channels through which the user can be reached."""
        from supervisor_ai.bootstrap.adapters import distrust_surroundings, open_channels

        distrust_surroundings(self.directory, self.settings)
        return open_channels(self.settings)

    def new_project(self) -> "NewProject":
        """Open what a project's first definitions are made of."""
        from supervisor_ai.bootstrap.projects import open_new_project

        return open_new_project(self.directory, self.settings)

    def pack_place(self, *, is_user: bool) -> "PackPlace":
        """Open a place for packs: the user's or the project's."""
        from supervisor_ai.bootstrap.projects import open_pack_place

        return open_pack_place(self.directory, self.settings, is_user=is_user)

    def port(self, driver: str, name: str) -> object:
        """Open an adapter of a driver's own port."""
        from supervisor_ai.bootstrap.projects import open_port

        return open_port(driver, name, self.directory, self.settings)

    def session_office(self) -> "SessionOffice":
        """Open the sessions of the project, with the user of this machine as the coordinator."""
        from supervisor_ai.bootstrap.projects import open_pipelines, open_session_folders
        from supervisor_ai.control.sessions.desk import open_desk
        from supervisor_ai.control.sessions.start import SessionOffice

        project = self.project()
        return SessionOffice(
            project=project,
            desk=open_desk(project),
            folders=open_session_folders(self.directory, self.settings),
            pipelines=open_pipelines(),
            actor=project.actor,
        )

    def machine(self) -> "HostMachine":
        """Open what the machine has to offer, whatever the project."""
        from supervisor_ai.bootstrap.projects import open_machine

        return open_machine(self.directory, self.settings)


def _program() -> str:
    """Name ourselves so that the shell finds us: by our path where we are not on its own."""
    called = Path(sys.argv[0])
    if find_program("supervisor", os.environ.get("PATH")) or called.name != "supervisor":
        return "supervisor"
    return shlex.quote(str(called))
