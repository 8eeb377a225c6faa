"""Changes as a user writes them. mypy and pyright check them (see tests/typing); they are never run."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import assert_type

from pydantic import BaseModel

from tablewright import Design, Entity, Table, connect, fields, writes
from tablewright.design.fields.field_changes import Change


class Address(BaseModel):
    city: str
    visits: int = 0
    lines: list[str]


class User(Entity, table=Table("users", key="userId")):
    user_id: str
    name: str
    nick_name: str | None = None
    visits: int = 0
    ratio: float = 0.0
    price: Decimal = Decimal(0)
    is_open: bool = False
    seen_at: datetime
    tags: set[str]
    codes: frozenset[int] | None = None
    history: list[str]
    address: Address | None = None
    addresses: dict[str, Address]


def right(user: User) -> None:
    db = connect(Design("sample"))
    assert_type(fields.of(User.name).set("x"), Change)
    assert_type(db.update(user, fields.of(User.name).set("x"), fields.of(User.visits).add(1)), User)
    assert_type(db.upsert(user, fields.of(User.history).append("x"), when=User.name == "x"), User)
    assert_type(db.add(user, fields.of(User.visits).add(1)), User)
    assert_type(user.changed(fields.of(User.name).set("x"), visits=1), User)
    db.update(
        user,
        fields.of(User.nick_name).set(None),
        fields.of(User.name).set_if_absent("x"),
        fields.of(User.ratio).add(1),
        fields.of(User.price).add(1),
        fields.of(User.tags).add("x", "y"),
        fields.of(User.codes).add(1),
        fields.of(User.codes).discard(1, 2),
        fields.of(User.history).prepend("x"),
        fields.of(User.history[0]).remove(),
        fields.of(User.seen_at).raise_to(datetime.now(UTC)),
        fields.of(User.visits).lower_to(3),
        fields.of(fields.present(User.address).city).set("x"),
        fields.of(User.addresses["home"]).set(Address(city="x", lines=[])),
        fields.of(User.addresses["home"].lines).append("x"),
        set={"is_open": True},
    )
    writes.Update(user, fields.of(User.tags).discard("x"), version=3)
    writes.Upsert(user, fields.of(User.visits).add(1))
    writes.Add(user, fields.of(User.visits).add(1), price=2)


def wrong(user: User) -> None:
    db = connect(Design("sample"))
    fields.of(User.name).set(3)  # type: ignore[arg-type]
    fields.of(User.name).set_if_absent(3)  # type: ignore[arg-type]
    fields.of(User.nick_name).set_if_absent(None)  # type: ignore[arg-type]
    fields.of(User.name).add(1)  # type: ignore[misc]
    fields.of(User.is_open).add(1)  # type: ignore[misc]
    fields.of(User.visits).add(0.5)  # type: ignore[arg-type]
    fields.of(User.visits).add("x")  # type: ignore[arg-type]
    fields.of(User.visits).add(1, 2)  # type: ignore[call-arg]
    fields.of(User.tags).add(1)  # type: ignore[arg-type]
    fields.of(User.tags).append("x")  # type: ignore[arg-type, misc]
    fields.of(User.tags).discard(1)  # type: ignore[arg-type]
    fields.of(User.history).discard("x")  # type: ignore[call-overload, misc]
    fields.of(User.history).append(1)  # type: ignore[arg-type]
    fields.of(User.name).prepend("x")  # type: ignore[arg-type, misc]
    fields.of(User.visits).raise_to("x")  # type: ignore[arg-type]
    fields.of(User.tags).raise_to({"x"})  # type: ignore[call-overload, misc]
    fields.of(User.addresses["home"].city).set(3)  # type: ignore[arg-type]
    fields.of(User.addresses["home"]).set("x")  # type: ignore[arg-type]
    fields.of(User.address.city).set("x")  # type: ignore[union-attr]
    fields.of(User.addresses["home"].town).set("x")  # type: ignore[attr-defined]
    db.update(user, {"name": "x"})  # type: ignore[arg-type]
    db.update(user, User.name == "x")  # type: ignore[arg-type]
    user.changed(User.name)  # type: ignore[arg-type]
    writes.Update(user, fields.of(User.name) == "x")  # type: ignore[arg-type]
