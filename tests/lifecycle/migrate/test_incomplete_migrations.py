"""Migrations with rejects: no rejected item is lost, and the status says what is left to do."""

from decimal import Decimal
from typing import Annotated, Any

import pytest

from tablewright import Copy, Design, Entity, Get, Keys, Repository, Table, errors, fields, migrations
from tablewright.lifecycle.integrity.fsck import check
from tests.lifecycle.stores import Killed, Mortal, Store

Fields = dict[str, Any]
main = Table("shop", key=("PK", "SK"))


class PartBefore(Entity, table=main, type="PART"):
    part_id: str
    name: Annotated[str, fields.Unique()]
    price: Decimal | str = "1"
    is_blocked: bool = False
    keys = Keys(primary=("PART#{part_id}", "PART"))
    shelf = Copy(primary=("SHELF#{name}", "PART#{part_id}"), fields=("part_id", "name"))


class PartBeforeById(Get[PartBefore]):
    part_id: str


class Part(Entity, table=main, type="PART"):
    part_id: str
    name: Annotated[str, fields.Unique()]
    price: Decimal | str = "1"
    is_blocked: bool = False
    keys = Keys(primary=("ITEM#{part_id}", "PART"))
    shelf = Copy(primary=("SHELF#{name}", "PART#{part_id}"), fields=("part_id", "name"))


class PartById(Get[Part]):
    part_id: str


def with_new_key(item: Fields) -> Fields:
    if item.get("isBlocked"):
        raise ValueError("is blocked")
    return item | {"PK": f"ITEM#{item['partId']}"}


def with_old_key(item: Fields) -> Fields:
    return item | {"PK": f"PART#{item['partId']}"}


def price_as_number(item: Fields) -> Fields | None:
    if not isinstance(item.get("price"), str):
        return None
    if item["PK"].startswith("PART#"):
        raise ValueError("has the old key")
    return item | {"price": Decimal(item["price"])}


REKEY = migrations.Migration("1-rekey", Part, with_new_key, with_old_key)
PRICES = migrations.Migration("2-prices", main, lambda item: None if "_of" in item else price_as_number(item))
BEFORE = Design("shop", entities=[PartBefore], patterns=[PartBeforeById])
DESIGN = Design("shop", entities=[Part], patterns=[PartById], migrations=[REKEY, PRICES])


@pytest.fixture
def db(store: Store) -> Repository:
    """Six parts under the old key; three are blocked, so that the first migration rejects them."""
    old = store.open(BEFORE)
    for number in range(6):
        old.create(PartBefore(part_id=f"p{number}", name=f"n{number}", is_blocked=number < 3))
    return store.open(DESIGN)


def run(store: Store, db: Repository, **options: Any) -> list[migrations.Result]:
    return migrations.migrate(db, pause=store.clock.advance, **options)


def shown(db: Repository) -> list[tuple[str, str, int]]:
    """The name, status and number of rejects of each migration."""
    return [
        (each.name, each.status, each.state.tally.rejected if each.state else 0)
        for each in migrations.status(db)
    ]


def unblock(store: Store) -> None:
    old = store.open(BEFORE)
    for number in range(3):
        old.update(PartBeforeById(part_id=f"p{number}"), set={"is_blocked": False})


def kinds(store: Store) -> list[str]:
    """The types of the prices."""
    return sorted(kind for item in store.items("shop") if "price" in item for kind in item["price"])


def keys_of(rejects: list[Any]) -> list[str]:
    return sorted(reject.key["PK"]["S"] for reject in rejects)


def test_the_next_migration_does_not_start_while_one_is_incomplete(store: Store, db: Repository) -> None:
    with pytest.raises(errors.MigrationIncomplete) as raised:
        run(store, db)
    assert str(raised.value) == (
        "2-prices was not started: 1-rekey has 3 rejects. Correct the items and run migrate --retry; or start 2-prices "
        "anyway with --allow-incomplete (in Python: allow_incomplete=True)"
    )
    (result,) = raised.value.results
    assert (result.migration.name, result.tally.changed, len(result.rejects)) == ("1-rekey", 3, 3)
    assert shown(db) == [("1-rekey", "incomplete", 3), ("2-prices", "pending", 0)]
    with pytest.raises(errors.MigrationIncomplete):
        run(store, db)
    assert kinds(store) == ["S"] * 6
    unblock(store)
    assert migrations.retry(db) == {}
    assert shown(db) == [("1-rekey", "applied", 0), ("2-prices", "pending", 0)]
    assert [result.tally.changed for result in run(store, db)] == [6]
    assert kinds(store) == ["N"] * 6


