"""Job records: documents by kind and key."""

from pathlib import Path

from tablewright.engine.core.jobs import job_records
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
        assert list(job_records.each(tx.rows, "export")) == [("a", {"Key": "a"}), ("c", {"Key": "replaced"})]

    with archive(tmp_path) as db:
        db.sessions.write(work)
