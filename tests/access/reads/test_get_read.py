"""Get reads: one entity by its key, or None; an item that is not the entity is an error."""

from decimal import Decimal
from typing import Annotated, Any

import pytest

from tablewright import Clock, Design, Entity, Find, Get, Index, Keys, Table, connect, fields, keyrings
from tablewright.errors import DoesNotExist, SeveralFound, UnknownItem, UsageError
from tests.access import shop
from tests.access.reads.orders import put_raw
from tests.access.shop import Customer, Status, order


def test_get_returns_the_entity_or_none(db: Any, ada: Customer) -> None:
    assert db.run(shop.CustomerById(customer_id="ada")) == ada
    assert db.run(shop.CustomerById(customer_id="bob")) is None


def test_values_of_every_type_round_trip(db: Any) -> None:
    written = order(
        "ada",
        1,
        status=Status.PAID,
        total=Decimal("12.50"),
        tags=frozenset({"a", "b"}),
        photo=b"\x00\xff",
        size=-3,
    )
    db.put(written)
    db.put(Customer(customer_id="c", email="c@x", address=shop.Address(street_name="High", zipCode="1")))
    assert db.run(shop.OrderById(customer_id="ada", order_id="001")) == written
    found = db.run(shop.CustomerById(customer_id="c"))
    assert found.address == shop.Address(street_name="High", zipCode="1")


def test_get_raises_an_item_of_another_type(db: Any) -> None:
    item = {"PK": {"S": "CUSTOMER#x"}, "SK": {"S": "PROFILE"}, "customerId": {"S": "x"}, "email": {"S": "e"}}
    put_raw(db, shop.main, item)
    with pytest.raises(UnknownItem, match="has no type; expected 'CUSTOMER'") as caught:
        db.run(shop.CustomerById(customer_id="x"))
    assert caught.value.item == item
    assert caught.value.key == {"PK": {"S": "CUSTOMER#x"}, "SK": {"S": "PROFILE"}}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"customerId": {"S": "eve"}}, "a key that does not match its fields"),
        ({"name": {"L": []}}, "name must be a valid string, got a list"),
        ({"address": {"M": {"zipCode": {"S": "1"}}}}, "address.street_name is required"),
    ],
)
def test_an_invalid_item_is_unknown_and_its_values_are_not_shown(
    db: Any, change: dict[str, Any], reason: str
) -> None:
    good = {
        "PK": {"S": "CUSTOMER#x"},
        "SK": {"S": "PROFILE"},
        "type": {"S": "CUSTOMER"},
        "customerId": {"S": "x"},
        "email": {"S": "private@x"},
    }
    put_raw(db, shop.main, good | change)
    with pytest.raises(UnknownItem) as caught:
        db.run(shop.CustomerById(customer_id="x"))
    assert reason in str(caught.value)
    assert "private" not in str(caught.value)


def test_undeclared_attributes_are_kept(db: Any) -> None:
    put_raw(
        db,
        shop.main,
        {
            "PK": {"S": "CUSTOMER#x"},
            "SK": {"S": "PROFILE"},
            "type": {"S": "CUSTOMER"},
            "email": {"S": "e"},
            "customer_id": {"S": "a Python name is no stored name"},
            "colour": {"S": "red"},
        },
    )
    found = db.run(shop.CustomerById(customer_id="x"))
    assert found.customer_id == "x", "decoded from the key"
    assert found.unknown_attributes == {
        "customer_id": {"S": "a Python name is no stored name"},
        "colour": {"S": "red"},
    }
    db.put(found.changed(name="X"))
    assert db.run(shop.CustomerById(customer_id="x")).unknown_attributes["colour"] == {"S": "red"}


@pytest.mark.parametrize("paging", [{"limit": 1}, {"cursor": "1x"}])
def test_get_has_no_pages(db: Any, paging: dict[str, Any]) -> None:
    with pytest.raises(
        UsageError, match=f"CustomerById is a Get and has no pages; leave out {next(iter(paging))}"
    ):
        db.run(shop.CustomerById(customer_id="ada"), **paging)


sessions = Table("sessions", key=("PK", "SK"), indexes=[Index("by-device", "device")], ttl="expiresAt")


class Session(Entity, table=sessions, type="SESSION"):
    session_id: str
    device: str
    expires_at: Annotated[int | None, fields.Ttl()] = None
    keys = Keys(primary=("SESSION#{session_id}", "SESSION"))


class SessionOfDevice(Find[Session]):
    device: str
    index = "by-device"


DESIGN = Design("sessions", entities=[Session], patterns=[SessionOfDevice])


def test_find_reads_through_an_index(db: Any, ada: Customer) -> None:
    assert db.run(shop.CustomerByEmail(email="ada@example.org")) == ada
    assert db.run(shop.CustomerByEmail(email="bob@example.org")) is None
    db.put(Customer(customer_id="twin", email="ada@example.org"))
    with pytest.raises(SeveralFound, match="CustomerByEmail"):
        db.run(shop.CustomerByEmail(email="ada@example.org"))


def test_find_ignores_expired_items(clock: Clock) -> None:
    with connect(DESIGN, clock=clock) as db:
        live = db.put(Session(session_id="1", device="phone"))
        db.put(Session(session_id="2", device="phone", expires_at=int(clock.now()) - 1))
        assert db.run(SessionOfDevice(device="phone")) == live
        with pytest.raises(SeveralFound):
            db.run(SessionOfDevice(device="phone"), include_expired=True)


main = Table("main", key=("PK", "SK"), ttl="ttl")


class Account(Entity, table=main, type="ACCOUNT"):
    number: Annotated[
        int,
        fields.Unique(key=("NUMBER#{number:06}", "LOCK"), attributes={"tenant": "{tenant}", "id": "{id}"}),
    ]
    tenant: str
    id: int
    token: Annotated[
        str | None,
        fields.Hashed(),
        fields.Unique(key=("TOKEN#{token}", "LOCK"), attributes={"tenant": "{tenant}", "id": "{id}"}),
    ] = None
    ttl: int | None = None
    keys = Keys(primary=("TENANT#{tenant}", "ACCOUNT#{id:04}"))


class ByNumber(Get[Account]):
    number: int
    key = "PK = NUMBER#{number:06} AND SK = LOCK"


class ByToken(Get[Account]):
    token: str
    key = "PK = TOKEN#{token} AND SK = LOCK"


design = Design("accounts", entities=[Account], patterns=[ByNumber, ByToken])


def test_the_owner_has_a_key_of_several_fields_and_formats() -> None:
    with connect(design, secrets=keyrings.MemoryKeys()) as db:
        db.create(Account(number=7, tenant="t", id=3, token="s3cret"))
        found = db.run(ByNumber(number=7))
        assert found is not None
        assert (found.tenant, found.id) == ("t", 3)
        assert db.run(ByToken(token="s3cret")) == found
        assert db.run(ByToken(token="other")) is None
        with pytest.raises(DoesNotExist):
            db.get_or_raise(ByNumber(number=8))


def test_an_expired_lock_is_not_followed() -> None:
    clock = Clock(start=1_000_000.0)
    with connect(design, secrets=keyrings.MemoryKeys(), clock=clock) as db:
        made = db.create(Account(number=7, tenant="t", id=3, ttl=1_000_060))
        clock.advance(61)
        assert db.run(ByNumber(number=7)) is None
        assert db.run(ByNumber(number=7), include_expired=True) == made
