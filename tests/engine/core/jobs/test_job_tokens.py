"""Client tokens: remembered for eight hours, separately for exports and imports."""

from pathlib import Path

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.job_tokens import LIFETIME, recall, remember
from tests.engine.archive import archive


def test_a_token_is_remembered_for_eight_hours(tmp_path: Path) -> None:
    with archive(tmp_path) as db:
        db.sessions.write(lambda tx: remember(tx, "export", "token", {"Key": "k"}))
        db.clock.advance(LIFETIME - 1)
        saved = db.sessions.read(lambda tx: recall(tx, "export", "token"))
        assert saved is not None
        assert saved["Key"] == "k"
        assert db.sessions.read(lambda tx: recall(tx, "import", "token")) is None
        assert db.sessions.read(lambda tx: recall(tx, "export", None)) is None
        db.clock.advance(1)
        assert db.sessions.read(lambda tx: recall(tx, "export", "token")) is None
        db.sessions.write(lambda tx: remember(tx, "export", "later", {}))
        kept = db.sessions.read(lambda tx: [key for key, _ in job_records.each(tx.rows, "token")])
        assert kept == ["export\0later"]
