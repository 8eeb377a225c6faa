"""The changes of an update: what must be read for them, and what they make of an entity."""

from tablewright.access.writes.number_bounds import value_when_absent
from tablewright.access.writes.update_changes import Changes, validated_together
from tests.access.studio import Artist, Ledger, Room
from tests.access.test_round_trips import Bus, Span


def test_validators_and_limits_need_the_stored_fields() -> None:
    assert validated_together(Changes(Room.layout, {"name": "n"}, {"taken": 1})) is None
    assert validated_together(Changes(Bus.layout, {}, {"seats": 1})) is None, "bounds are in the condition"
    assert validated_together(Changes(Span.layout, {"low": 1}, {})) == frozenset(Span.layout.fields)


def test_an_edit_increases_the_version() -> None:
    edit = Changes(Ledger.layout, {}, {"total": 2}).edit({}, {}, ())
    assert (edit.increase, edit.versions) == ((("total", {"N": "0"}, {"N": "2"}),), ("version",))


def test_a_number_that_is_not_stored_has_its_default() -> None:
    assert value_when_absent(Room.layout.fields["seats"], Room.layout) == {"N": "1"}
    assert value_when_absent(Artist.layout.fields["rank"], Artist.layout) == {"N": "0"}


def test_applied_changes_are_validated_and_counted() -> None:
    changes = Changes(Ledger.layout, {}, {"total": 2})
    assert changes.applied(Ledger(ledger_id="1", total=3, version=4)) == Ledger(
        ledger_id="1", total=5, version=5
    )
