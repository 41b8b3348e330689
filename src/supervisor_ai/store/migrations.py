"""The ledger's tables, step by step; a step that was released is never changed."""

from typing import Final

Migration = tuple[str, ...]
"""Statements that lead from one version of the schema to the next."""

_EVENTS: Final[Migration] = (
    """
    CREATE TABLE events (
        seq INTEGER PRIMARY KEY,
        stream TEXT NOT NULL,
        version INTEGER NOT NULL,
        type TEXT NOT NULL,
        revision INTEGER NOT NULL,
        payload TEXT NOT NULL,
        recorded_at TEXT NOT NULL,
        actor TEXT NOT NULL,
        cause TEXT,
        epoch INTEGER NOT NULL,
        hash TEXT NOT NULL,
        UNIQUE (stream, version)
    ) STRICT
    """,
    """
    CREATE TRIGGER events_follow_each_other BEFORE INSERT ON events
    WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
    BEGIN SELECT raise(ABORT, 'an event must follow the last one'); END
    """,
    """
    CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT raise(ABORT, 'an event is never changed'); END
    """,
    """
    CREATE TRIGGER events_are_never_removed BEFORE DELETE ON events
    BEGIN SELECT raise(ABORT, 'an event is never removed'); END
    """,
)

_COORDINATION: Final[Migration] = (
    """
    CREATE TABLE leases (
        run TEXT PRIMARY KEY,
        epoch INTEGER NOT NULL,
        owner TEXT,
        boot TEXT NOT NULL,
        pid INTEGER NOT NULL,
        started INTEGER NOT NULL,
        expires REAL NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE letters (
        number INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        run TEXT NOT NULL,
        letter TEXT NOT NULL,
        is_taken INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """,
    "CREATE INDEX letters_pending ON letters (run, number) WHERE NOT is_taken",
    """
    CREATE TABLE wakes (
        place INTEGER PRIMARY KEY,
        run TEXT NOT NULL,
        number INTEGER NOT NULL,
        not_before TEXT,
        UNIQUE (run, number)
    ) STRICT
    """,
    """
    CREATE TABLE states (
        stream TEXT NOT NULL,
        fold TEXT NOT NULL,
        version INTEGER NOT NULL,
        state BLOB NOT NULL,
        PRIMARY KEY (stream, fold)
    ) STRICT
    """,
)

