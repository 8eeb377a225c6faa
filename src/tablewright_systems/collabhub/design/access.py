"""5. ACCESS_REQUEST (135-158), and the grants that come of them."""

from enum import StrEnum
from typing import Annotated, ClassVar

from tablewright import Entity, Get, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.tables import Text, main


class AccessStatus(StrEnum):
    """What became of a request (146)."""

    PENDING = "PENDING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    REVOKED = "REVOKED"


class AccessLevel(StrEnum):
    """How much an investor may see (147); each level has what those before it have."""

    VIEW_PROFILE = "VIEW_PROFILE"
    VIEW_DECK = "VIEW_DECK"
    FULL_ACCESS = "FULL_ACCESS"

    def reaches(self, other: "AccessLevel") -> bool:
        """Whether it allows what the other does.

        >>> AccessLevel.FULL_ACCESS.reaches(AccessLevel.VIEW_DECK)
        True
        """
        levels = list(AccessLevel)
        return levels.index(self) >= levels.index(other)


class AccessRequest(
    Entity,
    table=main,
    type="ACCESS_REQUEST",
    expect=fields.Expect(items=200_000, size=600, writes=fields.PerSecond(10)),
):
    """An investor who would like to see more of a startup; kept as history, so it has no TTL (T18)."""

    suppress: ClassVar = {
        "TW104": "what has no end is not swept",
        "TW205": "the request is history; the grant expires, and a sweep says so here",
    }

    access_id: str = fields.new_id()
    requester_id: str
    startup_id: str
    founder_id: str
    message: Text | None = None
    status: AccessStatus = AccessStatus.PENDING
    access_level: AccessLevel
    granted_at: fields.Timestamp | None = None
    expires_at: fields.Timestamp | None = None
    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()

    keys = Keys(
        primary=("ACCESS#{access_id}", "METADATA"),
        GSI1=("REQUESTER#{requester_id}", "ACCESS#{access_id}"),
        GSI2=("STARTUP#{startup_id}", "STATUS#{status}#{created_at}#{access_id}"),
        GSI3=("ACCESS_REQUEST#{created_at:%Y-%m}", "{created_at}#{access_id}"),
        GSI5=Sparse(
            "DUE#ACCESS#{expires_at:%Y-%m-%d}",
            "{expires_at}#{access_id}",
            when={"status": AccessStatus.APPROVED},
        ),
    )


class AccessGrant(Entity, table=main, type="ACCESS_GRANT"):
    """The live request of an investor at a startup: one at most (T15), and once approved the grant itself (T19).

    It is read consistently, and expires by TTL; what has expired counts as gone, swept or not.
    """

    suppress: ClassVar = {"TW205": "ttl has the same moment in seconds"}

    startup_id: str
    investor_id: str
    access_id: str
    access_level: AccessLevel | None = None
    """None while nobody has approved it."""
    expires_at: fields.Timestamp | None = None
    ttl: Annotated[int | None, fields.Ttl()] = None
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("STARTUP#{startup_id}", "GRANT#{investor_id}"))


class AccessRequestById(Get[AccessRequest]):
    """Get access request (282)."""

    access_id: str
    key = "PK = ACCESS#{access_id}, SK = METADATA"
    consistent = True


class AccessByInvestor(Query[AccessRequest]):
    """List access by investor (283), the newest first."""

    requester_id: str
    key = "GSI1PK = REQUESTER#{requester_id}"
    newest_first = True


class AccessForStartup(Query[AccessRequest]):
    """List access for startup (284), grouped by the names of their statuses (T12)."""

    startup_id: str
    key = "GSI2PK = STARTUP#{startup_id}"


class AccessForStartupByStatus(Query[AccessRequest]):
    """List access for startup by status (157), the oldest first."""

    startup_id: str
    status: AccessStatus
    key = "GSI2PK = STARTUP#{startup_id}, begins_with(GSI2SK, STATUS#{status}#)"


class GrantOf(Get[AccessGrant]):
    """Has an investor access to a startup now?"""

    startup_id: str
    investor_id: str
    consistent = True


class AccessDue(Query[AccessRequest]):
    """List approved access that ends on a day, up to a moment."""

    day: fields.Timestamp
    until: fields.Timestamp
    key = "GSI5PK = DUE#ACCESS#{day:%Y-%m-%d} AND GSI5SK <= {until}#~"
