"""Student Hub's design, in the order of its document: profiles, progress, deadlines, feedback.

Line numbers in comments are the document's. Stored names are camelCase, as there: `first_name` is `firstName`.
"""

from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, ClassVar
from uuid import uuid4

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    create_model,
)
from pydantic.alias_generators import to_camel

from tablewright import BatchGet, Design, Entity, Get, Index, Keys, Query, Scan, Sparse, Table, fields
from tablewright_systems.service.schemas import JSON_NUMBER
from tablewright_systems.service.stored_values import AS_STORED
from tablewright_systems.service.text import require_name, require_prose

# --- Tables ---

profiles = Table("leavs-{env}-user-profiles", key="userId", variable="USER_PROFILE_TABLE_NAME")

progress = Table("leavs-{env}-user-progress", key=("userId", "stepKey"), variable="USER_PROGRESS_TABLE_NAME")

deadlines = Table(
    "leavs-{env}-deadlines",
    key=("userId", "deadlineId"),
    indexes=[
        Index("DueDateIndex", "dueDate", "userId"),  # A12
        Index("ReminderDateIndex", "reminderDate", "userId"),  # F8, R11: a boolean cannot be a key
    ],
    variable="DEADLINES_TABLE_NAME",
)

feedback = Table(
    "leavs-{env}-feedback",
    key=("feedbackId", "timestamp"),
    indexes=[
        Index("UserIdIndex", "userId", "timestamp"),  # A13
        Index("FeedbackMonthIndex", "feedbackMonth", "timestamp"),  # A14
    ],
    types={"timestamp": "N"},
    variable="FEEDBACK_TABLE_NAME",
)

feedback_limits = Table(
    "leavs-{env}-feedback-limits",
    key=("sender", "hour"),
    ttl="expiresAt",
    variable="FEEDBACK_LIMITS_TABLE_NAME",
)

# --- Values ---


def _at_most(size: int) -> AfterValidator:
    """Limit a text in bytes, as DynamoDB counts; this keeps a profile under 10 KB."""

    def check(text: str) -> str:
        if len(text.encode()) > size:
            raise ValueError(f"is longer than {size} bytes")
        return text

    return AfterValidator(check)


Line = Annotated[str, AfterValidator(require_name), _at_most(120)]
Notes = Annotated[str, AfterValidator(require_prose), _at_most(1_000)]
Title = Annotated[str, Field(min_length=1), AfterValidator(require_name), _at_most(200)]
Message = Annotated[str, Field(min_length=1), AfterValidator(require_prose), _at_most(4_000)]
Currency = Annotated[str, Field(pattern="^[A-Z]{3}$")]
Cost = Annotated[
    Decimal,
    Field(ge=0, max_digits=9, decimal_places=2),
    PlainSerializer(float, return_type=float, when_used="json"),
    *JSON_NUMBER,
]
StepKey = Annotated[str, Field(pattern=r"^[a-z0-9]+([.-][a-z0-9]+)*$", max_length=64)]


class StudyLevel(StrEnum):
    """Level of study."""

    BACHELOR = "bachelor"
    MASTER = "master"
    PHD = "phd"
    EXCHANGE = "exchange"


class AdmissionStatus(StrEnum):
    """Status of the admission."""

    EXPLORING = "exploring"
    APPLYING = "applying"
    ACCEPTED = "accepted"
    ENROLLED = "enrolled"


def new_uuid() -> str:
    """Return a new UUID v4 as text; IDs in the document's examples are not all UUIDs."""
    return str(uuid4())


# --- Entities ---