_PROJECTIONS: Final[Migration] = (
    """
    CREATE TABLE runs (
        seq INTEGER PRIMARY KEY,
        run TEXT NOT NULL UNIQUE,
        task TEXT NOT NULL,
        driver TEXT NOT NULL,
        workflow TEXT NOT NULL,
        definition TEXT NOT NULL,
        sandbox TEXT NOT NULL,
        status TEXT NOT NULL,
        outcome TEXT,
        reason TEXT,
        degraded INTEGER NOT NULL DEFAULT 0,
        parent TEXT,
        root TEXT NOT NULL,
        base_ref TEXT,
        base_sha TEXT,
        base_tree TEXT,
        branch TEXT,
        landed TEXT,
        created_at TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE steps (
        run TEXT NOT NULL,
        step TEXT NOT NULL,
        seq INTEGER NOT NULL,
        role TEXT,
        status TEXT NOT NULL,
        visits INTEGER NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        last_verdict TEXT,
        PRIMARY KEY (run, step)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE attempts (
        run TEXT NOT NULL,
        step TEXT NOT NULL,
        visit INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        role TEXT NOT NULL,
        cli TEXT NOT NULL,
        status TEXT NOT NULL,
        started_at TEXT NOT NULL,
        ended_at TEXT,
        said TEXT,
        category TEXT,
        reason TEXT,
        exit_code INTEGER,
        prompt TEXT,
        transcript TEXT,
        answer TEXT,
        snapshot TEXT,
        kept TEXT,
        redactions INTEGER NOT NULL DEFAULT 0,
        tokens_in INTEGER NOT NULL DEFAULT 0,
        tokens_out INTEGER NOT NULL DEFAULT 0,
        cost TEXT NOT NULL DEFAULT '0',
        estimated INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (run, step, visit, slot, attempt)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE gates (
        run TEXT NOT NULL,
        seq INTEGER NOT NULL,
        step TEXT NOT NULL,
        visit INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        gate TEXT NOT NULL,
        snapshot TEXT NOT NULL,
        verdict TEXT,
        reason TEXT,
        output TEXT,
        exit_code INTEGER,
        started_at TEXT NOT NULL,
        ended_at TEXT,
        PRIMARY KEY (run, step, visit, slot, seq)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE approvals (
        run TEXT NOT NULL,
        seq INTEGER NOT NULL,
        step TEXT NOT NULL,
        visit INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        reason TEXT NOT NULL,
        tree TEXT NOT NULL,
        snapshot TEXT NOT NULL,
        question TEXT,
        asked_at TEXT NOT NULL,
        is_approved INTEGER,
        answered_by TEXT,
        answered_at TEXT,
        note TEXT,
        PRIMARY KEY (run, step, visit, slot, seq)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE timers (
        run TEXT NOT NULL,
        timer TEXT NOT NULL,
        status TEXT NOT NULL,
        due TEXT NOT NULL,
        parks INTEGER NOT NULL,
        PRIMARY KEY (run, timer)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE children (
        parent TEXT NOT NULL,
        child TEXT NOT NULL,
        seq INTEGER NOT NULL,
        step TEXT NOT NULL,
        visit INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        status TEXT NOT NULL,
        outcome TEXT,
        reason TEXT,
        cancel_requested_at TEXT,
        PRIMARY KEY (parent, child)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE permits (
        permit TEXT NOT NULL,
        run TEXT NOT NULL,
        status TEXT NOT NULL,
        places INTEGER,
        since TEXT NOT NULL,
        PRIMARY KEY (permit, run)
    ) STRICT, WITHOUT ROWID
    """,
)

_GATES: Final[Migration] = (
    "ALTER TABLE gates ADD COLUMN tests INTEGER",
    "ALTER TABLE gates ADD COLUMN findings INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE gates ADD COLUMN report TEXT",
    "ALTER TABLE gates ADD COLUMN feedback TEXT",
    "ALTER TABLE gates ADD COLUMN is_reused INTEGER NOT NULL DEFAULT 0",
    """
    CREATE TABLE verdicts (
        key TEXT PRIMARY KEY,
        seq INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE claims (
        run TEXT NOT NULL,
        step TEXT NOT NULL,
        visit INTEGER NOT NULL,
        attempt INTEGER NOT NULL,
        role TEXT NOT NULL,
        cli TEXT NOT NULL,
        files INTEGER NOT NULL,
        tests INTEGER NOT NULL,
        commits INTEGER NOT NULL,
        PRIMARY KEY (run, step, visit, attempt)
    ) STRICT, WITHOUT ROWID
    """,
)

_ANCHORS: Final[Migration] = (
    """
    CREATE TABLE anchors (
        place INTEGER PRIMARY KEY CHECK (place = 1),
        seq INTEGER NOT NULL,
        hash TEXT NOT NULL
    ) STRICT
    """,
)

_APPROVALS: Final[Migration] = (
    "ALTER TABLE approvals ADD COLUMN answer TEXT",
    "ALTER TABLE approvals ADD COLUMN level TEXT",
    "ALTER TABLE approvals ADD COLUMN action TEXT",
    "ALTER TABLE approvals ADD COLUMN needs INTEGER NOT NULL DEFAULT 1",
    "ALTER TABLE approvals ADD COLUMN approvers TEXT NOT NULL DEFAULT '[]'",
    "ALTER TABLE approvals ADD COLUMN because TEXT NOT NULL DEFAULT '[]'",
    """
    CREATE TABLE votes (
        run TEXT NOT NULL,
        seq INTEGER NOT NULL,
        step TEXT NOT NULL,
        visit INTEGER NOT NULL,
        slot INTEGER NOT NULL,
        tree TEXT NOT NULL,
        person TEXT NOT NULL,
        note TEXT,
        voted_at TEXT NOT NULL,
        PRIMARY KEY (run, seq)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE comments (
        run TEXT NOT NULL,
        number INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        step TEXT NOT NULL,
        visit INTEGER NOT NULL,
        tree TEXT NOT NULL,
        file TEXT NOT NULL,
        line INTEGER NOT NULL,
        text TEXT NOT NULL,
        person TEXT NOT NULL,
        made_at TEXT NOT NULL,
        PRIMARY KEY (run, number)
    ) STRICT, WITHOUT ROWID
    """,
)

