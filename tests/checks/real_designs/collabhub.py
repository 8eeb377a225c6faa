"""CollabHub: founders, talents and investors in one table, as written."""

from decimal import Decimal
from typing import Any, Literal

from tablewright.design import billing
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import new_id
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Find, Get, Query
from tablewright.design.tables import Table

main = Table(
    "collabhub-main",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("GSI2", "GSI2PK", "GSI2SK"),
        Index("GSI3", "entityType", "createdAt"),
        Index("GSI4", "email"),
    ],
    discriminator="entityType",
    billing=billing.OnDemand(),
    literal=True,
)


class User(Entity, table=main, type="USER"):
    user_id: str
    email: str
    role: Literal["FOUNDER", "TALENT", "INVESTOR", "ADMIN"]
    first_name: str
    last_name: str
    avatar_url: str | None = None
    bio: str | None = None
    skills: list[str] | None = None
    linkedin_url: str | None = None
    status: Literal["ACTIVE", "BANNED", "PENDING_VERIFICATION"]
    stripe_customer_id: str | None = None
    subscription_status: Literal["NONE", "ACTIVE", "CANCELLED", "PAST_DUE"]
    subscription_tier: Literal["FREE", "PRO", "ENTERPRISE"]
    entity_type: Literal["USER"] = "USER"
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("USER#{user_id}", "PROFILE"),
        GSI1=("ROLE#{role}", "USER#{user_id}"),
        GSI2=("STATUS#{status}", "USER#{user_id}"),
        GSI4="{email}",
    )


class Startup(Entity, table=main, type="STARTUP"):
    startup_id: str = new_id()
    founder_id: str
    name: str
    tagline: str
    description: str
    industry: str
    stage: Literal["IDEA", "MVP", "GROWTH", "SCALE"]
    funding_goal: Decimal | None = None
    funding_raised: Decimal | None = None
    logo_url: str | None = None
    website_url: str | None = None
    pitch_deck_url: str | None = None
    visibility: Literal["PUBLIC", "PRIVATE", "INVESTORS_ONLY"]
    status: Literal["DRAFT", "PENDING_REVIEW", "ACTIVE", "SUSPENDED"]
    team_size: int
    location: str
    tags: list[str]
    entity_type: Literal["STARTUP"] = "STARTUP"
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("STARTUP#{startup_id}", "METADATA"),
        GSI1=("FOUNDER#{founder_id}", "STARTUP#{startup_id}"),
        GSI2=("VISIBILITY#{visibility}#STATUS#{status}", "STARTUP#{startup_id}"),
    )


class StartupRole(Entity, table=main, type="STARTUP_ROLE"):
    role_id: str = new_id()
    startup_id: str
    title: str
    description: str
    type: Literal["FULL_TIME", "PART_TIME", "CONTRACT", "EQUITY_ONLY"]
    compensation: str | None = None
    equity_range: str | None = None
    skills: list[str]
    is_open: bool
    applicant_count: int
    entity_type: Literal["STARTUP_ROLE"] = "STARTUP_ROLE"
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("STARTUP#{startup_id}", "ROLE#{role_id}"),
        GSI1=("OPEN_ROLES", "{created_at}#{role_id}"),
    )


class Application(Entity, table=main, type="APPLICATION"):
    application_id: str = new_id()
    startup_id: str
    role_id: str
    applicant_id: str
    cover_letter: str
    resume_url: str | None = None
    status: Literal["PENDING", "REVIEWING", "SHORTLISTED", "ACCEPTED", "REJECTED", "WITHDRAWN"]
    founder_notes: str | None = None
    entity_type: Literal["APPLICATION"] = "APPLICATION"
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("APPLICATION#{application_id}", "METADATA"),
        GSI1=("APPLICANT#{applicant_id}", "APPLICATION#{application_id}"),
        GSI2=("STARTUP#{startup_id}#ROLE#{role_id}", "STATUS#{status}#{created_at}"),
    )


class AccessRequest(Entity, table=main, type="ACCESS_REQUEST"):
    access_id: str = new_id()
    requester_id: str
    startup_id: str
    founder_id: str
    message: str | None = None
    status: Literal["PENDING", "APPROVED", "REJECTED", "REVOKED"]
    access_level: Literal["VIEW_PROFILE", "VIEW_DECK", "FULL_ACCESS"]
    granted_at: str | None = None
    expires_at: str | None = None
    entity_type: Literal["ACCESS_REQUEST"] = "ACCESS_REQUEST"
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("ACCESS#{access_id}", "METADATA"),
        GSI1=("REQUESTER#{requester_id}", "ACCESS#{access_id}"),
        GSI2=("STARTUP#{startup_id}", "STATUS#{status}#{created_at}"),
    )


class Conversation(Entity, table=main, type="CONVERSATION"):
    conversation_id: str = new_id()
    participants: list[str]
    type: Literal["DIRECT", "GROUP", "STARTUP_CHANNEL"]
    related_startup_id: str | None = None
    related_application_id: str | None = None
    last_message_at: str
    last_message_preview: str
    entity_type: Literal["CONVERSATION"] = "CONVERSATION"
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("CONVERSATION#{conversation_id}", "METADATA"),
        GSI1=("PARTICIPANT#{user_id}", "CONVERSATION#{last_message_at}#{conversation_id}"),
    )


class Message(Entity, table=main, type="MESSAGE"):
    message_id: str = new_id()
    conversation_id: str
    sender_id: str
    content: str
    type: Literal["TEXT", "FILE", "SYSTEM"]
    file_url: str | None = None
    read_by: list[str]
    entity_type: Literal["MESSAGE"] = "MESSAGE"
    created_at: str

    keys = Keys(primary=("CONVERSATION#{conversation_id}", "MESSAGE#{message_id}"))


