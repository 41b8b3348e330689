"""What supervisors and their directives come to over all runs, as tables."""

from collections.abc import Mapping
from typing import Final

from supervisor_ai.domain.envelope import Event
from supervisor_ai.domain.run.event_kinds.directives import DirectivesAnswered
from supervisor_ai.drivers.quality.events import DirectiveDropped, StockTaken, SupervisorRan
from supervisor_ai.drivers.quality.standing_facts import (
    StandingDirectiveAdded,
    StandingDirectiveDropped,
)

TABLES: Final[Mapping[str, str]] = {
    "counted_commits": """
        CREATE TABLE IF NOT EXISTS counted_commits (
            seq INTEGER PRIMARY KEY, run TEXT NOT NULL, sha TEXT NOT NULL UNIQUE,
            setbacks INTEGER NOT NULL
        )
    """,
    "supervisor_looks": """
        CREATE TABLE IF NOT EXISTS supervisor_looks (
            seq INTEGER PRIMARY KEY, run TEXT NOT NULL, supervisor TEXT NOT NULL,
            outcome TEXT NOT NULL, sha TEXT NOT NULL, novel INTEGER NOT NULL,
            total INTEGER NOT NULL, findings TEXT, tokens_in INTEGER NOT NULL,
            tokens_out INTEGER NOT NULL, cost TEXT NOT NULL
        )
    """,
    "standing_directives": """
        CREATE TABLE IF NOT EXISTS standing_directives (
            number INTEGER PRIMARY KEY, run TEXT NOT NULL, type TEXT NOT NULL,
            priority TEXT NOT NULL, source TEXT NOT NULL, text TEXT NOT NULL,
            since INTEGER NOT NULL, status TEXT NOT NULL
        )
    """,
    "directive_answers": """
        CREATE TABLE IF NOT EXISTS directive_answers (
            seq INTEGER NOT NULL, run TEXT NOT NULL, number INTEGER NOT NULL,
            response TEXT NOT NULL, note TEXT
        )
    """,
}
# What a loop's supervisors want is the loop's own business, and numbered there.
_OF_NO_LOOP: Final = "NOT EXISTS (SELECT 1 FROM runs WHERE run = :run AND driver = 'loop')"
RULES: Final[Mapping[type[Event], tuple[str, ...]]] = {
    StockTaken: (
        """
        INSERT OR IGNORE INTO counted_commits (seq, run, sha, setbacks)
        VALUES (:seq, :run, :commit, :setbacks)
        """,
        """
        UPDATE standing_directives SET status = (
            SELECT value ->> 'response' FROM json_each(:answers)
            WHERE value ->> 'number' = standing_directives.number
        )
        WHERE status = 'pending' AND number IN (
            SELECT value ->> 'number' FROM json_each(:answers)
            WHERE value ->> 'response' != 'deferred'
        )
        """,
    ),
    SupervisorRan: (
        """
        INSERT INTO supervisor_looks (
            seq, run, supervisor, outcome, sha, novel, total, findings, tokens_in, tokens_out, cost
        )
        VALUES (
            :seq, :run, :supervisor, :outcome, :commit, :novel, :total, :findings,
            coalesce(:usage_tokens_in, 0), coalesce(:usage_tokens_out, 0),
            coalesce(:usage_cost, '0')
        )
        """,
        f"""
        INSERT INTO standing_directives (run, type, priority, source, text, since, status)
        SELECT :run, value ->> 'type', value ->> 'priority', value ->> 'source',
            value ->> 'text', value ->> 'since', 'pending'
        FROM json_each(:directives) WHERE {_OF_NO_LOOP}
        """,  # noqa: S608 - made of this module's own words
    ),
    DirectivesAnswered: (
        """
        INSERT INTO directive_answers (seq, run, number, response, note)
        SELECT :seq, :run, value ->> 'number', value ->> 'response', value ->> 'note'
        FROM json_each(:answers)
        """,
    ),
    StandingDirectiveAdded: (
        """
        INSERT INTO standing_directives (run, type, priority, source, text, since, status)
        VALUES ('', :type, :priority, 'person', :text, :since, 'pending')
        """,
    ),
    StandingDirectiveDropped: (
        """
        UPDATE standing_directives SET status = 'dropped'
        WHERE number = :number AND status = 'pending'
        """,
    ),
    DirectiveDropped: (
        f"""
        UPDATE standing_directives SET status = 'dropped'
        WHERE number = :number AND status = 'pending' AND {_OF_NO_LOOP}
        """,  # noqa: S608 - made of this module's own words
    ),
}
