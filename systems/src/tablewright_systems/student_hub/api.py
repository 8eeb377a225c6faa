"""HTTP API of Student Hub: operations for students, for feedback, for the reminder worker and for administrators."""

from fastapi import FastAPI

from tablewright import Repository
from tablewright_systems.student_hub.service import (
    administration,
    deadlines,
    feedback,
    profiles,
    progress,
    reminders,
)
from tablewright_systems.web import Authenticator, Router, application

router = Router()
for _area in (profiles, progress, deadlines, feedback, reminders, administration):
    router.include_router(_area.router)


def build(db: Repository, authenticator: Authenticator) -> FastAPI:
    """Build the API on a store."""
    return application(
        "Student Hub",
        router,
        db,
        authenticator,
        "Students who prepare for studies abroad: profile, steps, deadlines, reminders.",
    )
