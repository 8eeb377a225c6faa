"""The design of the type checking tests, as a user writes it: every marker, default and kind of pattern."""

from datetime import date, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, BaseModel, Field

from tablewright import (
    BatchGet,
    Copy,
    Design,
    Entity,
    Find,
    Get,
    Index,
    Keys,
    Nearest,
    Query,
    Scan,
    Sparse,
    Table,
    VectorIndex,
    billing,
    fields,
    migrations,
)

main = Table(
    "library-{env}",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("by-email", "email", projection="ALL")],
    ttl="expiresAt",
    stream="NEW_AND_OLD_IMAGES",
    billing=billing.OnDemand(),
    vector_indexes=[VectorIndex("by-taste", "taste", 3, filters="role")],
)


class Role(StrEnum):
    READER = "READER"
    LIBRARIAN = "LIBRARIAN"


class Address(BaseModel):
    street: str
    city: str = "London"


class Person(Entity):
    """An abstract base."""

    user_id: str = fields.new_id()
    name: str
    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()


class User(
    Person,
    table=main,
    type="USER",
    schema_version=1,
    expect=fields.Expect(items=1000, size=400, writes=fields.PerSecond(2)),
):
    email: Annotated[str, fields.Unique(), AfterValidator(fields.fold)]
    password: Annotated[str, fields.Hashed()]
    token: Annotated[str | None, fields.Encrypted(context=("user_id",))] = None
    role: Role = Role.READER
    active: bool = True
    visits: Annotated[int, fields.Counter()] = 0
    balance: Decimal = Decimal(0)
    nickname: str | None = None
    taste: Annotated[list[float] | None, fields.Vector(3)] = None
    seen: int = 0
    due: date | None = None
    tags: set[str] = Field(default_factory=set, max_length=10)
    history: list[str] = Field(default_factory=list, max_length=50)
    settings: dict[str, str] = Field(default_factory=dict)
    address: Address | None = None
    version: Annotated[int, fields.Version()] = 0

    keys = Keys(
        primary=("USER#{user_id}", "PROFILE"),
        GSI1=Sparse("ROLE#{role}", "USER#{user_id}", when="active"),
        indexes={"by-email": "{email}"},
    )


class Loan(Entity, table=main, type="LOAN"):
    user_id: Annotated[str, fields.OwnedBy(User)]
    loan_id: str = fields.new_id()
    title: str
    due: int = Field(ge=0)
    borrowers: list[str] = Field(default_factory=list)
    created_at: fields.Timestamp = fields.now()
    expires_at: Annotated[int | None, fields.Ttl(after=timedelta(days=90), of="created_at")] = None

    keys = Keys(primary=("USER#{user_id}", "LOAN#{loan_id}"))
    per_borrower = Copy(
        each="borrowers",
        name="borrower",
        primary=("BORROWER#{borrower}", "LOAN#{loan_id}"),
        fields=("title", "due"),
    )


class Note(Entity, table=main, type="NOTE", frozen=True):
    """Without copies and unique values, so that a batch can write it."""

    note_id: str
    text: Annotated[str, Field(alias="body")] = ""
    author: Annotated[str | None, fields.References("User", field="email")] = None
    loan_id: Annotated[str | None, fields.References(Loan, within={"user_id": "author"})] = None

    keys = Keys(primary=("NOTE#{note_id}", "NOTE"))


class UserById(Get[User]):
    user_id: str


class NoteById(Get[Note]):
    note_id: str


class UserByEmail(Find[User]):
    email: str
    index = "by-email"


class LoansOf(Query[Loan]):
    """The loans of a user."""

    user_id: str
    key = "PK = USER#{user_id} AND SK begins_with LOAN#"
    descending = True
    page_size = 20
    rate = fields.PerSecond(5)


class UserWithLoans(Query[User | Loan]):
    user_id: str
    key = "PK = USER#{user_id}"


class UsersByRole(Query[User]):
    role: Role
    visits: int = 0
    key = "GSI1PK = ROLE#{role}"
    filter = User.visits >= fields.parameter("visits")


class SameTaste(Nearest[User]):
    taste: list[float]
    role: Role | None = None
    limit = 5


class ManyUsers(BatchGet[User]):
    user_id: list[str]


class Everything(Scan[User | Loan]):
    suppress: ClassVar = {"TW303": "the administrator exports everything"}


def in_capitals(item: dict[str, Any]) -> dict[str, Any] | None:
    return item | {"title": item["title"].upper()}


design = Design(
    "library",
    entities=[User, Loan, Note],
    patterns=[
        UserById,
        NoteById,
        UserByEmail,
        LoansOf,
        UserWithLoans,
        UsersByRole,
        SameTaste,
        ManyUsers,
        Everything,
    ],
    migrations=[migrations.Migration("2026-10-capitals", Loan, up=in_capitals)],
)
