"""Student Hub over HTTP: what students do for themselves, what anybody may say, what jobs and administrators do."""

from datetime import date
from ipaddress import ip_address, ip_network
from typing import Annotated

from fastapi import APIRouter, Depends, FastAPI, Path, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from tablewright import Repository, fields
from tablewright_systems.authentication import Authenticator, Caller
from tablewright_systems.http_api import CurrentCaller, Cursor, Db, Limit, PageReply, application
from tablewright_systems.student_hub.design import Deadline, Feedback, Progress, StepKey, UserProfile
from tablewright_systems.student_hub.service import (
    administration,
    dashboard,
    deadlines,
    feedback,
    profiles,
    progress,
    reminders,
)

router = APIRouter()
_bearer = HTTPBearer(auto_error=False, description="Not needed, but then you are a guest.")


def _visitor(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Caller | None:
    gate: Authenticator = request.app.state.gate
    return gate.authenticate(given.credentials) if given else None


def _origin(request: Request) -> str:
    """Where a request comes from; whoever has one address of IPv6 has all of its network's."""
    host = request.client.host if request.client else "nowhere"
    try:
        address = ip_address(host)
    except ValueError:
        return host
    return host if address.version == 4 else str(ip_network(f"{address}/64", strict=False))


Visitor = Annotated[Caller | None, Depends(_visitor)]
Origin = Annotated[str, Depends(_origin)]
Id = Annotated[str, Path(max_length=256)]
Moment = Annotated[int, Path(ge=0, le=9_999_999_999_999)]
Steps = Annotated[list[StepKey] | None, Query(alias="step", max_length=100)]


@router.get("/dashboard", response_model_exclude_none=True)
def read_dashboard(db: Db, caller: CurrentCaller) -> dashboard.Dashboard:
    """Your profile, progress and deadlines together."""
    return dashboard.read_dashboard(db, caller)


@router.get("/profile", response_model_exclude_none=True)
def read_profile(db: Db, caller: CurrentCaller, just_written: bool = False) -> UserProfile:
    """Your profile; with `just_written` as it is at this moment."""
    return profiles.read_profile(db, caller, just_written=just_written)


@router.patch("/profile", response_model_exclude_none=True)
def update_profile(db: Db, caller: CurrentCaller, changes: profiles.ProfileChanges) -> UserProfile:
    """Change your profile: what you do not send stays, what is null or empty goes."""
    return profiles.update_profile(db, caller, changes)


@router.get("/progress", response_model_exclude_none=True)
def read_progress(db: Db, caller: CurrentCaller, steps: Steps = None) -> list[Progress]:
    """Your steps, all of them or some."""
    return progress.read_steps(db, caller, steps) if steps else progress.read_progress(db, caller)


@router.get("/progress/{step_key}", response_model_exclude_none=True)
def read_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """One of your steps."""
    return progress.read_step(db, caller, step_key)


@router.post("/progress/{step_key}/start", response_model_exclude_none=True)
def start_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Begin a step."""
    return progress.start_step(db, caller, step_key)


@router.post("/progress/{step_key}/complete", response_model_exclude_none=True)
def complete_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Be done with a step."""
    return progress.complete_step(db, caller, step_key)


@router.post("/progress/{step_key}/reopen", response_model_exclude_none=True)
def reopen_step(db: Db, caller: CurrentCaller, step_key: StepKey) -> Progress:
    """Take a completion back."""
    return progress.reopen_step(db, caller, step_key)


@router.get("/deadlines", response_model_exclude_none=True)
def read_deadlines(db: Db, caller: CurrentCaller) -> list[Deadline]:
    """Your deadlines, the next one first."""
    return deadlines.read_deadlines(db, caller)


@router.post("/deadlines", status_code=201, response_model_exclude_none=True)
def create_deadline(db: Db, caller: CurrentCaller, draft: deadlines.DeadlineDraft) -> Deadline:
    """Write down a deadline; bring a `deadlineId` of your own, and you can ask again without getting two."""
    return deadlines.create_deadline(db, caller, draft)


@router.get("/deadlines/{deadline_id}", response_model_exclude_none=True)
def read_deadline(db: Db, caller: CurrentCaller, deadline_id: Id) -> Deadline:
    """One of your deadlines."""
    return deadlines.read_deadline(db, caller, deadline_id)


@router.patch("/deadlines/{deadline_id}", response_model_exclude_none=True)
def change_deadline(
    db: Db, caller: CurrentCaller, deadline_id: Id, changes: deadlines.DeadlineChanges
) -> Deadline:
    """Change a deadline; on a new day you are reminded anew."""
    return deadlines.change_deadline(db, caller, deadline_id, changes)


@router.delete("/deadlines/{deadline_id}", status_code=204)
def delete_deadline(db: Db, caller: CurrentCaller, deadline_id: Id) -> None:
    """Delete a deadline."""
    deadlines.delete_deadline(db, caller, deadline_id)


@router.post("/feedback", status_code=201)
def submit_feedback(db: Db, caller: Visitor, origin: Origin, draft: feedback.FeedbackDraft) -> Feedback:
    """Say what you think; no token is needed."""
    return feedback.submit_feedback(db, caller, draft, origin)


@router.get("/feedback")
def read_own_feedback(
    db: Db, caller: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Feedback]:
    """What you have said, the newest first."""
    return PageReply[Feedback].of(feedback.feedback_of_user(db, caller, caller.user_id, limit, cursor))


@router.delete("/me")
def erase_me(db: Db, caller: CurrentCaller) -> administration.Erasure:
    """Erase all that is stored of you."""
    return administration.erase_user(db, caller, caller.user_id)


@router.get("/reminders/deadlines", response_model_exclude_none=True)
def read_deadlines_due_on(db: Db, caller: CurrentCaller, day: date) -> list[Deadline]:
    """Everybody's deadlines of a day; for the worker that reminds."""
    return reminders.deadlines_due_on(db, caller, day)


@router.post("/reminders/claim")
def claim_reminders(db: Db, caller: CurrentCaller, limit: Limit = 20) -> list[reminders.Reminder]:
    """Claim reminders of today and tomorrow, to send them; for the worker that reminds."""
    return reminders.claim_reminders(db, caller, limit)


@router.post("/reminders/confirm")
def confirm_reminder(db: Db, caller: CurrentCaller, claim: reminders.Claim) -> bool:
    """Say that a reminder was sent; false when the claim had ended."""
    return reminders.confirm_reminder(db, caller, claim)


@router.post("/reminders/release")
def release_reminder(db: Db, caller: CurrentCaller, claim: reminders.Claim) -> bool:
    """Give a claim back, for another try; false when it had ended."""
    return reminders.release_reminder(db, caller, claim)


@router.get("/admin/users")
def list_users(
    db: Db, caller: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[administration.UserSummary]:
    """All users; for administrators."""
    return PageReply[administration.UserSummary].of(administration.list_users(db, caller, limit, cursor))


@router.get("/admin/users/count")
def count_users(db: Db, caller: CurrentCaller) -> int:
    """How many users there are; reads all of them. For administrators."""
    return administration.count_users(db, caller)


@router.delete("/admin/users/{user_id}")
def erase_user(db: Db, caller: CurrentCaller, user_id: Id) -> administration.Erasure:
    """Erase all that is stored of a user; for administrators."""
    return administration.erase_user(db, caller, user_id)


@router.get("/admin/users/{user_id}/feedback")
def read_feedback_of_user(
    db: Db, caller: CurrentCaller, user_id: Id, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Feedback]:
    """What a user has said, the newest first; for administrators."""
    return PageReply[Feedback].of(feedback.feedback_of_user(db, caller, user_id, limit, cursor))


@router.get("/admin/feedback")
def read_feedback_between(
    db: Db,
    caller: CurrentCaller,
    start: fields.Timestamp,
    end: fields.Timestamp,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> PageReply[Feedback]:
    """What was said from one moment to another, the newest first; for administrators."""
    return PageReply[Feedback].of(feedback.feedback_between(db, caller, start, end, limit, cursor))


@router.get("/admin/feedback/{feedback_id}/{timestamp}")
def read_feedback(db: Db, caller: CurrentCaller, feedback_id: Id, timestamp: Moment) -> Feedback:
    """One feedback; for administrators."""
    return feedback.read_feedback(db, caller, feedback_id, timestamp)


def build(db: Repository, gate: Authenticator) -> FastAPI:
    """The API, on a store."""
    return application("Student Hub", router, db, gate, "A student's way abroad: profile, steps, deadlines.")
