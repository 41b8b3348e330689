"""The choice of what an agent's requests carry: a key, a token or a login of the user's.

What the user's config says about an agent's broker comes before all of it and is not looked at
here. Then the environment wins over what is kept, as everywhere: first a key, then a token.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from supervisor_ai.engine.ports.workers import ModelLogin
from supervisor_ai.workers.cli_agent import find_agent
from supervisor_ai.workers.environment import names_in
from supervisor_ai.workers.launch.login_form import BadLogin, LoginForm, LoginTokens
from supervisor_ai.workers.launch.profile import LaunchProfile
from supervisor_ai.workers.logins.renewal import FixedHeaders, KeptHeaders, Now, utc_now
from supervisor_ai.workers.logins.store import KeptLogin, LoginFiles, is_here
from supervisor_ai.workers.registry import AGENTS

LOGIN: Final = "login"


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """What an agent's requests carry, and how that was found."""

    uses: str
    """The name of a variable, or `login`."""
    tokens: LoginTokens | None = None
    """None: a key, which says nothing of itself."""
    login: ModelLogin | None = None
    renewal: KeptHeaders | None = None
    source: Path | None = None


class AccessChoice:
    """Looks at the user's environment, then at what is kept."""

    def __init__(
        self, environment: Mapping[str, str], directory: Path, home: Path, now: Now = utc_now
    ) -> None:
        self.environment = environment
        self.files = LoginFiles(directory)
        self.home = home
        self.now = now

    def login_of(self, adapter: str) -> ModelLogin | None:
        """Return the login that an agent goes out with; None where it has a key, or nothing."""
        if adapter not in AGENTS:
            return None
        try:
            found = self.find(find_agent(adapter).profile)
        except BadLogin:
            return None
        return found.login if found is not None else None

    def find(self, profile: LaunchProfile) -> Access | None:
        """Return what an agent's requests carry, None where that is nothing; raises BadLogin."""
        key, form = key_variable(profile), profile.login
        if key is not None and self.said(key):
            return Access(uses=key)
        if form is None:
            return None
        if given := self.said(form.variable):
            return self._given(form, given)
        kept = self.files.find(profile.adapter)
        return None if kept is None else self._kept(profile.adapter, form, kept)

    def said(self, variable: str) -> str:
        """Return what a variable holds; one that holds nothing is as good as none."""
        return self.environment.get(variable, "").strip()

    def _given(self, form: LoginForm, token: str) -> Access:
        tokens = form.read(form.wrap(token), None)
        headers = FixedHeaders(form, tokens)
        login = ModelLogin(upstream=form.broker.upstream, is_local=False, headers=headers)
        return Access(uses=form.variable, tokens=tokens, login=login)

    def _kept(self, cli: str, form: LoginForm, kept: KeptLogin) -> Access:
        headers = KeptHeaders(cli, form, self.files, kept, self.now)
        upstream = kept.upstream or form.broker.upstream
        return Access(
            uses=LOGIN,
            tokens=headers.read(),
            login=ModelLogin(upstream=upstream, is_local=is_here(upstream), headers=headers),
            renewal=headers,
            source=kept.source or self.files.path(cli),
        )


def key_variable(profile: LaunchProfile) -> str | None:
    """Name the variable that holds an agent's key."""
    names = names_in(profile.broker.header) if profile.broker else ()
    return names[0] if names else None