def test_a_single_incomplete_migration_is_returned(store: Store, db: Repository) -> None:
    (result,) = run(store, db, to="1-rekey")
    assert len(result.rejects) == 3


def test_rejects_follow_items_that_another_migration_moves(store: Store, db: Repository) -> None:
    _, prices = run(store, db, allow_incomplete=True)
    assert keys_of(list(prices.rejects)) == ["PART#p0", "PART#p1", "PART#p2"]
    assert shown(db) == [("1-rekey", "incomplete", 3), ("2-prices", "incomplete", 3)]
    unblock(store)
    assert migrations.retry(db, "1-rekey") == {}
    assert keys_of(migrations.rejects(db)["2-prices"]) == ["ITEM#p0", "ITEM#p1", "ITEM#p2"]
    assert shown(db) == [("1-rekey", "applied", 0), ("2-prices", "incomplete", 3)]
    assert migrations.retry(db) == {}
    assert kinds(store) == ["N"] * 6
    assert shown(db) == [("1-rekey", "applied", 0), ("2-prices", "applied", 0)]
    assert not check(db).findings


def test_one_retry_of_all_migrations_converts_moved_items(store: Store, db: Repository) -> None:
    run(store, db, allow_incomplete=True)
    unblock(store)
    assert migrations.retry(db) == {}
    assert kinds(store) == ["N"] * 6


@pytest.mark.parametrize("calls", range(4, 60, 5))
def test_rejects_follow_through_a_kill(store: Store, db: Repository, calls: int) -> None:
    run(store, db, allow_incomplete=True)
    unblock(store)
    dying = Store(Mortal(store.connection, calls), store.prefix, store.clock).open(DESIGN)
    try:
        migrations.retry(dying, pause=store.clock.advance)
    except Killed:
        assert {status for _, status, _ in shown(db)} != {"applied"} or kinds(store) == ["N"] * 6
    for _ in range(3):  # an interrupted pass is completed by migrate
        migrations.retry(db, pause=store.clock.advance)
        run(store, db, allow_incomplete=True)
    assert kinds(store) == ["N"] * 6
    assert shown(db) == [("1-rekey", "applied", 0), ("2-prices", "applied", 0)]


def test_a_rejected_item_that_a_program_moved_is_found_by_a_pass(store: Store, db: Repository) -> None:
    """A program moves the items to the new key, so that the rejects name keys where nothing is stored."""
    run(store, db, allow_incomplete=True)
    for item in [item for item in store.items("shop") if item["PK"]["S"].startswith("PART#")]:
        old_key = {"PK": item["PK"], "SK": item["SK"]}
        store.put("shop", item | {"PK": {"S": item["PK"]["S"].replace("PART#", "ITEM#")}})
        store.connection.call("DeleteItem", {"TableName": f"{store.prefix}shop", "Key": old_key})
    assert migrations.retry(db, "2-prices", pause=store.clock.advance) == {}
    assert kinds(store) == ["N"] * 6
    assert shown(db)[1] == ("2-prices", "applied", 0)


def test_a_rejected_item_that_was_deleted_is_no_longer_a_reject(store: Store, db: Repository) -> None:
    run(store, db, to="1-rekey")
    old = store.open(BEFORE)
    for number in range(3):
        old.delete(PartBeforeById(part_id=f"p{number}"))
    assert migrations.retry(db) == {}
    assert shown(db)[0] == ("1-rekey", "applied", 0)


