"""Plans: what a compiled pattern says about itself."""

from datetime import date, datetime

from tablewright import BatchGet, Copy, Entity, Get, Index, Keys, Query, Scan, Table, fields
from tablewright.design.plans.key_conditions import parse_key_line
from tablewright.design.plans.plans import Fit, copy_keys, fit, may_match, parameter_field, parameter_type

main = Table(
    "main", key=("PK", "SK"), indexes=[Index("GSI1", ("country", "city"), "street"), Index("two", "x")]
)


class Room(Entity, table=main, type="ROOM"):
    room_id: str
    country: str
    city: str
    street: str
    member_ids: list[str]
    keys = Keys(primary=("ROOM#{room_id}", "ROOM"))
    members = Copy(each="member_ids", name="member", primary=("MEMBER#{member}", "ROOM#{room_id}"), two="X")


class RoomById(Get[Room]):
    """Find a room.

    More text.
    """

    room_id: str


class RoomsOfMember(Query[Room]):
    member: str
    key = "PK = MEMBER#{member}"


class RoomsOfCity(Query[Room]):
    country: str
    city: str
    street: str
    index = "GSI1"


class AllRooms(Scan[Room]):
    pass


def test_the_description_is_the_first_line_of_the_docstring() -> None:
    assert (RoomById.__plan__.name, RoomById.__plan__.description) == ("RoomById", "Find a room.")
    assert RoomsOfMember.__plan__.description == ""


def test_partition_clauses_are_those_of_the_partition_key() -> None:
    plans = (RoomById.__plan__, RoomsOfCity.__plan__, AllRooms.__plan__)
    assert [[clause.attribute for clause in plan.partition_clauses] for plan in plans] == [
        ["PK"],
        ["country", "city"],
        [],
    ]


def test_a_pattern_reads_copies_if_the_main_key_fits_less() -> None:
    plans = (RoomById.__plan__, RoomsOfMember.__plan__, RoomsOfCity.__plan__)
    assert [plan.reads_copies(Room.layout) for plan in plans] == [False, True, False]


def test_a_key_condition_fits_by_text_form_or_names() -> None:
    key = Room.layout.primary
    for line, expected in (
        ("PK = ROOM#{room_id}", Fit.NAMES),
        ("PK = ROOM#{room_id} AND begins_with(SK, RO)", Fit.NAMES),
        ("PK = ROOM#{room_id} AND SK > A", Fit.NAMES),
        ("PK = ROOM#{any}", Fit.FORM),
        ("PK = {any}", Fit.TEXT),
        ("PK = ROOM#{room_id}#{more}", Fit.TEXT),
        ("PK = HOUSE#{room_id}", Fit.NONE),
    ):
        assert fit(key, parse_key_line(line)) is expected, line


def test_keys_match_by_literal_text() -> None:
    key = Room.layout.primary
    for line, expected in (
        ("PK = ROOM#{id}", True),
        ("PK = {anything}", True),
        ("PK = ROOM#{id} AND begins_with(SK, RO)", True),
        ("PK = ROOM#{id} AND begins_with(SK, MEMBER#)", False),
        ("PK = ROOM#{id} AND SK > X", True),
        ("PK = HOUSE#{id}", False),
    ):
        assert may_match(key, parse_key_line(line)) == expected, line


def test_copies_have_keys_in_table_and_indexes() -> None:
    by_city, two = main.indexes
    found = [
        [key.parts[0][1].text for key in copy_keys(Room.layout, index)] for index in (None, by_city, two)
    ]
    assert found == [["MEMBER#{member}"], [], ["X"]]


class Event(Entity, table=Table("events", key=("PK", "SK")), type="EVENT"):
    event_id: str
    at: fields.Timestamp
    keys = Keys(primary=("DAY#{at:%Y-%m-%d}", "{event_id}"))


class EventsOfDay(Query[Event]):
    day: date | None
    at: fields.Timestamp
    key = "PK = DAY#{day} AND SK > {at}"


class Events(BatchGet[Event]):
    at: list[fields.Timestamp]
    event_id: list[str]


def test_types_are_plain() -> None:
    kinds = [parameter_type(EventsOfDay, "query", name) for name in ("day", "at", "other")]
    assert kinds == [date, datetime, str]


def test_a_batch_has_the_types_of_elements() -> None:
    assert parameter_type(Events, "batch", "at") is datetime


def test_the_field_of_the_same_name_is_preferred() -> None:
    plan = EventsOfDay.__plan__
    assert parameter_field(plan, "at") is Event.layout.fields["at"]
    assert parameter_field(plan, "day").annotation is date