_NOTICES: Final[Migration] = (
    """
    CREATE TABLE notices (
        key TEXT PRIMARY KEY,
        seq INTEGER NOT NULL,
        run TEXT NOT NULL,
        about TEXT NOT NULL,
        severity TEXT NOT NULL,
        words TEXT NOT NULL,
        status TEXT NOT NULL,
        channels TEXT NOT NULL,
        reason TEXT NOT NULL DEFAULT '',
        owed_at TEXT NOT NULL,
        ended_at TEXT
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX notices_of_run ON notices (run, seq)",
)

_SESSIONS: Final[Migration] = (
    """
    CREATE TABLE sessions (
        session TEXT PRIMARY KEY,
        seq INTEGER NOT NULL,
        team TEXT NOT NULL,
        pipeline TEXT NOT NULL,
        requirement TEXT NOT NULL,
        supervision INTEGER NOT NULL,
        folder TEXT,
        resident TEXT,
        opened_at TEXT NOT NULL,
        closed_at TEXT
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE messages (
        session TEXT NOT NULL,
        number INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        sender TEXT NOT NULL,
        recipient TEXT NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        logged_at TEXT NOT NULL,
        PRIMARY KEY (session, number)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX messages_by_sender ON messages (session, sender, kind, number)",
    """
    CREATE TABLE session_tasks (
        session TEXT NOT NULL,
        task TEXT NOT NULL,
        seq INTEGER NOT NULL,
        subject TEXT NOT NULL,
        owner TEXT NOT NULL,
        blocked_by TEXT NOT NULL,
        status TEXT NOT NULL,
        moved_at TEXT NOT NULL,
        PRIMARY KEY (session, task)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE members (
        session TEXT NOT NULL,
        member TEXT NOT NULL,
        role TEXT NOT NULL,
        joined_at TEXT NOT NULL,
        left_at TEXT,
        PRIMARY KEY (session, member)
    ) STRICT, WITHOUT ROWID
    """,
)

_LINE_SIDES: Final[Migration] = (
    "ALTER TABLE comments ADD COLUMN side TEXT NOT NULL DEFAULT 'new'",
    "ALTER TABLE comments ADD COLUMN quote TEXT",
)

_KNOWLEDGE: Final[Migration] = (
    """
    CREATE TABLE knowledge_uses (
        run TEXT NOT NULL,
        seq INTEGER NOT NULL,
        path TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        status TEXT NOT NULL,
        PRIMARY KEY (run, seq, path)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX knowledge_uses_open ON knowledge_uses (run) WHERE status = 'open'",
)

_LEASE_ENDS: Final[Migration] = (
    "ALTER TABLE leases ADD COLUMN until REAL NOT NULL DEFAULT 0",
    # No lease is longer than that; an owner on another machine may be about to renew its own.
    "UPDATE leases SET until = CAST(strftime('%s', 'now') AS REAL) + 60",
)

MIGRATIONS: Final[tuple[Migration, ...]] = (
    (*_EVENTS, *_COORDINATION, *_PROJECTIONS),
    _GATES,
    _ANCHORS,
    _APPROVALS,
    _NOTICES,
    _SESSIONS,
    _LINE_SIDES,
    _KNOWLEDGE,
    _LEASE_ENDS,
)
"""Version N of the schema is what the first N steps make."""
