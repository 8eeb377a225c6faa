"""Vector demand: the bytes of searches, writes and rows, and what they cost if the price is known."""

from typing import Annotated

import pytest

from tablewright import Design, Entity, Nearest, Table, VectorIndex, fields
from tablewright.planning.cost_estimate import estimate
from tablewright.planning.prices import GB, load_prices
from tablewright.planning.vector_demand import bytes_of_search, vector_demands, vector_rows
from tablewright.planning.workloads import Workload

INDEX = VectorIndex("by-meaning", "meaning", 1000)
notes = Table("notes", key="noteId", vector_indexes=[INDEX])


class Note(Entity, table=notes, expect=fields.Expect(items=1000, writes=fields.PerMonth(1000))):
    note_id: str
    title: str
    meaning: Annotated[list[float], fields.Vector(1000)]


class Similar(Nearest[Note]):
    meaning: list[float]
    rate = fields.PerMonth(1_000_000)


class Unrated(Nearest[Note]):
    meaning: list[float]


design = Design("notes", entities=[Note], patterns=[Similar, Unrated])
ITEM = len("noteId") + 36 + len("title") + 36
"""The estimated bytes of an item without its vector."""


def test_the_bytes_of_a_search() -> None:
    assert bytes_of_search(Similar.__plan__, INDEX, Workload()) == 17_600 + 10 * ITEM
    used = Workload.model_validate({"patterns": {"Similar": {"items": 2}}})
    assert bytes_of_search(Similar.__plan__, INDEX, used) == 17_600 + 2 * ITEM


def test_what_an_index_consumes_and_stores() -> None:
    searched, written = vector_demands(design, notes, Workload())
    assert (searched.kind, searched.bytes) == ("search", 1_000_000 * (17_600 + 10 * ITEM))
    assert (written.kind, written.bytes) == ("write", 1000 * (4000 + len("meaning") + ITEM))
    assert list(vector_rows(design, notes, INDEX, Workload())) == [(1000, 4000 + len("meaning") + ITEM)]


def test_bytes_are_counted_without_a_price_and_said() -> None:
    made = estimate(design, Workload(), load_prices())
    (table,) = made.tables
    assert [(extra.name, extra.cost) for extra in table.extras] == [
        ("searches of by-meaning", 0.0),
        ("writes to by-meaning", 0.0),
    ]
    assert any(
        "the prices of us-east-1 have no vector_search, vector_write: these GB are counted with 0 dollars"
        in note
        for note in made.notes
    )


def test_a_price_is_charged_by_the_gb() -> None:
    prices = load_prices().model_copy(update={"vector_search": 0.5, "vector_write": 2.0})
    made = estimate(design, Workload(), prices)
    searches, _ = made.tables[0].extras
    assert searches.cost == pytest.approx(0.5 * 1_000_000 * (17_600 + 10 * ITEM) / GB)
    assert not any("vector" in note for note in made.notes)


def test_the_size_of_an_item_has_the_whole_vector() -> None:
    made = estimate(design, Workload(), load_prices())
    assert made.tables[0].item_bytes > 1000 * 9000
