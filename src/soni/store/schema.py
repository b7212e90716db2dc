"""The journal's tables, one version after the other. The same text serves SQLite and Postgres."""

from __future__ import annotations

VERSIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE soni_conversations (
            conversation TEXT PRIMARY KEY,
            incarnation TEXT NOT NULL,
            turn INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            heard INTEGER NOT NULL,
            checkpoint_id TEXT,
            fingerprint TEXT,
            at DOUBLE PRECISION NOT NULL
        )
        """,
        """
        CREATE TABLE soni_turns (
            conversation TEXT NOT NULL,
            turn INTEGER NOT NULL,
            message_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            text TEXT,
            given TEXT NOT NULL,
            now TEXT NOT NULL,
            at DOUBLE PRECISION NOT NULL,
            fingerprint TEXT NOT NULL,
            understood TEXT,
            attempts INTEGER NOT NULL,
            status TEXT NOT NULL,
            result TEXT,
            PRIMARY KEY (conversation, turn),
            UNIQUE (conversation, message_id)
        )
        """,
        "CREATE INDEX soni_turns_unfinished ON soni_turns (conversation) WHERE status = 'open'",
        "CREATE INDEX soni_turns_at ON soni_turns (at)",
        """
        CREATE TABLE soni_effects (
            conversation TEXT NOT NULL,
            key TEXT NOT NULL,
            turn INTEGER NOT NULL,
            action TEXT NOT NULL,
            kind TEXT NOT NULL,
            arguments TEXT NOT NULL,
            status TEXT NOT NULL,
            result TEXT,
            PRIMARY KEY (conversation, key)
        )
        """,
        "CREATE INDEX soni_effects_turn ON soni_effects (conversation, turn)",
        """
        CREATE TABLE soni_outbox (
            conversation TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            id TEXT NOT NULL,
            turn INTEGER NOT NULL,
            message TEXT NOT NULL,
            PRIMARY KEY (conversation, sequence),
            UNIQUE (conversation, id)
        )
        """,
        "CREATE INDEX soni_outbox_turn ON soni_outbox (conversation, turn)",
    ),
    (
        # Who has the conversation instead of the assistant, if anybody: what they are told, and since when.
        "ALTER TABLE soni_conversations ADD COLUMN person TEXT",
        "CREATE INDEX soni_conversations_person ON soni_conversations (at) WHERE person IS NOT NULL",
    ),
)
"""What each version adds; a database is brought up to the last one when it is opened."""

MAKE_VERSION_TABLE = "CREATE TABLE IF NOT EXISTS soni_schema (version INTEGER NOT NULL)"
READ_VERSION = "SELECT version FROM soni_schema"
CHECK: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("INSERT INTO soni_schema (version) VALUES (?)", (0,)),
    ("DELETE FROM soni_schema WHERE version = ?", (0,)),
)
"""A transaction that needs room on the disk and leaves nothing; SQLite does not write an UPDATE to the same value."""
TABLES = ("soni_conversations", "soni_turns", "soni_effects", "soni_outbox")


def steps_from(version: int | None) -> list[tuple[str, tuple[object, ...]]]:
    """What brings a database of this version (None: a new one) up to date."""
    missing = [(statement, ()) for change in VERSIONS[version or 0 :] for statement in change]
    if not missing:
        return []
    noted = "INSERT INTO soni_schema (version) VALUES (?)" if version is None else "UPDATE soni_schema SET version = ?"
    return [*missing, (noted, (len(VERSIONS),))]
