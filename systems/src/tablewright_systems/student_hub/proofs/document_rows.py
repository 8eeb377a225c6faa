"""Rows exactly as the document prints them: no attribute that this design adds."""

from dataclasses import dataclass
from typing import Any

from tablewright import Repository, Table
from tablewright_systems.student_hub.design import deadlines, feedback, profiles, progress
from tablewright_systems.verification import put_row


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the document."""

    table: Table
    attributes: dict[str, Any]


PROFILE = Row(
    profiles,
    {
        "userId": "abc-123-def-456",
        "firstName": "John",
        "lastName": "Doe",
        "universityName": "Bocconi University",
        "updatedAt": "2024-02-18T10:00:00Z",
    },
)
PROGRESS = Row(
    progress,
    {
        "userId": "abc-123-def-456",
        "stepKey": "visa",
        "completed": True,
        "completedAt": "2024-02-18T10:00:00Z",
        "updatedAt": "2024-02-18T10:00:00Z",
    },
)
DEADLINE = Row(
    deadlines,
    {
        "userId": "abc-123-def-456",
        "deadlineId": "d47e9a12-3f56-4b8c-9d2e-1a2b3c4d5e6f",
        "title": "Visa Appointment",
        "dueDate": "2024-03-15",
        "sendReminder": True,
        "note": "Bring passport",
        "createdAt": "2024-02-18T10:00:00Z",
        "updatedAt": "2024-02-18T10:00:00Z",
    },
)
FEEDBACK = Row(
    feedback,
    {
        "feedbackId": "f58a9c23-4g67-5c9d-0e3f-2b3c4d5e6f7g",
        "timestamp": 1708268400000,
        "userId": "guest-1708268400000",
        "message": "Great app!",
        "createdAt": "2024-02-18T10:00:00Z",
    },
)
ROWS = (PROFILE, PROGRESS, DEADLINE, FEEDBACK)


def put(db: Repository, row: Row, **changes: Any) -> None:
    """Put a row as another program does, with some attributes changed."""
    put_row(db, row.table, {**row.attributes, **changes})
