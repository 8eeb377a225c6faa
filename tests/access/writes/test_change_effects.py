"""The effects of a change: the index keys, copies, locks and ciphertexts that change with some fields."""

from tablewright.access.writes.change_effects import change_effects, dependent_sources
from tests.access.studio import Artist, Room
from tests.access.test_secret_entities import Login


def test_index_keys_change_with_their_fields_and_with_shared_attributes() -> None:
    assert change_effects(Artist, frozenset({"likes"})).indexes == ()
    effects = change_effects(Artist, frozenset({"city"}))
    assert {key.index.name for key in effects.indexes if key.index} == {"GSI1", "GSI3", "mixed"}
    assert effects.derived == {"GSI1PK", "GSI1SK"}


def test_the_fields_of_copies_and_locks() -> None:
    email, nickname = list(dependent_sources(Artist.layout))[-2:]
    assert email == {"email", "expires_at"}
    assert nickname == {"nickname", "studio", "city", "expires_at"}


def test_copies_and_locks_change_with_their_fields() -> None:
    assert change_effects(Artist, frozenset({"email"})).changes_dependents
    assert not change_effects(Room, frozenset({"seats"})).changes_dependents


def test_sources_are_all_fields_of_what_changes() -> None:
    assert change_effects(Room, frozenset({"owner"})).sources == {"owner", "name"}
    assert change_effects(Room, frozenset({"seats"})).sources == frozenset()


def test_a_change_of_the_context_encrypts_again() -> None:
    assert change_effects(Login, frozenset({"tenant"})).reencrypted == {"password"}
    assert change_effects(Login, frozenset({"visits"})).reencrypted == frozenset()
