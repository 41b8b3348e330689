"""Addresses of pull requests and issues, taken apart without believing them."""

import re
from typing import Final
from urllib.parse import quote

from msgspec import Struct

_HOST: Final = r"https://(?P<host>[A-Za-z0-9.-]{1,253}(?::\d{1,5})?)"
_NAME: Final = r"[A-Za-z0-9_.][A-Za-z0-9_.-]{0,99}"
_NUMBER: Final = r"(?P<number>[1-9]\d{0,9})"
_END: Final = r"/?(?:[?#].{0,500})?"
_GITHUB: Final = re.compile(
    rf"{_HOST}/(?P<path>{_NAME}/{_NAME})/(?P<kind>pull|issues)/{_NUMBER}{_END}"
)
_GITLAB: Final = re.compile(
    rf"{_HOST}/(?P<path>{_NAME}(?:/{_NAME}){{1,20}})/-/(?P<kind>merge_requests|issues|work_items)"
    rf"/{_NUMBER}{_END}"
)


class ForgeUrl(Struct, frozen=True, kw_only=True):
    """A numbered thing of a repository on a forge."""

    host: str
    path: str
    """OWNER/NAME on GitHub; on GitLab the names of all groups and the project's."""
    number: str
    is_gitlab: bool
    is_issue: bool

    @property
    def project(self) -> str:
        """Return how GitLab's interface calls the project."""
        return quote(self.path, safe="")


def parse_forge_url(url: str) -> ForgeUrl | None:
    """Take the address of a pull request or an issue apart; None where it is neither."""
    for pattern in (_GITLAB, _GITHUB):
        found = pattern.fullmatch(url.strip())
        if found is not None:
            return ForgeUrl(
                host=found["host"],
                path=found["path"],
                number=found["number"],
                is_gitlab=pattern is _GITLAB,
                is_issue=found["kind"] in {"issues", "work_items"},
            )
    return None
