"""Job records: documents by kind and key."""

from pathlib import Path

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.job_records import LIFETIME, recall, remember
from tablewright.engine.core.sessions import Writing
from tests.engine.archive import archive


def test_documents_are_found_by_kind_and_key_and_listed_in_order(tmp_path: Path) -> None:
    def work(tx: Writing) -> None:
        for key in ("b", "a", "c"):
            job_records.save(tx.rows, "export", key, {"Key": key})
        job_records.save(tx.rows, "import", "a", {"Key": "other"})
        job_records.save(tx.rows, "export", "c", {"Key": "replaced"})
        job_records.remove(tx.rows, "export", "b")
        assert job_records.find(tx.rows, "export", "a") == {"Key": "a"}
        assert job_records.find(tx.rows, "export", "b") is None
        assert list(job_records.documents(tx.rows, "export")) == [
            ("a", {"Key": "a"}),
            ("c", {"Key": "replaced"}),
        ]

    with archive(tmp_path) as db:
        db.sessions.write(work)


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
        kept = db.sessions.read(lambda tx: [key for key, _ in job_records.documents(tx.rows, "token")])
        assert kept == ["export\0later"]
