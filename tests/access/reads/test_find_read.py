"""Find reads: one entity through an index; a second match is an error."""

from typing import Annotated, Any

import pytest

from tablewright import Clock, Design, Entity, Find, Index, Keys, Table, connect, fields
from tablewright.errors import SeveralFound
from tests.access import shop
from tests.access.shop import Customer

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
