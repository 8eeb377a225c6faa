"""Migrations as values."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.design.entities.entities import Entity
from tablewright.design.entities.migrations import Migration, in_order, takes_view
from tablewright.design.keys.keys import Keys
from tablewright.design.tables import Table
from tablewright.errors import DesignError

main = Table("music", key=("PK", "SK"))


class Album(Entity, table=main, type="ALBUM"):
    album_id: str

    keys = Keys(primary=("ALBUM#{album_id}", "ALBUM"))


def same(item: dict[str, Any]) -> None:
    """Leave an item as it is."""


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Migration("", Album), "'' is not a name for a migration"),
        (lambda: Migration("a/b", Album), "use a name without a slash"),
        (lambda: Migration("a", main), "the migration a of the table music has no up function"),
        (lambda: Migration("a", Album, up=lambda: None), "does not take"),
        (lambda: Migration("a", Album, down=lambda item, view, more: None), "does not take"),
        (
            lambda: in_order([Migration("a", Album), Migration("a", main, same)]),
            "two migrations have the name a",
        ),
    ],
)
def test_invalid_migrations_are_rejected(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(DesignError, match=message):
        make()


def test_the_table_of_a_migration() -> None:
    assert Migration("a", Album).table is main
    assert Migration("a", main, same).table is main


def test_migrations_keep_their_order() -> None:
    listed = [Migration("b", Album), Migration("a", Album)]
    assert in_order(listed) == tuple(listed)


def test_a_second_parameter_is_a_view() -> None:
    assert takes_view(lambda item, view: None)
    assert not takes_view(same)
    assert not takes_view(lambda item, limit=3: None)
