"""Student Hub "Leavs": four tables, as written, with the indexes that it recommends for later."""

from decimal import Decimal
from typing import Literal
from uuid import UUID

from tablewright.design import billing
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.rates import Expect
from tablewright.design.indexes import Index
from tablewright.design.patterns import Get, Query, Scan
from tablewright.design.tables import Table

profiles = Table("leavs-{env}-user-profiles", key="userId", billing=billing.OnDemand(), literal=True)
progress = Table(
    "leavs-{env}-user-progress", key=("userId", "stepKey"), billing=billing.OnDemand(), literal=True
)
deadlines = Table(
    "leavs-{env}-deadlines",
    key=("userId", "deadlineId"),
    indexes=[Index("DueDateIndex", "dueDate", "userId"), Index("SendReminderIndex", "sendReminder")],
    billing=billing.OnDemand(),
    literal=True,
)
feedback = Table(
    "leavs-{env}-feedback",
    key=("feedbackId", "timestamp"),
    indexes=[Index("UserIdIndex", "userId", "timestamp")],
    types={"timestamp": "N"},
    billing=billing.OnDemand(),
    literal=True,
)


class UserProfile(Entity, table=profiles, expect=Expect(items=10_000, size=5_000)):
    user_id: str
    first_name: str | None = None
    last_name: str | None = None
    nationality: str | None = None
    date_of_birth: str | None = None
    destination_country: str | None = None
    destination_city: str | None = None
    university_name: str | None = None
    program_name: str | None = None
    study_level: Literal["bachelor", "master", "phd", "exchange"] | None = None
    start_date: str | None = None
    admission_status: Literal["exploring", "applying", "accepted", "enrolled"] | None = None
    visa_type: str | None = None
    passport_expiry: str | None = None
    visa_appointment_date: str | None = None
    travel_date: str | None = None
    flights_booked: bool | None = None
    packing_notes: str | None = None
    registration_status: str | None = None
    residence_permit_needed: bool | None = None
    accommodation_type: str | None = None
    housing_budget: str | None = None
    lease_start: str | None = None
    bank_account_needed: bool | None = None
    insurance_provider: str | None = None
    legal_docs_ready: bool | None = None
    health_coverage: str | None = None
    doctor_preference: str | None = None
    arrival_date: str | None = None
    local_transport: str | None = None
    daily_life_notes: str | None = None
    monthly_budget: str | None = None
    budget_currency: str | None = None
    budgeting_notes: str | None = None
    community_interest: str | None = None
    support_needs: str | None = None
    housing_type: str | None = None
    rent_cost: Decimal | None = None
    utilities_cost: Decimal | None = None
    internet_cost: Decimal | None = None
    mobile_cost: Decimal | None = None
    transport_cost: Decimal | None = None
    groceries_cost: Decimal | None = None
    dining_out_cost: Decimal | None = None
    entertainment_cost: Decimal | None = None
    clothing_cost: Decimal | None = None
    personal_care_cost: Decimal | None = None
    books_cost: Decimal | None = None
    updated_at: str


class Progress(Entity, table=progress, expect=Expect(items=50_000, size=300, per_partition=50)):
    user_id: str
    step_key: str
    completed: bool
    completed_at: str | None = None
    started: bool | None = None
    started_at: str | None = None
    updated_at: str


class Deadline(Entity, table=deadlines, expect=Expect(items=10_000, size=500, per_partition=10)):
    user_id: str
    deadline_id: UUID
    title: str
    due_date: str
    send_reminder: bool
    note: str | None = None
    created_at: str
    updated_at: str


class Feedback(Entity, table=feedback, expect=Expect(size=1_000)):
    feedback_id: UUID
    timestamp: int
    user_id: str
    message: str
    created_at: str


class GetUserProfile(Get[UserProfile]):
    """Pattern 1: fetch user's profile when they visit dashboard."""

    user_id: str


class GetUserProfileAfterWrite(Get[UserProfile]):
    """Immediately after write, need to read back."""

    user_id: str
    consistent = True


class GetAllUserProgress(Query[Progress]):
    """Pattern 3: display progress overview on dashboard."""

    user_id: str
    key = "userId = {user_id}"


class GetStep(Get[Progress]):
    """Query specific step: `GetItem(userId, stepKey)`."""

    user_id: str
    step_key: str


class GetUserDeadlines(Query[Deadline]):
    """Pattern 5: display deadlines on dashboard."""

    user_id: str
    key = "userId = {user_id}"


class DeadlinesDueOn(Query[Deadline]):
    """Find all deadlines due today/tomorrow, to send reminders."""

    due_date: str
    key = "dueDate = {due_date}"
    filter = "send_reminder = {send_reminder}"
    send_reminder: bool = True


class DeadlinesToRemind(Query[Deadline]):
    """Only index deadlines where `sendReminder = true`."""

    key = "sendReminder = true"


class FeedbackOfUser(Query[Feedback]):
    """View all feedback from a specific user (admin dashboard)."""

    user_id: str
    key = "userId = {user_id}"


class AllFeedback(Scan[Feedback]):
    """Admin access would require Scan operation; sort key `timestamp` allows chronological ordering."""


class AllUsers(Scan[UserProfile]):
    """Admin dashboard (view all users)."""
