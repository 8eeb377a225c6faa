"""Derived changes: the index keys, copies, locks and ciphertexts that change with some fields."""

from tablewright.access.writes.changes.derived_changes import dependent_sources, derived_changes
from tests.access.studio import Artist, Room
from tests.access.test_secret_entities import Login


def test_index_keys_change_with_their_fields_and_with_shared_attributes() -> None:
    assert derived_changes(Artist, frozenset({"likes"})).indexes == ()
    derived = derived_changes(Artist, frozenset({"city"}))
    assert {key.index.name for key in derived.indexes if key.index} == {"GSI1", "GSI3", "mixed"}
    assert derived.attributes == {"GSI1PK", "GSI1SK"}


def test_the_fields_of_copies_and_locks() -> None:
    email, nickname = list(dependent_sources(Artist.layout))[-2:]
    assert email == {"email", "expires_at"}
    assert nickname == {"nickname", "studio", "city", "expires_at"}


def test_copies_and_locks_change_with_their_fields() -> None:
    assert derived_changes(Artist, frozenset({"email"})).has_dependents
    assert not derived_changes(Room, frozenset({"seats"})).has_dependents


def test_sources_are_all_fields_of_what_changes() -> None:
    assert derived_changes(Room, frozenset({"owner"})).sources == {"owner", "name"}
    assert derived_changes(Room, frozenset({"seats"})).sources == frozenset()


def test_a_change_of_the_context_encrypts_again() -> None:
    assert derived_changes(Login, frozenset({"tenant"})).reencrypted == {"password"}
    assert derived_changes(Login, frozenset({"visits"})).reencrypted == frozenset()