def test_the_status_counts_the_rejects_that_are_left(store: Store, db: Repository) -> None:
    run(store, db, to="1-rekey")
    store.open(BEFORE).update(PartBeforeById(part_id="p0"), set={"is_blocked": False})
    assert keys_of(migrations.retry(db)["1-rekey"]) == ["PART#p1", "PART#p2"]
    (first, _) = migrations.status(db)
    assert first.state
    assert (first.status, first.state.tally.changed, first.state.tally.rejected) == ("incomplete", 4, 2)


def test_an_earlier_migration_is_not_reverted_while_a_later_one_is_partly_reverted(store: Store) -> None:
    def stubborn(item: Fields) -> Fields:
        raise ValueError("stays")

    later = migrations.Migration("2-later", Part, lambda item: None, stubborn)
    rekey = migrations.Migration("1-rekey", Part)
    design = Design("shop", entities=[Part], migrations=[REKEY, later])
    db = store.open(design)
    db.create(Part(part_id="p1", name="n1"))
    assert rekey.down is None
    run(store, db)
    run(store, db, down=True)
    assert shown(db) == [("1-rekey", "applied", 0), ("2-later", "partly reverted", 1)]
    with pytest.raises(errors.MigrationIncomplete, match="1-rekey was not started: 2-later has 1 reject"):
        run(store, db, down=True)
    (result,) = run(store, db, down=True, allow_incomplete=True)
    assert result.migration.name == "1-rekey"


def test_a_migration_without_up_moves_items_to_the_key_of_the_class(store: Store) -> None:
    old = store.open(BEFORE)
    for number in range(3):
        old.create(PartBefore(part_id=f"p{number}", name=f"n{number}"))
    store.put("shop", {"PK": {"S": "ITEM#p1"}, "SK": {"S": "PART"}, "type": {"S": "NOTE"}})
    design = Design("shop", entities=[Part], migrations=[migrations.Migration("rekey", Part)])
    db = store.open(design)
    (result,) = run(store, db)
    assert (result.tally.changed, keys_of(list(result.rejects))) == (2, ["PART#p1"])
    assert "where another item is stored" in result.rejects[0].reason
    keys = {item["PK"]["S"] for item in store.items("shop") if "price" in item}
    assert keys == {"ITEM#p0", "PART#p1", "ITEM#p2"}
    owners = {item["_of"]["M"]["PK"]["S"] for item in store.items("shop") if "_of" in item}
    assert owners == keys


def test_the_way_back_of_a_key_migration_moves_copies_and_locks(store: Store) -> None:
    old = store.open(BEFORE)
    for number in range(3):
        old.create(PartBefore(part_id=f"p{number}", name=f"n{number}"))
    before = store.items("shop")
    db = store.open(Design("shop", entities=[Part], migrations=[REKEY]))
    run(store, db)
    assert not check(db).findings
    (result,) = run(store, db, down=True)
    assert (result.tally.changed, result.rejects) == (3, ())
    assert store.items("shop") == before
    assert not check(old).findings


def test_the_way_back_of_values_that_the_class_rejects_moves_copies_and_locks(store: Store) -> None:
    """The old format has a price that the class does not accept; the copies and locks still follow the key."""

    class Strict(Entity, table=main, type="PART"):
        part_id: str
        name: Annotated[str, fields.Unique()]
        price: Decimal
        is_blocked: bool = False
        keys = Keys(primary=("ITEM#{part_id}", "PART"))
        shelf = Copy(primary=("SHELF#{name}", "PART#{part_id}"), fields=("part_id", "name"))

    def up(item: Fields) -> Fields:
        return with_new_key(item) | {"price": Decimal(str(item["price"]).removesuffix(" EUR"))}

    def down(item: Fields) -> Fields:
        return with_old_key(item) | {"price": f"{str(item['price']).removesuffix(' EUR')} EUR"}

    old = store.open(BEFORE)
    for number in range(3):
        old.create(PartBefore(part_id=f"p{number}", name=f"n{number}", price="7 EUR"))
    before = store.items("shop")
    both = migrations.Migration("both", Strict, up, down)
    db = store.open(Design("shop", entities=[Strict], migrations=[both]))
    run(store, db)
    assert kinds(store) == ["N"] * 3
    run(store, db, down=True)
    assert store.items("shop") == before
    assert not check(old).findings
