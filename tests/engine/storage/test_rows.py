"""Rows: ordered by key, replaced and deleted; spaces apart from each other, in a schema that does not grow."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import FIRST_SHARED, ReadView, Store, Transaction, open_store
from tablewright.engine.storage.rows import SIZE_MASK, is_intact, prefix_of, table_of, with_checksum
from tablewright.errors import SpaceMissing, StoreDamaged

SPACE = FIRST_SHARED + 4
# Neighbours: of the engine and of tables, and with numbers whose bytes end in 255 and 0.
SPACES = [7, 8, FIRST_SHARED, FIRST_SHARED + 1, 255, 256, 65_535, 65_536]
KEYS = [b"\0", b"\0\0\0\1", b"k", b"\xff" * 4 + b"k"]


def item(text: str) -> StoredItem:
    return StoredItem(text.encode(), len(text))


def texts(view: ReadView) -> list[str]:
    return [row.raw.decode() for _, row in view.range(SPACE)]


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(None if request.param == "memory" else tmp_path / "data.db")
    opened.write(lambda tx: tx.create_space(SPACE))
    yield opened
    opened.close()


def test_rows_are_kept_in_key_order(store: Store) -> None:
    def fill(tx: Transaction) -> None:
        for key in (b"b", b"a", b"c"):
            tx.put(SPACE, key, item(key.decode()))

    store.write(fill)
    assert store.read(texts) == ["a", "b", "c"]
    assert store.read(lambda view: [key for key, _ in view.range(SPACE, b"a", b"c", backward=True)]) == [
        b"b",
        b"a",
    ]
    assert store.read(lambda view: view.totals(SPACE)) == (3, 3)
    store.write(lambda tx: tx.delete_range(SPACE, b"a", b"c"))
    assert store.read(texts) == ["c"]


def test_a_put_replaces_and_a_delete_removes(store: Store) -> None:
    store.write(lambda tx: tx.put(SPACE, b"k", item("old")))
    store.write(lambda tx: tx.put(SPACE, b"k", item("newer")))
    found = store.read(lambda view: view.get(SPACE, b"k"))
    assert found is not None
    assert (found.raw, found.size) == (b"newer", 5)
    store.write(lambda tx: tx.delete(SPACE, b"k"))
    assert store.read(lambda view: view.get(SPACE, b"k")) is None


def schema(view: ReadView) -> int:
    ((objects,),) = view.execute("SELECT count(*) FROM sqlite_schema")
    return int(objects)


def test_the_number_of_sql_tables_does_not_grow(store: Store) -> None:
    before = store.read(schema)
    for number in range(FIRST_SHARED + 100, FIRST_SHARED + 200):
        store.write(partial(Transaction.create_space, space=number))
        store.write(partial(Transaction.put, space=number, key=b"k", item=item("x")))
    assert store.read(schema) == before


def fill(store: Store) -> None:
    for space in SPACES:
        store.write(partial(Transaction.create_space, space=space))
        for key in KEYS:
            store.write(partial(Transaction.put, space=space, key=key, item=item(f"{space} {key!r}")))


@pytest.mark.parametrize("space", SPACES)
def test_a_space_contains_its_own_rows_only(store: Store, space: int) -> None:
    fill(store)
    expected = [f"{space} {key!r}" for key in KEYS]

    def check(view: ReadView) -> None:
        assert [(key, row.raw.decode()) for key, row in view.range(space)] == list(
            zip(KEYS, expected, strict=True)
        )
        assert [key for key, _ in view.range(space, backward=True)] == KEYS[::-1]
        assert [view.get(space, key) is not None for key in (*KEYS, b"", b"none")] == [True] * 4 + [False] * 2
        assert view.totals(space) == (4, sum(map(len, expected)))
        assert [view.key_after(space, b"", rows) for rows in range(5)] == [*KEYS, None]

    store.read(check)


@pytest.mark.parametrize(
    "change",
    [
        lambda tx, space: tx.drop_space(space),
        lambda tx, space: tx.delete_range(space),
        lambda tx, space: [tx.delete(space, key) for key in KEYS],
    ],
)
@pytest.mark.parametrize("space", SPACES)
def test_a_change_of_one_space_leaves_the_others(
    store: Store, space: int, change: Callable[[Transaction, int], object]
) -> None:
    fill(store)
    store.write(lambda tx: change(tx, space))
    for other in set(SPACES) - {space}:
        assert store.read(partial(ReadView.totals, space=other))[0] == 4
    store.write(lambda tx: tx.create_space(space) if not tx.has_space(space) else None)
    assert store.read(lambda view: view.totals(space)) == (0, 0)


ACCESSES: list[Callable[[Transaction], object]] = [
    lambda tx: tx.get(99, b"k"),
    lambda tx: list(tx.range(99)),
    lambda tx: tx.totals(99),
    lambda tx: tx.key_after(99, b"", 1),
    lambda tx: tx.put(99, b"k", item("x")),
    lambda tx: tx.delete(99, b"k"),
    lambda tx: tx.delete_range(99),
    lambda tx: tx.copy(SPACE, 99),
    lambda tx: tx.copy(99, SPACE),
    lambda tx: tx.drop_space(99),
]


@pytest.mark.parametrize("access", ACCESSES)
def test_a_missing_space_is_an_error(store: Store, access: Callable[[Transaction], object]) -> None:
    with pytest.raises(SpaceMissing, match="99"):
        store.write(access)
    store.write(lambda tx: tx.create_space(99))
    store.write(lambda tx: tx.put(99, b"k", item("kept")))
    store.read(lambda view: view.get(99, b"k"))
    store.write(lambda tx: tx.drop_space(99))
    with pytest.raises(SpaceMissing, match="99"):
        store.write(access)
    with pytest.raises(SpaceMissing, match="99"):
        store.read(lambda view: view.get(99, b"k"))


def test_readers_see_a_space_after_its_commit_only(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    store.stage(lambda tx: tx.create_space(SPACE))
    with pytest.raises(SpaceMissing):
        store.read(texts)
    store.flush()
    assert store.read(texts) == []
    store.stage(lambda tx: tx.drop_space(SPACE))
    assert store.read(texts) == []
    store.flush()
    with pytest.raises(SpaceMissing):
        store.read(texts)
    store.close()


def test_an_undone_space_does_not_exist(store: Store) -> None:
    def fail(tx: Transaction) -> None:
        tx.create_space(99)
        tx.put(99, b"k", item("x"))
        tx.drop_space(SPACE)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.write(fail)
    with pytest.raises(SpaceMissing):
        store.write(lambda tx: tx.put(99, b"k", item("x")))
    assert store.read(texts) == []
    store.write(lambda tx: tx.put(SPACE, b"k", item("x")))
    assert store.read(texts) == ["x"]


@pytest.mark.parametrize("target", [8, FIRST_SHARED + 5])
def test_a_copied_row_is_intact_and_a_damaged_one_stays_damaged(store: Store, target: int) -> None:
    def fill(tx: Transaction) -> None:
        tx.create_space(target)
        for key in (b"a", b"b", b"c", b"d"):
            tx.put(SPACE, key, item(key.decode()))
        tx.execute("UPDATE rows SET body = x'00' WHERE key = ?", (prefix_of(SPACE) + b"c",))
        tx.copy(SPACE, target, b"b", b"d")

    store.write(fill)
    assert store.read(lambda view: [view.get(target, key) is not None for key in (b"a", b"b", b"d")]) == [
        False,
        True,
        False,
    ]
    with pytest.raises(StoreDamaged):
        store.read(lambda view: view.get(target, b"c"))


@pytest.mark.parametrize("space", [7, FIRST_SHARED + 5])
def test_a_row_that_moved_to_another_space_is_damaged(store: Store, space: int) -> None:
    def move(tx: Transaction) -> None:
        for number in (space, space + 1):
            tx.create_space(number)
        tx.put(space, b"k", item("x"))
        row = tx.execute(
            f"SELECT size, body FROM {table_of(space)} WHERE key = ?", (prefix_of(space) + b"k",)
        )
        ((size, body),) = row
        moved = (prefix_of(space + 1) + b"k", size, body)
        tx.execute(f"INSERT INTO {table_of(space + 1)} VALUES (?, ?, ?)", moved)

    store.write(move)
    with pytest.raises(StoreDamaged):
        store.read(lambda view: view.get(space + 1, b"k"))
    with pytest.raises(StoreDamaged):
        store.read(lambda view: list(view.range(space + 1)))


def flipped(data: bytes, bit: int) -> bytes:
    return (int.from_bytes(data, "big") ^ 1 << bit).to_bytes(len(data), "big")


def test_every_changed_bit_is_found() -> None:
    source = random.Random(1)
    for size in (0, 1, 400 * 1024, SIZE_MASK):
        key, body = source.randbytes(20), source.randbytes(200)
        column = with_checksum(key, size, body)
        assert column & SIZE_MASK == size
        assert -(1 << 63) <= column < 1 << 63, "SQLite stores it as one integer"
        assert is_intact(key, column, body)
        assert not any(is_intact(flipped(key, bit), column, body) for bit in range(len(key) * 8))
        assert not any(is_intact(key, column, flipped(body, bit)) for bit in range(len(body) * 8))
        assert not any(is_intact(key, column ^ 1 << bit, body) for bit in range(63))


def test_bytes_that_move_from_the_key_to_the_body_are_found_by_the_size_of_either() -> None:
    column = with_checksum(b"key", 4, b"body")
    assert not is_intact(b"keyb", column ^ 1, b"ody")


def test_values_of_another_type_are_damage() -> None:
    column = with_checksum(b"key", 4, b"body")
    for row in (
        (b"key", column, "body"),
        (b"key", None, b"body"),
        ("key", column, b"body"),
        (b"key", 1.5, b""),
    ):
        assert not is_intact(*row)