class ProfileDetails(BaseModel):
    """Profile fields of a student: 47, all optional."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")

    first_name: Line | None = None
    last_name: Line | None = None
    nationality: Line | None = None
    date_of_birth: date | None = None
    destination_country: Line | None = None
    destination_city: Line | None = None
    university_name: Line | None = None
    program_name: Line | None = None
    study_level: StudyLevel | None = None
    start_date: date | None = None
    admission_status: AdmissionStatus | None = None
    visa_type: Line | None = None
    passport_expiry: date | None = None
    visa_appointment_date: date | None = None
    travel_date: date | None = None
    flights_booked: bool | None = None
    packing_notes: Notes | None = None
    registration_status: Line | None = None
    residence_permit_needed: bool | None = None
    accommodation_type: Line | None = None
    housing_budget: Line | Cost | None = None  # a number too: its migration (F6) will make it one
    lease_start: date | None = None
    bank_account_needed: bool | None = None
    insurance_provider: Line | None = None
    legal_docs_ready: bool | None = None
    health_coverage: Line | None = None
    doctor_preference: Line | None = None
    arrival_date: date | None = None
    local_transport: Line | None = None
    daily_life_notes: Notes | None = None
    monthly_budget: Line | Cost | None = None  # F6, as above
    budget_currency: Currency | None = None
    budgeting_notes: Notes | None = None
    community_interest: Notes | None = None
    support_needs: Notes | None = None
    housing_type: Line | None = None
    rent_cost: Cost | None = None
    utilities_cost: Cost | None = None
    internet_cost: Cost | None = None
    mobile_cost: Cost | None = None
    transport_cost: Cost | None = None
    groceries_cost: Cost | None = None
    dining_out_cost: Cost | None = None
    entertainment_cost: Cost | None = None
    clothing_cost: Cost | None = None
    personal_care_cost: Cost | None = None
    books_cost: Cost | None = None


if TYPE_CHECKING:
    _StoredDetails = ProfileDetails
else:
    _StoredDetails = create_model(
        "StoredDetails",
        __base__=ProfileDetails,
        **{
            name: (Annotated[field.rebuild_annotation(), *AS_STORED], None)
            for name, field in ProfileDetails.model_fields.items()
        },
    )


class UserProfile(Entity, _StoredDetails, table=profiles, expect=fields.Expect(items=10_000, size=5_000)):
    """Table 1: profile of a student.

    In the document every field is any text, flag or number. What other programs have stored is read and shown as it
    is, so that the student can correct it; `ProfileChanges` accepts only valid values.
    """

    user_id: str
    updated_at: fields.Timestamp = fields.touched()


class Progress(Entity, table=progress, expect=fields.Expect(items=500_000, size=300, per_partition=50)):
    """Table 2: progress of a student in a step."""

    user_id: str
    step_key: str
    completed: bool
    completed_at: fields.Timestamp | None = None
    started: bool | None = None
    started_at: fields.Timestamp | None = None
    updated_at: fields.Timestamp = fields.touched()


class Deadline(
    Entity,
    table=deadlines,
    expect=fields.Expect(items=100_000, size=500, per_partition=10, writes=fields.PerSecond(5)),
):
    """Table 3: a deadline; the reminder fields are not in the document."""

    user_id: str
    deadline_id: str = Field(default_factory=new_uuid)
    title: str
    due_date: date
    send_reminder: bool
    note: str | None = None
    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()
    reminder_claim: str | None = None
    """ID of the claim of a worker; other workers wait until `reminder_claimed_until`."""
    reminder_claimed_until: fields.Timestamp | None = None
    reminder_sent_at: fields.Timestamp | None = None

    keys = Keys(
        ReminderDateIndex=Sparse(
            "{due_date}", "{user_id}", when={"send_reminder": True, "reminder_sent_at": None}
        )
    )


class Feedback(Entity, table=feedback, expect=fields.Expect(size=1_000)):
    """Table 4: feedback of a user or guest."""

    suppress: ClassVar = {
        "TW106": "entries of the same millisecond have no defined order; cursors distinguish them"
    }

    feedback_id: str = Field(default_factory=new_uuid)
    timestamp: int
    """Time of `created_at`, in milliseconds since 1970."""
    user_id: str
    message: str
    created_at: fields.Timestamp

    keys = Keys(FeedbackMonthIndex=("{created_at:%Y-%m}", "{timestamp}"))


class FeedbackAllowance(Entity, table=feedback_limits):
    """Number of messages of one sender within an hour; not in the document: guests can send too."""

    suppress: ClassVar = {"TW106": "one count for each sender and hour, on purpose"}

    sender: str
    """Digest of the user ID or network address, so that no address is stored."""
    hour: fields.Timestamp
    used: Annotated[int, fields.Counter()] = 0
    expires_at: Annotated[int | None, fields.Ttl(after=timedelta(hours=2), of="hour")] = None


# --- Access patterns ---


class ProfileOf(Get[UserProfile]):
    """Get a user's profile (A1)."""

    user_id: str


