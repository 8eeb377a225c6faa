"""Conditions as a user writes them. mypy and pyright check them (see tests/typing); they are never run."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, assert_type

from pydantic import BaseModel

from tablewright import Entity, Table, fields
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.entity_attributes import AttributeSize


class Status(StrEnum):
    OPEN = "open"


class Address(BaseModel):
    city: str
    floor: int | None = None


class User(Entity, table=Table("users", key="userId")):
    user_id: str
    name: str
    nick_name: str | None = None
    status: Status
    visits: int
    seen_at: datetime
    photo: bytes
    tags: set[str]
    marks: list[int]
    address: Address | None = None
    addresses: dict[str, Address]
    history: list[Address]


def needs(condition: Condition | bool | None) -> None:
    """Accept what `when=` accepts."""


def right() -> None:
    assert_type(fields.of(User.name), fields.Attribute[str])
    assert_type(fields.of(User.nick_name), fields.Attribute[str])
    assert_type(fields.of(User.marks)[0], fields.Attribute[int])
    assert_type(fields.of(User.addresses)["home"], fields.Attribute[Address])
    assert_type(fields.of(User.addresses["home"].city), fields.Attribute[str])
    assert_type(fields.of(User.history[0].floor), fields.Attribute[int])
    assert_type(fields.of(fields.present(User.address).city), fields.Attribute[str])
    assert_type(fields.of(User.name).size(), AttributeSize)
    assert_type(fields.of(User.address)["size"], fields.Attribute[Any])
    needs(fields.of(User.name) == "x")
    needs(fields.of(User.name) == fields.of(User.nick_name))
    needs(fields.of(User.nick_name).is_absent())
    needs(fields.of(User.name).one_of("a", "b"))
    needs(fields.of(User.visits).between(1, 3))
    needs(fields.of(User.visits) > 3)
    needs(fields.of(User.visits) > fields.of(User.name).size())
    needs(fields.of(User.name).size() > fields.of(User.visits))
    needs(fields.of(User.visits) > fields.parameter("least"))
    needs(fields.of(User.seen_at) <= datetime(2026, 1, 1, tzinfo=UTC))
    needs(fields.of(User.name).begins_with("A"))
    needs(fields.of(User.status) == Status.OPEN)
    needs(fields.of(User.name).contains("x"))
    needs(fields.of(User.tags).contains("x"))
    needs(fields.of(User.marks).contains(3))
    needs(fields.of(User.photo).contains(b"x"))
    needs(fields.of(User.history).contains(Address(city="x")))
    needs(fields.of(User.history).size().between(1, 3))
    needs((fields.of(User.visits) > 3) & ~fields.of(User.address).exists())
    needs((User.name == "x") & fields.of(User.address).exists() & (User.visits > 3))
    needs(fields.of(User.address).exists() | (User.name == "x"))


def wrong() -> None:
    _ = (fields.of(User.name) == 3) & fields.of(User.address).exists()  # type: ignore[operator]
    needs(fields.of(User.name) == 3)  # type: ignore[arg-type]
    needs(fields.of(User.visits) == fields.of(User.name))  # type: ignore[arg-type]
    needs(fields.of(User.visits) > "x")  # type: ignore[operator]
    fields.of(User.visits).between(1, "x")  # type: ignore[arg-type]
    fields.of(User.name).one_of("a", 3)  # type: ignore[arg-type]
    fields.of(User.visits).begins_with("x")  # type: ignore[misc]
    fields.of(User.name).begins_with(3)  # type: ignore[arg-type]
    fields.of(User.tags).contains(3)  # type: ignore[arg-type]
    fields.of(User.marks).contains("x")  # type: ignore[arg-type]
    fields.of(User.visits).contains("x")  # type: ignore[misc]
    fields.of(User.visits).contains(3)  # type: ignore[call-overload, misc]
    needs(fields.of(User.name).size() > "x")  # type: ignore[operator]
    fields.of(User.name).size().one_of("x")  # type: ignore[arg-type]
    fields.of(fields.present(User.address).town)  # type: ignore[attr-defined]
    fields.of(User.addresses["home"].town)  # type: ignore[attr-defined]
    fields.of(User.history["x"])  # type: ignore[call-overload]
    _ = fields.of(User.name).nothing  # type: ignore[attr-defined]
    needs(fields.of(User.name))  # type: ignore[arg-type]
    needs(fields.of(User.name).size())  # type: ignore[arg-type]
