"""Lock reads: an entity by its unique value, through the lock."""

from typing import Annotated

import pytest

from tablewright import Clock, Design, Entity, Get, Keys, Table, connect, fields, keyrings
from tablewright.errors import DoesNotExist

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
