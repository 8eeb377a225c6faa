"""Samples: exact for small tables, an estimate for others."""

from tablewright import Design, Entity, Keys, Table, connect, writes
from tablewright.console.open_designs import OpenDesign
from tablewright.console.overview.entity_sample import entity_sample

main = Table("aviary", ("PK", "SK"))


class Bird(Entity, table=main, type="BIRD"):
    bird_id: int
    keys = Keys(primary=("BIRD#{bird_id:06}", "BIRD"))


class Nest(Entity, table=main, type="NEST"):
    nest_id: int
    keys = Keys(primary=("NEST#{nest_id:06}", "NEST"))


design = Design("aviary", entities=[Bird, Nest])


def _opened(birds: int, nests: int) -> OpenDesign:
    db = connect(design)
    db.batch(
        [
            *(writes.Put(Bird(bird_id=each)) for each in range(birds)),
            *(writes.Put(Nest(nest_id=each)) for each in range(nests)),
        ]
    )
    db.connection.call("PutItem", {"TableName": "aviary", "Item": {"PK": {"S": "x"}, "SK": {"S": "y"}}})
    return OpenDesign(db, "Aviary", "memory", "aviary:design")


def test_a_small_table_is_counted_exactly() -> None:
    opened = _opened(5, 3)
    found = entity_sample(opened, "aviary", 9)
    opened.close()
    assert found["complete"]
    assert [(each["role"], each["entity"], each["found"]) for each in found["counts"]] == [
        ("entity", "Bird", 5),
        ("entity", "Nest", 3),
        ("unknown", None, 1),
    ]
    assert all(each["estimate"] == each["found"] for each in found["counts"])


def test_a_large_table_is_estimated_from_a_bounded_number_of_items() -> None:
    opened = _opened(300, 99)
    found = entity_sample(opened, "aviary", 400, most=80)
    opened.close()
    assert not found["complete"]
    assert found["examined"] == 80
    estimates = {each["entity"]: each["estimate"] for each in found["counts"]}
    assert 200 <= estimates["Bird"] <= 380
    assert sum(estimates.values()) in range(398, 403)


def test_a_count_that_is_too_old_does_not_hide_items() -> None:
    opened = _opened(30, 0)
    found = entity_sample(opened, "aviary", 0, most=10)
    opened.close()
    assert (found["examined"], found["complete"]) == (10, False)
