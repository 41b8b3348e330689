"""Every table and page on a narrow terminal, on a wide one, and where nobody listens."""

from typing import Final

import pytest
from tests.e2e.command import User
from tests.support.preloaded import CLOSED, GONE

TABLES: Final = (
    *("status", "status last", "config show --origin", "context show implementer", "doctor"),
    *("gate list", "gate claims", "role list", "role show implementer", "role search"),
    *("sandbox check --backend bubblewrap", "workflow list", "workflow show", "workspace list"),
    *("run Do-it --dry-run", "lab example", "workflow show quick"),
)
PAGES: Final = (
    *("events last", "logs last", "replay last", "conflicts", "workflow graph", "ledger verify"),
    *(
        "kanban status 0-kanban-x.md",
        "trust --show",
        "workflow validate",
        "role validate",
        "completion bash",
        "init --dry-run",
        "status nosuch",
    ),
    *("nosuch", "logs last --step nosuch", "serve --once", "fork last --at nosuch"),
)
NARROW: Final = 40
LONG: Final = 24
"""A word of so many characters is a name, which stays in one piece."""


def is_excused(line: str) -> bool:
    return any(len(word) > LONG for word in line.split()) or "supervisor " in line


@pytest.mark.parametrize("verb", TABLES)
def test_a_table_fits_and_loses_nothing(reader: User, verb: str) -> None:
    wide, narrow = (reader.call(*verb.split(), COLUMNS=it) for it in ("200", str(NARROW)))
    assert narrow.code == wide.code
    lines = narrow.out.splitlines()
    assert [it for it in lines if len(it) > NARROW and not is_excused(it)] == []
    assert "Traceback" not in narrow.err + wide.err
    names = {word for line in wide.out.splitlines() for word in line.split()[:1]}
    assert names <= {*narrow.out.split()} | {it for it in names if it.endswith("…")}


@pytest.mark.parametrize("verb", [*TABLES, *PAGES])
def test_no_verb_breaks_where_nobody_listens(reader: User, verb: str) -> None:
    assert reader.preloaded is not None
    usual = reader.call(*verb.split(), NO_COLOR="1")
    assert "\x1b" not in usual.out + usual.err
    code, out, err = reader.preloaded.call(
        verb.split(),
        directory=reader.repository,
        environment={**reader.environment, "COLUMNS": str(NARROW)},
        seconds=300,
        streams={1: GONE, 2: CLOSED},
    )
    assert (code, "Traceback" in out + err) == (usual.code, False)
