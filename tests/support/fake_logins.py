"""Logins of a user who has every agent, or lacks some."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from supervisor_ai.control.ports.logins import AgentCheck, GivenLogin, LoginState, LoginView
from supervisor_ai.domain.run.definition import Cli


@dataclass
class FakeLogins:
    """All agents can be started but those that lack something."""

    lacking: Mapping[str, str] = field(default_factory=dict)
    told: tuple[LoginView, ...] = ()
    asked: list[tuple[str, bool]] = field(default_factory=list)

    def views(self) -> tuple[LoginView, ...]:
        return self.told

    def view(self, cli: str) -> LoginView:
        return next(it for it in self.told if it.cli == cli)

    def require_possible(self, cli: str) -> str:
        return f"ask whoever made {cli}"

    def keep(self, given: GivenLogin, *, dry_run: bool) -> LoginView:
        del dry_run
        return login_view(given.cli, LoginState.READY)

    def forget(self, cli: str, *, dry_run: bool) -> bool:
        del cli, dry_run
        return True

    async def check(self, cli: Cli, *, has_host_programs: bool) -> AgentCheck:
        self.asked.append((cli.name, has_host_programs))
        problem = self.lacking.get(cli.name)
        return AgentCheck(cli=cli.name, detail="", problem=problem, hint=problem and "Get it.")


def login_view(cli: str, state: LoginState, **more: object) -> LoginView:
    """Tell of a login in a few words."""
    usual: dict[str, object] = {
        "uses": "login",
        "source": None,
        "until": None,
        "is_renewed": False,
        "detail": f"the login of {cli}",
    }
    return LoginView(cli=cli, state=state, **{**usual, **more})  # type: ignore[arg-type]
