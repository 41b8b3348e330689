"""A forge in memory, for tests of whatever opens and follows pull requests."""

from collections import deque
from dataclasses import dataclass, field

from supervisor_ai.domain.structs import replace
from supervisor_ai.engine.ports.forge import (
    NotOpened,
    NotSeen,
    Opened,
    PullRequest,
    PullRequestState,
    PullRequestView,
)


@dataclass(slots=True)
class FakeForge:
    """Remembers what it was asked for; refuses as long as it is told to."""

    refusal: NotOpened | None = None
    requests: list[PullRequest] = field(default_factory=list)
    """Everything that was asked, also what was refused."""
    urls: dict[str, str] = field(default_factory=dict)
    """The pull requests that are open, by their branches."""
    sights: deque[PullRequestView | NotSeen] = field(default_factory=deque)
    """What the next looks see; a view without a head shows the commit that was pushed last."""
    looks: list[str] = field(default_factory=list)

    async def open(self, request: PullRequest) -> Opened | NotOpened:
        """Push the branch and open a pull request; one that is open for the branch is found."""
        self.requests.append(request)
        if self.refusal is not None:
            return self.refusal
        is_found = request.branch in self.urls
        number = len(self.urls) + 1
        url = self.urls.setdefault(request.branch, f"https://forge.example/pull/{number}")
        return Opened(url=url, is_found=is_found)

    async def look(
        self, url: str, *, ci: bool = True, reviews: bool = True
    ) -> PullRequestView | NotSeen:
        """See how a pull request stands; without anything else to see, it is open and quiet."""
        del ci, reviews
        self.looks.append(url)
        pushed = self.requests[-1].commit
        if not self.sights:
            return PullRequestView(state=PullRequestState.OPEN, head=pushed)
        seen = self.sights.popleft()
        if isinstance(seen, PullRequestView) and not seen.head:
            return replace(seen, head=pushed)
        return seen
