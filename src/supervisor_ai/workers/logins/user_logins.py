"""The user's keys and logins, as commands ask for them."""

from pathlib import Path

from supervisor_ai.control.ports.logins import AgentCheck, GivenLogin, LoginView
from supervisor_ai.domain.errors import InvalidInput, NotFound
from supervisor_ai.domain.run.definition import Cli
from supervisor_ai.domain.structs import replace
from supervisor_ai.tools.programs import find_program
from supervisor_ai.tools.text import nearest
from supervisor_ai.workers.cli_agent import find_agent
from supervisor_ai.workers.launch.login_form import BadLogin, LoginForm
from supervisor_ai.workers.launch.profile import LaunchProfile
from supervisor_ai.workers.logins.agent_check import check_agent, version_of
from supervisor_ai.workers.logins.choice import AccessChoice
from supervisor_ai.workers.logins.login_file import read_document
from supervisor_ai.workers.logins.store import KeptLogin, checked_address
from supervisor_ai.workers.logins.views import view_access
from supervisor_ai.workers.registry import AGENTS


class UserLogins:
    """Implements the port for the agents of ours."""

    def __init__(self, choice: AccessChoice) -> None:
        self._choice = choice

    def views(self) -> tuple[LoginView, ...]:
        """Tell what every agent's requests would carry."""
        return tuple(map(self.view, AGENTS))

    def view(self, cli: str) -> LoginView:
        """Tell what one agent's requests would carry."""
        profile = _profile(cli)
        program = find_program(profile.program, self._choice.environment.get("PATH"))
        return replace(
            view_access(self._choice, profile),
            program=program,
            version=version_of(Path(program)) if program else None,
        )

    def require_possible(self, cli: str) -> str:
        """Tell how a person gets a login."""
        return _form(_profile(cli)).how

    def keep(self, given: GivenLogin, *, dry_run: bool) -> LoginView:
        """Check a login and keep it for this user alone."""
        form = _form(_profile(given.cli))
        what = "what was given" if given.text is not None else repr(str(self._own(form)))
        try:
            kept = self._taken(given, form)
        except BadLogin as bad:
            raise InvalidInput(
                f"A login of {given.cli!r} was asked for, but {what} is none: {bad.problem}.",
                hint=bad.hint or f"How to get one: {form.how}.",
            ) from bad
        if not dry_run:
            self._choice.files.write(given.cli, kept)
        return self.view(given.cli)

    def forget(self, cli: str, *, dry_run: bool) -> bool:
        """Remove a login that was kept."""
        _profile(cli)
        is_there = self._choice.files.path(cli).exists()
        if is_there and not dry_run:
            self._choice.files.remove(cli)
        return is_there

    async def check(self, cli: Cli, *, has_host_programs: bool) -> AgentCheck:
        """Find out whether an agent could be started."""
        return await check_agent(self._choice, cli, has_host_programs=has_host_programs)

    def _taken(self, given: GivenLogin, form: LoginForm) -> KeptLogin:
        """Read a login once before it is kept."""
        source = self._own(form) if given.text is None else None
        document = form.document(given.text) if given.text is not None else {}
        read = read_document(source) if source is not None else document
        if read is None:
            raise BadLogin("there is no such file")
        now = self._choice.now()
        tokens = form.read(read, None if source else now)
        if tokens.is_over(now) and tokens.refresh is None:
            raise BadLogin(f"it ended at {tokens.expires_at:%Y-%m-%d %H:%M} UTC")
        return KeptLogin(
            source=source,
            document=document,
            upstream=checked_address(given.upstream),
            token_url=checked_address(given.token_url),
            given_at=now,
        )

    def _own(self, form: LoginForm) -> Path:
        return form.store(self._choice.environment, self._choice.home).absolute()


def _profile(cli: str) -> LaunchProfile:
    if cli not in AGENTS:
        near = nearest(cli, AGENTS)
        known = ", ".join(AGENTS)
        raise NotFound(
            f"There is no agent {cli!r} with a login or a key of its own.",
            hint=f"Did you mean {near!r}?" if near else f"There are: {known}.",
        )
    return find_agent(cli).profile


def _form(profile: LaunchProfile) -> LoginForm:
    if profile.login is None:
        raise InvalidInput(
            f"{profile.adapter!r} cannot be logged in here: {profile.no_login}.",
            hint=f"Give it a key: set {profile.broker.placeholder}."
            if profile.broker and profile.broker.placeholder
            else None,
        )
    return profile.login
