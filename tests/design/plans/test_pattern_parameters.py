"""Pattern parameters: their types, and the fields of the same name."""

from datetime import date, datetime

from tablewright import BatchGet, Entity, Keys, Query, Table, fields
from tablewright.design.plans.pattern_parameters import parameter_field, parameter_type


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
