"""Requests of investors for access, and the grants that result from them."""

from enum import StrEnum
from typing import Annotated, ClassVar

from tablewright import Entity, Get, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.service import Timestamped


class AccessStatus(StrEnum):
    """The status of a request."""

    PENDING = "PENDING"
    APPROVED = "APPROVED"
    REJECTED = "REJECTED"
    REVOKED = "REVOKED"


class AccessLevel(StrEnum):
    """What an investor may see; each level includes those before it."""

    VIEW_PROFILE = "VIEW_PROFILE"
    VIEW_DECK = "VIEW_DECK"
    FULL_ACCESS = "FULL_ACCESS"

    def reaches(self, other: "AccessLevel") -> bool:
        """Whether this level includes the other.

        >>> AccessLevel.FULL_ACCESS.reaches(AccessLevel.VIEW_DECK)
        True
        """
        levels = list(AccessLevel)
        return levels.index(self) >= levels.index(other)


class AccessRequest(
    Timestamped,
    table=main,
    type="ACCESS_REQUEST",
    expect=fields.Expect(items=200_000, size=600, writes=fields.PerSecond(10)),
):
    """An investor's request for access to a startup; kept as history, so it has no TTL (R18)."""

    suppress: ClassVar = {
        "TW104": "access without an end is not swept",
        "TW205": "the request is history; the grant expires, and a sweep updates the request",
    }

    access_id: str = fields.new_id()
    requester_id: str
    startup_id: str
    founder_id: str
    message: str | None = None
    status: AccessStatus = AccessStatus.PENDING
    access_level: AccessLevel
    granted_at: fields.Timestamp | None = None
    expires_at: fields.Timestamp | None = None

    keys = Keys(
        primary=("ACCESS#{access_id}", "METADATA"),
        GSI1=("REQUESTER#{requester_id}", "ACCESS#{access_id}"),
        GSI2=("STARTUP#{startup_id}", "STATUS#{status}#{created_at}#{access_id}"),
        GSI3=("ACCESS_REQUEST#{created_at:%Y-%m}", "{created_at}#{access_id}"),
        GSI5=Sparse("DUE#ACCESS", "{expires_at}#{access_id}", when={"status": AccessStatus.APPROVED}),
    )


class AccessGrant(Entity, table=main, type="ACCESS_GRANT"):
    """The open or approved request of an investor at a startup: at most one (R15). Approved, it is the grant (R19).

    It is read consistently, and expires by TTL; after its end it counts as deleted, swept or not.
    """

    suppress: ClassVar = {"TW205": "ttl is the same time in seconds"}

    startup_id: str
    investor_id: str
    access_id: str
    access_level: AccessLevel | None = None
    """None until the founder has approved it."""
    expires_at: fields.Timestamp | None = None
    ttl: Annotated[int | None, fields.Ttl()] = None
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("STARTUP#{startup_id}", "GRANT#{investor_id}"))


class AccessRequestById(Get[AccessRequest]):
    """Get access request (A13)."""

    access_id: str
    key = "PK = ACCESS#{access_id}, SK = METADATA"
    consistent = True


class AccessByInvestor(Query[AccessRequest]):
    """List access by investor (A14), newest first."""

    requester_id: str
    key = "GSI1PK = REQUESTER#{requester_id}"
    descending = True


class AccessForStartup(Query[AccessRequest]):
    """List access for startup (A15), grouped by the names of the statuses (R12)."""

    startup_id: str
    key = "GSI2PK = STARTUP#{startup_id}"


class AccessForStartupByStatus(Query[AccessRequest]):
    """List access for startup by status (A27), oldest first."""

    startup_id: str
    status: AccessStatus
    key = "GSI2PK = STARTUP#{startup_id}, begins_with(GSI2SK, STATUS#{status}#)"


class GrantOf(Get[AccessGrant]):
    """Get the grant of an investor for a startup."""

    startup_id: str
    investor_id: str
    consistent = True


class AccessDue(Query[AccessRequest]):
    """List approved access that has ended by a time, the earliest first; ended requests leave the list."""

    until: fields.Timestamp
    key = "GSI5PK = DUE#ACCESS AND GSI5SK <= {until}#~"
