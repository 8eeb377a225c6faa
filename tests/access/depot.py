"""A design whose entities have lists, sets, maps and nested models: in keys, in copies, as secrets, and plain."""

from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Sparse, Table, fields

main = Table(
    "depot-{env}",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", "GSI2SK")],
    ttl="expiresAt",
)


class Address(BaseModel):
    """Stored under camelCase names."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    city: str
    zip_code: str | None = None
    visits: int = 5
    floor: int | None = 0
    lines: list[str] = Field(default_factory=list)
    labels: set[str] = Field(default_factory=set)
    short: Annotated[str, Field(max_length=3)] = "abc"


class Span(BaseModel):
    """A model with a validator."""

    low: int = 0
    high: int = 10

    @model_validator(mode="after")
    def _ordered(self) -> "Span":
        if self.low > self.high:
            raise ValueError("low is above high")
        return self


class Box(Entity, table=main, type="BOX"):
    """No dependents and no index keys: most changes take one call."""

    box_id: str
    name: str = "box"
    note: str | None = None
    weight: int = 7
    price: Decimal = Decimal(0)
    ratio: float = 0.0
    best: int | None = None
    seats: Annotated[int, Field(le=10)] = 0
    history: list[str] = Field(default_factory=list)
    recent: Annotated[list[str], Field(max_length=3)] = Field(default_factory=list)
    queue: list[int] | None = None
    tags: set[str] = Field(default_factory=set)
    codes: frozenset[int] | None = None
    address: Address | None = None
    home: Address = Field(default_factory=lambda: Address(city="Bonn"))
    addresses: dict[str, Address] = Field(default_factory=dict)
    groups: dict[str, set[str]] = Field(default_factory=dict)
    scores: dict[str, int] = Field(default_factory=dict)
    stops: list[Address] = Field(default_factory=list)
    span: Span = Field(default_factory=Span)
    taken: Annotated[int, fields.Counter()] = 0
    updated_at: fields.Timestamp = fields.touched()
    keys = Keys(primary=("BOX#{box_id}", "BOX"))


class Crate(Entity, table=main, type="CRATE"):
    """Everything depends on its lists, sets and numbers: index keys, copies, locks and the expiry."""

    crate_id: str
    owners: list[str] = Field(default_factory=list)
    tags: set[str] = Field(default_factory=set)
    notes: dict[str, str] = Field(default_factory=dict)
    level: int = 1
    ratio: float = 0.0
    code: Annotated[str | None, fields.Unique()] = None
    seen: int = 4_000_000_000
    version: Annotated[int, fields.Version()] = 0
    expires_at: Annotated[int | None, fields.Ttl(after=timedelta(seconds=100), of="seen")] = None

    keys = Keys(
        primary=("CRATE#{crate_id}", "CRATE"),
        GSI1=Sparse("TAGGED", "{crate_id}", when="tags"),
        GSI2=("LEVEL", "{level:04}#{crate_id}"),
    )
    owned = Copy(each="owners", name="owner", primary=("OWNER#{owner}", "CRATE#{crate_id}"))


class Safe(Entity, table=main, type="SAFE"):
    """Secrets."""

    safe_id: str
    words: Annotated[list[str], fields.Encrypted()] = Field(default_factory=list)
    rooms: Annotated[dict[str, str], fields.Encrypted()] = Field(default_factory=dict)
    pin: Annotated[int, fields.Encrypted()] = 0
    token: Annotated[str | None, fields.Hashed()] = None
    visits: int = 0
    keys = Keys(primary=("SAFE#{safe_id}", "SAFE"), GSI1=("TOKEN#{token}", "{safe_id}"))


class BoxById(Get[Box]):
    box_id: str


class CrateById(Get[Crate]):
    crate_id: str


class SafeById(Get[Safe]):
    safe_id: str


class Tagged(Query[Crate]):
    key = "GSI1PK = TAGGED"


class Leveled(Query[Crate]):
    key = "GSI2PK = LEVEL"


class OwnedBy(Query[Crate]):
    owner: str
    key = "PK = OWNER#{owner}"


design = Design(
    "depot",
    entities=[Box, Crate, Safe],
    patterns=[BoxById, CrateById, SafeById, Tagged, Leveled, OwnedBy],
)