class Subscription(Entity, table=main, type="SUBSCRIPTION"):
    user_id: str
    stripe_customer_id: str
    stripe_subscription_id: str
    stripe_price_id: str
    tier: Literal["FREE", "PRO", "ENTERPRISE"]
    status: Literal["ACTIVE", "CANCELLED", "PAST_DUE", "TRIALING"]
    current_period_start: str
    current_period_end: str
    cancel_at_period_end: bool
    entity_type: Literal["SUBSCRIPTION"] = "SUBSCRIPTION"
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("USER#{user_id}", "SUBSCRIPTION"),
        GSI1=("STRIPE_CUSTOMER#{stripe_customer_id}", "SUBSCRIPTION"),
        GSI2=("SUBSCRIPTION_STATUS#{status}", "USER#{user_id}"),
    )


class AuditLog(Entity, table=main, type="AUDIT_LOG"):
    audit_id: str = new_id()
    user_id: str
    action: str
    resource_type: str
    resource_id: str
    ip_address: str
    user_agent: str
    metadata: dict[str, Any] | None = None
    entity_type: Literal["AUDIT_LOG"] = "AUDIT_LOG"
    created_at: str

    keys = Keys(
        primary=("AUDIT#{date}", "{timestamp}#{audit_id}"),
        GSI1=("USER#{user_id}", "AUDIT#{created_at}"),
    )


class Notification(Entity, table=main, type="NOTIFICATION"):
    notification_id: str = new_id()
    user_id: str
    type: Literal["APPLICATION_UPDATE", "ACCESS_REQUEST", "MESSAGE", "SYSTEM"]
    title: str
    body: str
    related_entity_type: str | None = None
    related_entity_id: str | None = None
    is_read: bool
    entity_type: Literal["NOTIFICATION"] = "NOTIFICATION"
    created_at: str

    keys = Keys(primary=("USER#{user_id}", "NOTIFICATION#{notification_id}"))


class UserById(Get[User]):
    """Get user by ID."""

    user_id: str
    key = "PK = USER#{user_id}, SK = PROFILE"


class UserByEmail(Find[User]):
    """Get user by email."""

    email: str
    key = "email = {email}"


class UsersByRole(Query[User]):
    """List users by role."""

    role: Literal["FOUNDER", "TALENT", "INVESTOR", "ADMIN"]
    key = "GSI1PK = ROLE#{role}"


class UsersByStatus(Query[User]):
    """List users by status."""

    status: Literal["ACTIVE", "BANNED", "PENDING_VERIFICATION"]
    key = "GSI2PK = STATUS#{status}"


class StartupById(Get[Startup]):
    """Get startup by ID."""

    startup_id: str
    key = "PK = STARTUP#{startup_id}, SK = METADATA"


class StartupsByFounder(Query[Startup]):
    """List startups by founder."""

    founder_id: str
    key = "GSI1PK = FOUNDER#{founder_id}"


class PublicStartups(Query[Startup]):
    """List public startups."""

    key = "GSI2PK = VISIBILITY#PUBLIC#STATUS#ACTIVE"


class RolesOfStartup(Query[StartupRole]):
    """List startup roles."""

    startup_id: str
    key = "PK = STARTUP#{startup_id}, SK begins_with ROLE#"


class OpenRoles(Query[StartupRole]):
    """List open roles."""

    key = "GSI1PK = OPEN_ROLES"


class ApplicationById(Get[Application]):
    """Get application by ID."""

    application_id: str
    key = "PK = APPLICATION#{application_id}"


class ApplicationsByUser(Query[Application]):
    """List applications by user."""

    user_id: str
    key = "GSI1PK = APPLICANT#{user_id}"


class ApplicationsForRole(Query[Application]):
    """List applications for role."""

    startup_id: str
    role_id: str
    key = "GSI2PK = STARTUP#{startup_id}#ROLE#{role_id}"


class AccessRequestById(Get[AccessRequest]):
    """Get access request."""

    access_id: str
    key = "PK = ACCESS#{access_id}"


class AccessByInvestor(Query[AccessRequest]):
    """List access by investor."""

    requester_id: str
    key = "GSI1PK = REQUESTER#{requester_id}"


class AccessForStartup(Query[AccessRequest]):
    """List access for startup."""

    startup_id: str
    key = "GSI2PK = STARTUP#{startup_id}"


class ConversationById(Get[Conversation]):
    """Get conversation."""

    conversation_id: str
    key = "PK = CONVERSATION#{conversation_id}"


class ConversationsOfUser(Query[Conversation]):
    """List user conversations."""

    user_id: str
    key = "GSI1PK = PARTICIPANT#{user_id}"


class Messages(Query[Message]):
    """List messages."""

    conversation_id: str
    key = "PK = CONVERSATION#{conversation_id}, SK begins_with MESSAGE#"


class SubscriptionOfUser(Get[Subscription]):
    """Get subscription."""

    user_id: str
    key = "PK = USER#{user_id}, SK = SUBSCRIPTION"


class SubscriptionByCustomer(Find[Subscription]):
    """Find by Stripe customer."""

    customer_id: str
    key = "GSI1PK = STRIPE_CUSTOMER#{customer_id}"


class AuditByDate(Query[AuditLog]):
    """List audit logs by date."""

    date: str
    key = "PK = AUDIT#{date}"


class AuditByUser(Query[AuditLog]):
    """List audit logs by user."""

    user_id: str
    key = "GSI1PK = USER#{user_id}"


class Notifications(Query[Notification]):
    """List notifications."""

    user_id: str
    key = "PK = USER#{user_id}, SK begins_with NOTIFICATION#"
