"""What follows from a change of some fields."""

from tablewright.access.writes.update_changes import (
    Changes,
    affected_indexes,
    dependent_sources,
    derived_attributes,
    reencrypted_attributes,
    sources,
    validated_together,
    value_when_absent,
)
from tests.access.studio import Artist, Ledger, Room
from tests.access.test_round_trips import Bus, Span
from tests.access.test_secret_entities import Login


def test_index_keys_are_affected_by_their_fields_and_by_shared_attributes() -> None:
    assert affected_indexes(Artist.layout, frozenset({"likes"})) == []
    indexes = affected_indexes(Artist.layout, frozenset({"city"}))
    assert {key.index.name for key in indexes if key.index} == {"GSI1", "GSI3", "mixed"}
    assert derived_attributes(Artist.layout, indexes) == {"GSI1PK", "GSI1SK"}


def test_the_fields_of_copies_and_locks() -> None:
    email, nickname = list(dependent_sources(Artist.layout))[-2:]
    assert email == {"email", "expires_at"}
    assert nickname == {"nickname", "studio", "city", "expires_at"}


def test_sources_are_all_fields_of_what_follows() -> None:
    assert sources(Room.layout, frozenset({"owner"})) == {"owner", "name"}
    assert sources(Room.layout, frozenset({"seats"})) == frozenset()


def test_a_change_of_the_context_encrypts_again() -> None:
    assert reencrypted_attributes(Login.layout, frozenset({"tenant"})) == {"password"}
    assert reencrypted_attributes(Login.layout, frozenset({"visits"})) == set()


def test_validators_and_limits_need_the_stored_fields() -> None:
    assert validated_together(Changes(Room.layout, {"name": "n"}, {"taken": 1})) is None
    assert validated_together(Changes(Bus.layout, {}, {"seats": 1})) == frozenset({"seats"})
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
