"""A small design with every feature that documentation shows: sparse indexes, copies, TTL, filters, projections."""

from datetime import date, timedelta
from enum import StrEnum
from typing import Annotated

from tablewright import BatchGet, Copy, Design, Entity, Get, Index, Keys, Query, Scan, Sparse, Table, fields

main = Table(
    "library-{env}",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("GSI2", "GSI2PK", "GSI2SK", projection=["title", "dueOn", "type", "expiresAt"]),
    ],
    ttl="expiresAt",
)


class Status(StrEnum):
    AVAILABLE = "available"
    LENT = "lent"


class Member(Entity, table=main, type="MEMBER", expect=fields.Expect(size=400)):
    """A member of the library."""

    member_id: str = fields.new_id()
    email: Annotated[str, fields.Unique()]
    name: str
    blocked: bool = False
    created_at: fields.Timestamp = fields.now()
    keys = Keys(
        primary=("MEMBER#{member_id}", "PROFILE"),
        GSI1=Sparse("BLOCKED", "{created_at}#{member_id}", when="blocked"),
    )


class Book(Entity, table=main, type="BOOK"):
    """A book, found by each of its topics while it is available."""

    book_id: str = fields.new_id()
    title: str
    status: Status = Status.AVAILABLE
    topics: list[str]
    keys = Keys(primary=("BOOK#{book_id}", "BOOK"))
    by_topic = Copy(
        each="topics",
        name="topic",
        primary=("BOOK#{book_id}", "TOPIC#{topic}"),
        GSI1=Sparse("TOPIC#{topic}", "{title}", when={"status": Status.AVAILABLE}),
    )


class Loan(Entity, table=main, type="LOAN"):
    """A loan of a book to a member."""

    member_id: str
    book_id: str
    title: str
    due_on: date
    returned_on: date | None = None
    created_at: fields.Timestamp = fields.now()
    expires_at: Annotated[int | None, fields.Ttl(after=timedelta(days=400), of="created_at")] = None
    keys = Keys(
        primary=("MEMBER#{member_id}", "LOAN#{created_at}#{book_id}"),
        GSI2=Sparse("DUE#{due_on:%Y-%m}", "{due_on}#{book_id}", when={"returned_on": None}),
    )


class MemberById(Get[Member]):
    """Get a member."""

    member_id: str
    consistent = True


class MembersById(BatchGet[Member]):
    """Get several members."""

    member_id: list[str]


class LoansOfMember(Query[Loan]):
    """List the loans of a member, newest first."""

    member_id: str
    key = "PK = MEMBER#{member_id} AND begins_with(SK, LOAN#)"
    descending = True
    expected_items = 20


class LoansDue(Query[Loan]):
    """List open loans that are due in a month."""

    month: date
    last: date
    key = "GSI2PK = DUE#{month:%Y-%m} AND GSI2SK <= {last}#~"
    fields = ("title", "due_on")


class BlockedMembers(Query[Member]):
    """List blocked members."""

    key = "GSI1PK = BLOCKED"


class BooksOnTopic(Query[Book]):
    """List available books on a topic, with a word in the title."""

    topic: str
    status: Status = Status.AVAILABLE
    key = "GSI1PK = TOPIC#{topic}"
    filter = "status = {status}"


class AllBooks(Scan[Book]):
    """List all books."""


design = Design(
    "library",
    entities=[Member, Book, Loan],
    patterns=[MemberById, MembersById, LoansOfMember, LoansDue, BlockedMembers, BooksOnTopic, AllBooks],
    suppress={"TW303": "the catalogue is read once a day"},
)
