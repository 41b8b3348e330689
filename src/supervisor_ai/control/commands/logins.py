"""Keep and forget the user's logins for agents."""

from supervisor_ai.control.ports.logins import GivenLogin, Logins, LoginState, LoginView
from supervisor_ai.control.run_views import MutationView


def keep_login(logins: Logins, given: GivenLogin, *, dry_run: bool = False) -> MutationView:
    """Check a login and keep it; nothing of it is in what is told."""
    view = logins.keep(given, dry_run=dry_run)
    if dry_run:
        detail = "It has the right form; nothing was kept."
    else:
        detail = f"A run would use {view.detail}."
    return MutationView(target=given.cli, applied=not dry_run, dry_run=dry_run, detail=detail)


def forget_login(logins: Logins, cli: str, *, dry_run: bool = False) -> MutationView:
    """Forget a login; the CLI's own store stays as it is."""
    was_there = logins.forget(cli, dry_run=dry_run)
    if not was_there:
        detail = "No login was kept."
    else:
        detail = "Its login would be forgotten." if dry_run else "Its login is forgotten."
    return MutationView(
        target=cli, applied=was_there and not dry_run, dry_run=dry_run, detail=detail
    )


def describe(view: LoginView) -> str:
    """Say in a few words what an agent's requests carry."""
    renewed = ", renewed by itself" if view.is_renewed and view.state is LoginState.READY else ""
    return f"{view.detail}{renewed}"
