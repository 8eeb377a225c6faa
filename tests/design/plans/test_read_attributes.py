"""Read attributes: what a pattern needs of an item, and what its index lacks."""

from typing import Annotated

from tablewright import Copy, Entity, Get, Index, Keys, Query, Table, fields
from tablewright.design.plans.plans import (
    lacking_attributes,
    needed_attributes,
    projected_attributes,
    returned_fields,
)

main = Table(
    "main",
    key=("PK", "SK"),
    ttl="expiresAt",
    indexes=[Index("by-city", "city", projection=["name"]), Index("by-name", "PK", "name", local=True)],
    literal=True,
)


class Guest(Entity, table=main, type="GUEST"):
    guest_id: str
    city: str
    name: str
    tenant: str
    passport: Annotated[str, fields.Encrypted(context=("tenant",))]
    expires_at: Annotated[int, fields.Ttl()]
    keys = Keys(primary=("GUEST#{guest_id}", "GUEST"))
    twin = Copy(primary=("TWIN#{guest_id}", "GUEST"))


class GuestById(Get[Guest]):
    guest_id: str


class NamesOfCity(Query[Guest]):
    city: str
    key = "city = {city}"
    fields = ("name",)


class Passport(Get[Guest]):
    guest_id: str
    fields = ("passport",)


class NamesOfGuest(Query[Guest]):
    guest_id: str
    key = "PK = GUEST#{guest_id}"
    index = "by-name"
    fields = ("tenant",)


def test_returned_fields_are_those_of_the_pattern_or_all() -> None:
    assert [field.name for field in returned_fields(NamesOfCity.__plan__, Guest.layout)] == ["name"]
    assert len(returned_fields(GuestById.__plan__, Guest.layout)) == len(Guest.layout.fields)


def test_an_encrypted_field_needs_its_context() -> None:
    assert needed_attributes(Passport.__plan__, Guest.layout) == ("passport", "tenant", "type", "expiresAt")


def test_a_read_of_the_table_requests_the_marks_of_items() -> None:
    assert projected_attributes(Passport.__plan__) == (
        *("passport", "tenant", "type", "expiresAt"),
        *("PK", "SK", "_of", "_kept"),
    )


def test_a_read_of_an_index_requests_no_mark_that_the_index_lacks() -> None:
    assert projected_attributes(NamesOfCity.__plan__) == ("name", "type", "expiresAt", "PK", "SK", "city")
    assert lacking_attributes(NamesOfCity.__plan__, Guest.layout) == ["type", "expiresAt"]


def test_a_local_index_is_completed_from_the_table() -> None:
    assert lacking_attributes(NamesOfGuest.__plan__, Guest.layout) == []
    assert lacking_attributes(GuestById.__plan__, Guest.layout) == []