class ProfileJustWritten(Get[UserProfile]):
    """Read a profile back right after it was written (A16)."""

    user_id: str
    consistent = True


class ProfileKeyOf(Query[UserProfile]):
    """Key of a user's profile, strongly consistent, for deletion."""

    user_id: str
    key = "userId = {user_id}"
    fields = ("user_id",)
    consistent = True


class ProgressOf(Query[Progress]):
    """Get all progress of a user (A3)."""

    user_id: str
    key = "userId = {user_id}"


class StepOf(Get[Progress]):
    """Get one step of a user (A8)."""

    user_id: str
    step_key: StepKey
    consistent = True


class AnyStepOf(Get[Progress]):
    """Get a step whose key another program wrote."""

    user_id: str
    step_key: str


class StepsOf(BatchGet[Progress]):
    """Get some steps of a user (A11)."""

    user_id: str
    step_key: list[StepKey]


class DeadlinesOf(Query[Deadline]):
    """Get a user's deadlines (A5)."""

    user_id: str
    key = "userId = {user_id}"


class DeadlineOf(Get[Deadline]):
    """Get one deadline (A24)."""

    user_id: str
    deadline_id: str
    consistent = True


class DeadlinesDueOn(Query[Deadline]):
    """All deadlines due on a day (A12)."""

    due_date: date
    key = "dueDate = {due_date}"


class RemindersDueOn(Query[Deadline]):
    """Deadlines of a day with a reminder to send (F8)."""

    due_date: date
    key = "reminderDate = {due_date}"


class StepKeysOf(Query[Progress]):
    """Keys of all progress of a user, strongly consistent, for deletion."""

    user_id: str
    key = "userId = {user_id}"
    fields = ("user_id", "step_key")
    consistent = True


class DeadlineKeysOf(Query[Deadline]):
    """Keys of all deadlines of a user, strongly consistent, for deletion."""

    user_id: str
    key = "userId = {user_id}"
    fields = ("user_id", "deadline_id")
    consistent = True


class FeedbackById(Get[Feedback]):
    """Get one feedback entry; requires both parts of the key (A23)."""

    feedback_id: str
    timestamp: int


class FeedbackOfUser(Query[Feedback]):
    """All feedback of a user, the newest first (A13)."""

    user_id: str
    key = "userId = {user_id}"
    index = "UserIdIndex"
    descending = True


class FeedbackKeysOf(Query[Feedback]):
    """Keys of all feedback of a user, for deletion."""

    user_id: str
    key = "userId = {user_id}"
    index = "UserIdIndex"
    fields = ("feedback_id", "timestamp")


class FeedbackOfMonth(Query[Feedback]):
    """Feedback of a month between two timestamps, newest first (A14)."""

    month: str
    start: int
    end: int
    key = "feedbackMonth = {month} AND timestamp BETWEEN {start} AND {end}"
    descending = True


class AllUsers(Scan[UserProfile]):
    """All users, for administrators, with only the fields that identify a user (A15)."""

    fields = ("user_id", "first_name", "last_name", "destination_city", "university_name", "updated_at")
    suppress: ClassVar = {"TW303": "for administrators only, page by page (845-859)"}


design = Design(
    "student_hub",
    entities=[UserProfile, Progress, Deadline, Feedback, FeedbackAllowance],
    patterns=[
        ProfileOf,
        ProfileJustWritten,
        ProfileKeyOf,
        ProgressOf,
        StepOf,
        AnyStepOf,
        StepsOf,
        DeadlinesOf,
        DeadlineOf,
        DeadlinesDueOn,
        RemindersDueOn,
        StepKeysOf,
        DeadlineKeysOf,
        FeedbackById,
        FeedbackOfUser,
        FeedbackKeysOf,
        FeedbackOfMonth,
        AllUsers,
    ],
    migrations="tablewright_systems.student_hub.migrations",
)
