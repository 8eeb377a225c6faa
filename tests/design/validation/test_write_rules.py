"""Declared writes: which are accepted, and what is wrong with others."""

from typing import Annotated, Any

import pytest

from tablewright import Entity, Table, fields
from tablewright.errors import DesignError

log = Table("log", key="id")


@pytest.mark.parametrize(
    "writes", [{"create"}, ["create", "update"], ("create", "delete"), {"create", "update", "delete"}]
)
def test_declared_writes(writes: Any) -> None:
    class Entry(Entity, table=log, writes=writes):
        id: str

    assert Entry.layout.writes == frozenset(writes)


def test_without_a_declaration_all_writes_are_allowed() -> None:
    class Entry(Entity, table=log):
        id: str

    assert Entry.layout.writes == {"create", "update", "delete"}


@pytest.mark.parametrize(
    ("writes", "message"),
    [
        ("create", "Entry has writes='create'; give a set: writes={\"create\"}"),
        (7, "Entry has writes=7; give a set"),
        ({"creat"}, "Entry has writes with 'creat'; did you mean create?"),
        ({"put"}, "Entry has writes with 'put'; "),
        (set(), 'Entry has writes without "create", so no item of it can exist'),
        ({"update", "delete"}, 'add "create"'),
    ],
)
def test_declarations_that_cannot_work(writes: Any, message: str) -> None:
    with pytest.raises(DesignError) as caught:

        class Entry(Entity, table=log, writes=writes):
            id: str

    assert message in str(caught.value)


def test_a_counter_needs_updates() -> None:
    with pytest.raises(DesignError, match=r"Entry.views is a counter, which only updates change"):

        class Entry(Entity, table=log, writes={"create"}):
            id: str
            views: Annotated[int, fields.Counter()] = 0


def test_an_abstract_base_has_no_writes() -> None:
    with pytest.raises(DesignError, match=r"Base has writes=\.\.\., but no table"):

        class Base(Entity, writes={"create"}):
            id: str
