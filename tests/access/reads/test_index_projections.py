"""Rows read through an index that projects only some attributes, and rows where copies and locks are stored."""

from datetime import UTC, datetime
from typing import Annotated, Any

import pytest

from tablewright import Copy, Design, Entity, Index, Keys, Query, Scan, Table, connect, fields
from tablewright.access.encryption.keyrings import MemoryKeys
from tablewright.access.repository import Repository
from tablewright.dynamodb.clock import Clock
from tablewright.errors import DesignError

NOW = datetime(2025, 6, 1, tzinfo=UTC)
PAST, FUTURE = int(NOW.timestamp()) - 60, int(NOW.timestamp()) + 60

sessions = Table(
    "sessions",
    key=("PK", "SK"),
    ttl="expiresAt",
    indexes=[
        Index("by-user", "userId", projection=["device", "expiresAt", "type"]),
        Index("by-city", "city", projection=["device", "type"]),
    ],
)


class Session(Entity, table=sessions, type="SESSION"):
    session_id: str
    user_id: str
    city: str
    device: str
    expires_at: Annotated[int, fields.Ttl()]
    keys = Keys(primary=("SESSION#{session_id}", "SESSION"))


class DevicesOfUser(Query[Session]):
    user_id: str
    key = "userId = {user_id}"
    fields = ("device",)


def opened(design: Design, **options: Any) -> Repository:
    return connect(design, clock=Clock(start=NOW.timestamp()), **options)


@pytest.fixture
def db() -> Any:
    design = Design("sessions", entities=[Session], patterns=[DevicesOfUser])
    with opened(design) as db:
        for name, expires_at in (("old", PAST), ("new", FUTURE)):
            db.create(
                Session(session_id=name, user_id="ada", city="Turku", device=name, expires_at=expires_at)
            )
        yield db


def test_rows_of_an_index_that_projects_the_expiry_leave_out_expired_items(db: Any) -> None:
    assert [dict(row) for row in db.rows(DevicesOfUser(user_id="ada"))] == [{"device": "new"}]


def test_rows_of_an_index_without_the_expiry_are_rejected() -> None:
    with pytest.raises(
        DesignError,
        match=r"^DevicesOfCity reads Session from by-city, which lacks expiresAt; add to the projection of by-city: ",
    ):

        class DevicesOfCity(Query[Session]):
            city: str
            key = "city = {city}"
            fields = ("device",)


def test_an_entity_is_not_read_from_an_index_without_its_fields() -> None:
    with pytest.raises(
        DesignError,
        match=r"^SessionsOfUser reads Session from by-user, which lacks sessionId, city; .*db.rows",
    ):

        class SessionsOfUser(Query[Session]):
            user_id: str
            key = "userId = {user_id}"


def test_rows_of_entities_without_expiry_and_of_an_index_without_the_type() -> None:
    untyped = Table(
        "untyped", key="id", ttl="expiresAt", indexes=[Index("by-tariff", "tariff", projection="KEYS_ONLY")]
    )

    class Bill(Entity, table=untyped):
        id: str
        tariff: str

    class BillsOfTariff(Query[Bill]):
        tariff: str
        key = "tariff = {tariff}"
        fields = ("id",)

    with opened(Design("untyped", entities=[Bill], patterns=[BillsOfTariff])) as db:
        db.create(Bill(id="1", tariff="free"))
        assert [row["id"] for row in db.rows(BillsOfTariff(tariff="free"))] == ["1"]


def test_rows_leave_out_copies_and_locks() -> None:
    table = Table("rooms", key=("PK", "SK"))

    class Room(Entity, table=table, type="ROOM"):
        house: str
        room_id: str
        name: Annotated[str, fields.Unique()]
        keys = Keys(primary=("HOUSE#{house}", "ROOM#{room_id}"))
        twin = Copy(primary=("HOUSE#{house}", "TWIN#{room_id}"))

    class Rooms(Query[Room]):
        house: str
        key = "PK = HOUSE#{house}"
        fields = ("name",)

    class AllRooms(Scan[Room]):
        fields = ("name",)

    with opened(Design("rooms", entities=[Room], patterns=[Rooms, AllRooms])) as db:
        db.create(Room(house="h", room_id="1", name="red"))
        for pattern in (Rooms(house="h"), AllRooms()):
            page = db.rows(pattern)
            assert ([row["name"] for row in page], page.unknown) == (["red"], ())


def test_rows_of_copies_have_fields_that_are_hidden_from_indexes() -> None:
    table = Table("cards", key=("PK", "SK"), indexes=[Index("by-color", "color")])

    class Card(Entity, table=table, type="CARD"):
        card_id: str
        owner: str
        color: str
        keys = Keys(primary=("CARD#{card_id}", "CARD"))
        of_owner = Copy(primary=("OWNER#{owner}", "CARD#{card_id}"))

    class ColorsOfOwner(Query[Card]):
        owner: str
        key = "PK = OWNER#{owner}"
        fields = ("color",)

    with opened(Design("cards", entities=[Card], patterns=[ColorsOfOwner])) as db:
        db.create(Card(card_id="1", owner="ada", color="red"))
        assert [row["color"] for row in db.rows(ColorsOfOwner(owner="ada"))] == ["red"]


def test_rows_with_an_encrypted_field_read_its_context() -> None:
    table = Table("tokens", key=("PK", "SK"))

    class Token(Entity, table=table, type="TOKEN"):
        account: str
        tenant: str
        content: Annotated[str, fields.Encrypted(context=("tenant",))]
        keys = Keys(primary=("ACCOUNT#{account}", "TOKEN"))

    class Contents(Query[Token]):
        account: str
        key = "PK = ACCOUNT#{account}"
        fields = ("content",)

    design = Design("tokens", entities=[Token], patterns=[Contents])
    with opened(design, secrets=MemoryKeys()) as db:
        db.create(Token(account="a", tenant="t", content="x"))
        assert [dict(row) for row in db.rows(Contents(account="a"))] == [{"content": "x"}]
