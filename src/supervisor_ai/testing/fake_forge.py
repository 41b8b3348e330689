"""A forge in memory, for tests of whatever opens pull requests."""

from dataclasses import dataclass, field

from supervisor_ai.engine.ports.forge import NotOpened, Opened, PullRequest


@dataclass(slots=True)
class FakeForge:
    """Remembers what it was asked for; refuses as long as it is told to."""

    refusal: NotOpened | None = None
    requests: list[PullRequest] = field(default_factory=list)
    """Everything that was asked, also what was refused."""
    urls: dict[str, str] = field(default_factory=dict)
    """The pull requests that are open, by their branches."""

    async def open(self, request: PullRequest) -> Opened | NotOpened:
        """Push the branch and open a pull request; one that is open for the branch is found."""
        self.requests.append(request)
        if self.refusal is not None:
            return self.refusal
        is_found = request.branch in self.urls
        number = len(self.urls) + 1
        url = self.urls.setdefault(request.branch, f"https://forge.example/pull/{number}")
        return Opened(url=url, is_found=is_found)
