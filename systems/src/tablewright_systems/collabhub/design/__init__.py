"""CollabHub's design, in the order of its document: `design.User`, `design.UserById`, `design.design`.

Numbers in brackets are those of REQUIREMENTS.md. Stored names are camelCase, as in
the document: `user_id` is `userId`. Every item has an `entityType`.
"""

# ruff: noqa: F403, F405
from tablewright import Design
from tablewright_systems.collabhub.design.access import *
from tablewright_systems.collabhub.design.audit import *
from tablewright_systems.collabhub.design.conversations import *
from tablewright_systems.collabhub.design.notifications import *
from tablewright_systems.collabhub.design.startups import *
from tablewright_systems.collabhub.design.users import *

design = Design(
    "collabhub",
    migrations="tablewright_systems.collabhub.migrations",
    entities=[
        User,
        Startup,
        StartupRole,
        Application,
        AccessRequest,
        Conversation,
        Message,
        Subscription,
        AuditLog,
        Notification,
        # Added: entities that the document's flows need.
        *(TeamMember, ApplicationClaim, AccessGrant, Participant, SentMessage, DirectLink, MessageNotice),
        StripeEvent,
    ],
    patterns=[
        # A1 to A23.
        *(UserById, UserByEmail, UsersByRole, UsersByStatus),
        *(StartupById, StartupsByFounder, PublicStartups, RolesOfStartup, OpenRoles),
        *(ApplicationById, ApplicationsByUser, ApplicationsForRole),
        *(AccessRequestById, AccessByInvestor, AccessForStartup),
        *(ConversationById, ConversationsOfUser, Messages),
        *(SubscriptionOfUser, SubscriptionByCustomer),
        *(AuditByDate, AuditByUser, Notifications),
        # A24 to A34.
        *(CreatedBetween, StartupsByVisibility, ApplicationsForRoleByStatus, AccessForStartupByStatus),
        *(SubscriptionsByStatus, OpenRolesBetween, AuditByUserBetween, RoleById, StartupWithRoles),
        *(AuditByDateBetween, UserBundle),
        # Patterns that the flows need.
        *(GrantOf, ApplicationClaimOf, DirectLinkOf, UnreadNotifications, NotificationById, UnreadMessages),
        *(MessageById, ParticipantOf, ParticipantsOf, SentUnder, UsersById, TalentsWithSkill),
        *(PublicStartupsIn, TeamOf, MemberOf, AccessDue, SubscriptionsDue, MessageNotices),
    ],
)
