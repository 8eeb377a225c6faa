"""Client tokens of exports and imports: for eight hours, a request that is sent again gets the answer it got."""

from typing import Any, Literal

from tablewright.engine.backups.jobs import job_records
from tablewright.engine.sessions import Reading, Writing

SPAN = 8 * 3600


def recall(tx: Reading, sort: Literal["export", "import"], token: str | None) -> dict[str, Any] | None:
    """What is remembered under a token that is not too old."""
    known = job_records.find(tx.rows, "token", f"{sort}\0{token}") if token else None
    return known if known is not None and tx.now() - known["Used"] < SPAN else None


def remember(tx: Writing, sort: Literal["export", "import"], token: str, known: dict[str, Any]) -> None:
    """Note what a token stands for, and forget those that are too old."""
    now = tx.now()
    for key, each in list(job_records.each(tx.rows, "token")):
        if now - each["Used"] >= SPAN:
            job_records.remove(tx.rows, "token", key)
    job_records.save(tx.rows, "token", f"{sort}\0{token}", known | {"Used": now})
