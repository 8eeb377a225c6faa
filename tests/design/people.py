"""An entity with every kind of field, for the tests of conditions and filters."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from tablewright import Entity, Keys, Table, fields

main = Table("people", key=("PK", "SK"))


class Status(Enum):
    OPEN = "open"
    CLOSED = "closed"


class Address(BaseModel):
    city: str
    zip_code: str = Field(default="", alias="zipCode")
    floor: int | None = None
    size: int = 0
    model_config = {"populate_by_name": True}


class Marks(TypedDict):
    maths: int


class PersonFields(Entity):
    """Every kind of field but secrets."""

    person_id: str
    name: str = ""
    nick_name: str | None = None
    status: Status = Status.OPEN
    visits: int = 0
    balance: Decimal = Decimal(0)
    active: bool = True
    born: date | None = None
    seen_at: fields.Timestamp = datetime(2026, 1, 1, tzinfo=UTC)
    photo: bytes = b""
    tags: set[str] = Field(default_factory=set)
    numbers: list[int] = Field(default_factory=list)
    address: Address | None = None
    home: Address = Field(default_factory=lambda: Address(city="Berlin"))
    addresses: dict[str, Address] = Field(default_factory=dict)
    history: list[Address] = Field(default_factory=list)
    marks: Marks | None = None
    anything: Any = None


class Person(PersonFields, table=main, type="PERSON"):
    token: Annotated[str, fields.Hashed()] = ""
    diary: Annotated[str | None, fields.Encrypted()] = None
    papers: Annotated[Address | None, fields.Encrypted()] = None
    keys = Keys(primary=("PERSON#{person_id}", "PERSON"))


class Citizen(PersonFields, table=main, type="CITIZEN"):
    """A person without secrets, to be stored without keys."""

    keys = Keys(primary=("CITIZEN#{person_id}", "CITIZEN"))


class Pet(Entity, table=main, type="PET"):
    person_id: str
    name: str
    keys = Keys(primary=("PERSON#{person_id}", "PET#{name}"))


NAMES = {
    "Person": Person,
    "Pet": Pet,
    "Status": Status,
    "Address": Address,
    "Decimal": Decimal,
    "date": date,
    "datetime": datetime,
    "UTC": UTC,
    "fields": fields,
}
"""What the conditions in golden cases use."""
