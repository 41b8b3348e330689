"""Hints for installing bubblewrap, and for machines where it does not work."""

from pathlib import Path
from typing import Final

from supervisor_ai.sandboxes.bwrap.bwrap_errors import LAUNCHER

INSTALL: Final = "Install bubblewrap: apt-get install bubblewrap"
UPGRADE: Final = "Install bubblewrap 0.8 or newer; Debian 12 and Ubuntu 24.04 have it"
ELSEWHERE: Final = "Use another machine: this one does not hold a worker back"

_SWITCHES: Final = (
    (
        "/proc/sys/user/max_user_namespaces",
        "0",
        "Allow user namespaces: sysctl -w user.max_user_namespaces=15000",
    ),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "Allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "Allow user namespaces: install the AppArmor profile of bubblewrap, or"
        " sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)


def remedy(detail: str) -> str:
    """Find the sentence that helps most, by what was said and how the kernel is set."""
    if f"{LAUNCHER}: " in detail:
        return (
            "Start the supervisor as an ordinary user: root may not make mount namespaces or"
            " change its user here, as in a container without CAP_SYS_ADMIN"
        )
    if "cannot be started: Permission denied" in detail:
        return "Let everybody read the interpreter and the virtual environment: chmod -R go+rX"
    for switch, hindrance, sentence in _SWITCHES:
        if _value(switch) == hindrance:
            return sentence
    return "Allow user namespaces; in a container, by a profile that permits unshare and mount"


def _value(switch: str) -> str | None:
    try:
        return Path(switch).read_text(encoding="ascii").strip()
    except OSError:
        return None
