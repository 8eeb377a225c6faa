"""Every change of an update, on stores: what is stored and returned, and what follows in keys, copies and locks."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest

from tablewright import Clock, connect, errors, fields, keyrings, writes
from tablewright.access.repository import Repository
from tablewright.lifecycle.integrity.fsck import check
from tests.access import depot
from tests.access.depot import Address, BoxById, CrateById, Leveled, OwnedBy, SafeById, Span, Tagged, design

# Type checkers see `Box.name` as text. These tests use the methods of attributes without `fields.of(...)`.
Box: Any = depot.Box
Crate: Any = depot.Crate
Safe: Any = depot.Safe


@pytest.fixture(params=["memory", "http"])
def db(request: pytest.FixtureRequest) -> Iterator[Repository]:
    where = request.getfixturevalue("endpoint") if request.param == "http" else None
    with connect(
        design,
        where,
        environment=f"test-{uuid4().hex[:12]}",
        clock=Clock(start=3_900_000_000.0),
        create=True,
        secrets=keyrings.MemoryKeys(),
    ) as opened:
        yield opened


def box(db: Repository, **values: Any) -> Any:
    return db.create(Box(box_id="1", **values))


def changed(db: Repository, *changes: Any, **more: Any) -> Any:
    """The box after an update; what the update returns is what is stored, and what Python computes."""
    before = db.get_or_raise(BoxById(box_id="1"))
    returned = db.update(BoxById(box_id="1"), *changes, **more)
    assert returned == db.run(BoxById(box_id="1"))
    assert before.changed(*changes, updated_at=returned.updated_at) == returned
    return returned


def stored(db: Repository, field: str) -> Any:
    request = {
        "TableName": db.context.table_name(Box.layout.table),
        "Key": {"PK": {"S": "BOX#1"}, "SK": {"S": "BOX"}},
    }
    return db.connection.call("GetItem", request)["Item"].get(field)


def is_consistent(db: Repository) -> bool:
    return not list(check(db).findings)


HOME = Address(city="Ulm", zip_code="1")


def at_home(**values: Any) -> Address:
    return HOME.model_copy(update=values)


CHANGES: list[tuple[str, dict[str, Any], Any, dict[str, Any]]] = [
    ("set", {}, Box.name.set("x"), {"name": "x"}),
    ("set None", {"note": "n"}, Box.note.set(None), {"note": None}),
    ("remove", {"note": "n"}, Box.note.remove(), {"note": None}),
    ("remove a field with a default", {"name": "n"}, Box.name.remove(), {"name": "box"}),
    ("set an absent value", {}, Box.note.set_if_absent("first"), {"note": "first"}),
    ("keep a present value", {"note": "n"}, Box.note.set_if_absent("first"), {"note": "n"}),
    ("add", {"weight": 1}, Box.weight.add(2), {"weight": 3}),
    ("add to an absent number", {}, Box.best.add(2), {"best": 2}),
    ("add a decimal", {"price": Decimal("0.1")}, Box.price.add(Decimal("0.2")), {"price": Decimal("0.3")}),
    ("add to a counter", {}, Box.taken.add(2), {"taken": 2}),
    ("add within the limit", {"seats": 8}, Box.seats.add(2), {"seats": 10}),
    ("add members", {"tags": {"a"}}, Box.tags.add("a", "b"), {"tags": {"a", "b"}}),
    ("add a set", {}, Box.tags.add({"a", "b"}), {"tags": {"a", "b"}}),
    ("add to an absent set of numbers", {}, Box.codes.add(1), {"codes": {1}}),
    ("discard", {"tags": {"a", "b"}}, Box.tags.discard("a", "z"), {"tags": {"b"}}),
    ("discard all", {"tags": {"a"}}, Box.tags.discard("a"), {"tags": set()}),
    ("discard all of an optional set", {"codes": {1}}, Box.codes.discard(1), {"codes": None}),
    ("discard from an absent set", {}, Box.codes.discard(1), {"codes": None}),
    ("append", {"history": ["a"]}, Box.history.append("b", "c"), {"history": ["a", "b", "c"]}),
    ("append to an absent list", {}, Box.queue.append(1), {"queue": [1]}),
    ("append within the limit", {"recent": ["a"]}, Box.recent.append("b", "c"), {"recent": ["a", "b", "c"]}),
    ("prepend", {"history": ["a"]}, Box.history.prepend("b", "c"), {"history": ["b", "c", "a"]}),
    ("remove an element", {"history": ["a", "b"]}, Box.history[0].remove(), {"history": ["b"]}),
    ("remove an element beyond the end", {"history": ["a"]}, Box.history[4].remove(), {"history": ["a"]}),
    ("set an element", {"history": ["a", "b"]}, Box.history[1].set("z"), {"history": ["a", "z"]}),
    ("set an element beyond the end", {"history": ["a"]}, Box.history[9].set("z"), {"history": ["a", "z"]}),
    ("set an entry", {"addresses": {}}, Box.addresses["home"].set(HOME), {"addresses": {"home": HOME}}),
    ("remove an entry", {"addresses": {"home": HOME}}, Box.addresses["home"].remove(), {"addresses": {}}),
    ("remove an absent entry", {"addresses": {}}, Box.addresses["home"].remove(), {"addresses": {}}),
    ("count in a map", {}, Box.scores["ada"].add(2), {"scores": {"ada": 2}}),
    ("count on in a map", {"scores": {"ada": 2}}, Box.scores["ada"].add(2), {"scores": {"ada": 4}}),
    ("add to a set in a map", {}, Box.groups["g"].add("a"), {"groups": {"g": {"a"}}}),
    ("discard in a map", {"groups": {"g": {"a", "b"}}}, Box.groups["g"].discard("a"), {"groups": {"g": {"b"}}}),
    ("discard all in a map", {"groups": {"g": {"a"}}}, Box.groups["g"].discard("a"), {"groups": {}}),
    ("set a nested field", {"address": HOME}, Box.address.city.set("x"), {"address": at_home(city="x")}),
    ("remove a nested field", {"address": HOME}, Box.address.zip_code.remove(), {"address": Address(city="Ulm")}),
    ("nested None", {"home": HOME}, Box.home.floor.set(None), {"home": at_home(floor=None)}),
    ("add to a nested number", {"home": HOME}, Box.home.visits.add(2), {"home": at_home(visits=7)}),
    ("append to a nested list", {"home": HOME}, Box.home.lines.append("l"), {"home": at_home(lines=["l"])}),
    ("add to a nested set", {"home": HOME}, Box.home.labels.add("l"), {"home": at_home(labels={"l"})}),
    ("nested set if absent", {"home": Address(city="Ulm")}, Box.home.zip_code.set_if_absent("1"), {"home": HOME}),
    ("nested, present", {"home": HOME}, Box.home.zip_code.set_if_absent("2"), {"home": HOME}),
    ("in a list of models", {"stops": [HOME]}, Box.stops[0].city.set("x"), {"stops": [at_home(city="x")]}),
    (
        "in a map of models",
        {"addresses": {"a": HOME}},
        Box.addresses["a"].lines.append("l"),
        {"addresses": {"a": at_home(lines=["l"])}},
    ),
    ("with a validator", {}, Box.span.high.set(3), {"span": Span(low=0, high=3)}),
    ("raise", {"best": 3}, Box.best.raise_to(5), {"best": 5}),
    ("do not raise", {"best": 7}, Box.best.raise_to(5), {"best": 7}),
    ("raise an absent value", {}, Box.best.raise_to(5), {"best": 5}),
    ("lower", {"best": 7}, Box.best.lower_to(5), {"best": 5}),
    ("do not lower", {"best": 3}, Box.best.lower_to(5), {"best": 3}),
    ("raise in a map", {"scores": {"a": 3}}, Box.scores["a"].raise_to(5), {"scores": {"a": 5}}),
    ("raise an absent entry", {}, Box.scores["a"].raise_to(5), {"scores": {"a": 5}}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("before", "change", "expected"), [each[1:] for each in CHANGES], ids=[each[0] for each in CHANGES]
)
def test_a_change_is_stored_and_returned(
    db: Repository, before: dict[str, Any], change: Any, expected: dict[str, Any]
) -> None:
    box(db, **before)
    after = changed(db, change)
    assert {name: getattr(after, name) for name in expected} == expected
    assert is_consistent(db)


def test_several_changes_see_the_old_values(db: Repository) -> None:
    box(db, history=["a", "b", "c"], home=HOME, scores={"x": 1})
    after = changed(
        db,
        Box.history[0].remove(),
        Box.history[2].remove(),
        Box.history[1].set("B"),
        Box.history[8].set("y"),
        Box.history[7].set("x"),
        Box.home.city.set("Jena"),
        Box.home.visits.add(1),
        Box.scores["y"].set(2),
        Box.weight.add(1),
        Box.name.set("n"),
    )
    assert after.history == ["B", "x", "y"]
    assert (after.home.city, after.home.visits, after.scores) == ("Jena", 6, {"x": 1, "y": 2})


def test_mappings_and_changes_go_together(db: Repository) -> None:
    box(db)
    after = db.update(BoxById(box_id="1"), Box.history.append("a"), set={"name": "n"}, add={"weight": 1})
    assert (after.history, after.name, after.weight) == (["a"], "n", 8)


def test_nested_values_are_stored_under_their_stored_names(db: Repository) -> None:
    box(db, home=HOME)
    db.update(BoxById(box_id="1"), Box.home.zip_code.set("9"), Box.addresses["a"].set(HOME))
    assert stored(db, "home")["M"]["zipCode"] == {"S": "9"}
    assert stored(db, "addresses")["M"]["a"]["M"]["zipCode"] == {"S": "1"}


INVALID: dict[str, tuple[Any, str]] = {
    "type": (Box.name.set(3), r"Box\.name must be a valid string, got 3"),
    "nested type": (Box.home.city.set(3), r"Box\.home\.city must be a valid string, got 3"),
    "nested limit": (Box.home.short.set("abcd"), r"Box\.home\.short must have at most 3 characters, got .abcd."),
    "element": (Box.history.append(3), r"Box\.history\[0\] must be a valid string, got 3"),
    "entry": (Box.scores["a"].set("x"), r"Box\.scores\['a'\] must be a valid integer, got .x."),
    "length": (Box.recent.append("a", "b", "c", "d"), r"at most 3 items"),
    "sum": (Box.seats.add(11), "cannot add 11 to seats, which is 0: the sum must be at most 10"),
    "validator": (Box.span.low.set(11), r"Box\.span\.low\.set\(\.\.\.\): low is above high"),
    "required": (Box.home.city.remove(), r"Box\.home\.city is required and cannot be removed"),
    "not a list": (Box.name.append("x"), r"Box\.name\.append\(\.\.\.\): the field is not a list"),
    "not a set": (Box.history.discard("x"), r"the field is not a set; change it with set"),
    "not a number": (Box.name.add(1), r"the field is not a number or a set"),
    "one number": (Box.weight.add(1, 2), r"a number takes one number"),
    "nothing": (Box.history.append(), r"Box\.history\.append\(\) takes one element or more"),
    "no member": (Box.tags.add(), r"Box\.tags\.add\(\) takes one member or more"),
    "none": (Box.note.set_if_absent(None), r"takes a value, not None"),
    "counter": (Box.taken.raise_to(3), r"Box\.taken is a Counter; change it with add"),
    "counter if absent": (Box.taken.set_if_absent(3), r"Box\.taken is a Counter; change it with add"),
    "key": (Box.box_id.set_if_absent("2"), r"set_if_absent\(\.\.\.\): the field is part of the primary key"),
    "key set": (Box.box_id.set("2"), r"Box\.box_id is part of the primary key.*use move"),
    "version": (Crate.version.add(1), r"Crate\.version is a field of Crate, and the write changes a Box"),
    "empty set": (Box.tags.set_if_absent(set()), "not an empty set"),
    "no change": ({"name": "x"}, r"takes changes such as .* got a dict; a mapping goes into set="),
    "condition": (Box.name == "x", "a condition into when="),
}  # fmt: skip


@pytest.mark.parametrize(("change", "message"), INVALID.values(), ids=INVALID)
def test_invalid_changes_name_the_field_and_the_fix(db: Repository, change: Any, message: str) -> None:
    box(db)
    before = db.run(BoxById(box_id="1"))
    with pytest.raises((errors.InvalidWrite, errors.OutOfBounds), match=message):
        db.update(BoxById(box_id="1"), change)
    assert db.run(BoxById(box_id="1")) == before


def test_the_version_and_the_time_of_the_last_write_are_not_changed_by_hand(db: Repository) -> None:
    with pytest.raises(errors.InvalidWrite, match=r"Crate\.version is increased by every write"):
        db.update(CrateById(crate_id="1"), Crate.version.add(1))
    with pytest.raises(errors.InvalidWrite, match="every write sets the field"):
        db.update(BoxById(box_id="1"), Box.updated_at.raise_to(db.now()))


OVERLAPPING = [
    (Box.home.set(HOME), Box.home.city.set("x")),
    (Box.home.zip_code.set("x"), Box.home.zip_code.remove()),
    (Box.history.append("x"), Box.history[0].remove()),
    (Box.weight.add(1), Box.weight.set(1)),
]


@pytest.mark.parametrize("changes", OVERLAPPING)
def test_overlapping_changes_are_refused_with_both_named(db: Repository, changes: tuple[Any, Any]) -> None:
    one, other = (change.shown for change in changes)
    with pytest.raises(errors.InvalidWrite) as error:
        db.update(BoxById(box_id="1"), *changes)
    assert one in str(error.value)
    assert other in str(error.value)
    with pytest.raises(errors.InvalidWrite, match="more than once"):
        db.update(BoxById(box_id="1"), Box.home.city.set("x"), set={"home": HOME})


def test_an_absent_parent_is_named_with_the_fix(db: Repository) -> None:
    box(db)
    message = r"has no Box\.address, so Box\.address\.city\.set\(\.\.\.\) cannot be applied; set it first"
    with pytest.raises(errors.ParentAbsent, match=message) as error:
        db.update(BoxById(box_id="1"), Box.address.city.set("x"))
    assert error.value.parent == "Box.address"
    with pytest.raises(errors.TransactionFailed, match=message):
        db.transact(writes.Update(BoxById(box_id="1"), Box.address.city.set("x")))
    with pytest.raises(KeyError):
        db.update(BoxById(box_id="1"), Box.address.city.set("x"), otherwise=KeyError)
    with pytest.raises(errors.ParentAbsent, match=r"has no Box\.addresses\['a'\], so"):
        db.update(BoxById(box_id="1"), Box.addresses["a"].city.set("x"))
    with pytest.raises(errors.ParentAbsent, match=r"has no Box\.stops\[0\], so"):
        db.update(BoxById(box_id="1"), Box.stops[0].city.set("x"))


def test_an_absent_parent_does_not_hide_a_condition(db: Repository) -> None:
    box(db)
    with pytest.raises(errors.ConditionNotMet):
        db.update(BoxById(box_id="1"), Box.address.city.set("x"), when=fields.of(Box.address).exists())
    with pytest.raises(errors.ParentAbsent):
        db.update(BoxById(box_id="1"), Box.address.city.set("x"), when=Box.name == "box")


def test_a_parent_that_was_never_stored_has_its_default(db: Repository) -> None:
    box(db)
    db.connection.call(
        "UpdateItem",
        {
            "TableName": db.context.table_name(Box.layout.table),
            "Key": {"PK": {"S": "BOX#1"}, "SK": {"S": "BOX"}},
            "UpdateExpression": "REMOVE addresses, home, history",
        },
    )
    after = changed(db, Box.addresses["a"].set(HOME), Box.home.visits.add(1), Box.history.append("x"))
    assert (after.addresses, after.home, after.history) == (
        {"a": HOME},
        Address(city="Bonn", visits=6),
        ["x"],
    )


def test_a_change_needs_an_entity_and_its_condition(db: Repository) -> None:
    with pytest.raises(errors.DoesNotExist):
        db.update(BoxById(box_id="1"), Box.history.append("x"))
    box(db, best=9)
    with pytest.raises(errors.ConditionNotMet):
        db.update(BoxById(box_id="1"), Box.history.append("x"), when=Box.name == "other")
    with pytest.raises(errors.ConditionNotMet):
        db.update(BoxById(box_id="1"), Box.best.raise_to(5), when=Box.name == "other")


def test_changes_in_all_kinds_of_writes(db: Repository) -> None:
    made = db.upsert(Box(box_id="1", history=[]), Box.history.append("x"))
    assert made.history == []
    assert db.upsert(Box(box_id="1", history=[]), Box.history.append("x")).history == ["x"]
    assert db.add(made, Box.weight.add(1), taken=2).weight == 8
    db.transact(
        writes.Update(made, Box.history.append("y"), Box.home.city.set("c")),
        writes.Upsert(Box(box_id="2", history=["y"]), Box.history.append("y")),
    )
    db.transact(writes.Add(made, Box.tags.add("t"), weight=1))
    after = db.get_or_raise(BoxById(box_id="1"))
    assert (after.history, after.home.city, after.tags, after.weight) == (["x", "y"], "c", {"t"}, 9)
    with pytest.raises(
        errors.InvalidWrite, match=r"Add takes changes by add\(...\), not Box.name.set\(...\)"
    ):
        writes.Add(made, Box.name.set("x"))


class TestWhatFollows:
    def test_a_sparse_index_on_a_set(self, db: Repository) -> None:
        crate = db.create(Crate(crate_id="1"))
        assert not db.all(Tagged())
        crate = db.update(crate, Crate.tags.add("t"))
        assert db.all(Tagged()) == [crate]
        crate = db.update(crate, Crate.tags.discard("t"))
        assert not db.all(Tagged())
        assert is_consistent(db)

    def test_the_copies_of_a_list(self, db: Repository) -> None:
        crate = db.create(Crate(crate_id="1", owners=["a"]))
        crate = db.update(crate, Crate.owners.append("b"))
        crate = db.update(crate, Crate.owners[0].remove())
        assert crate.owners == ["b"]
        assert not db.all(OwnedBy(owner="a"))
        assert [each.crate_id for each in db.all(OwnedBy(owner="b"))] == ["1"]
        assert is_consistent(db)

    def test_copies_carry_nested_changes(self, db: Repository) -> None:
        crate = db.create(Crate(crate_id="1", owners=["a"]))
        db.update(crate, Crate.notes["n"].set("x"))
        assert db.all(OwnedBy(owner="a"))[0].notes == {"n": "x"}
        assert is_consistent(db)

    def test_index_keys_of_raised_and_absent_values(self, db: Repository) -> None:
        crate = db.create(Crate(crate_id="1", level=3))
        crate = db.update(crate, Crate.level.raise_to(5), Crate.code.set_if_absent("c"))
        assert (crate.level, crate.code) == (5, "c")
        with pytest.raises(errors.UniqueViolation):
            db.create(Crate(crate_id="2", code="c"))
        crate = db.update(crate, Crate.level.lower_to(2), Crate.code.set_if_absent("d"))
        assert (crate.level, crate.code) == (2, "c")
        assert db.all(Leveled()) == [crate]
        assert is_consistent(db)

    def test_the_sum_of_floats_is_the_same_in_copies(self, db: Repository) -> None:
        crate = db.create(Crate(crate_id="1", owners=["a"], ratio=0.1))
        assert db.update(crate, Crate.ratio.add(0.2)).ratio == db.all(OwnedBy(owner="a"))[0].ratio
        assert is_consistent(db)

    def test_an_expiry_follows_an_added_time(self, db: Repository) -> None:
        crate = db.create(Crate(crate_id="1", code="c"))
        crate = db.update(crate, Crate.seen.add(50))
        assert crate.expires_at == 4_000_000_150
        crate = db.update(crate, Crate.seen.raise_to(4_000_000_090))
        assert crate.expires_at == 4_000_000_190
        assert db.update(crate, add={"seen": 10}).expires_at == 4_000_000_200
        assert is_consistent(db)
        with pytest.raises(errors.InvalidWrite, match="milliseconds"):
            db.update(crate, Crate.expires_at.raise_to(4_000_000_000_000))

    def test_versions_are_compared_and_increased(self, db: Repository) -> None:
        crate = db.create(Crate(crate_id="1"))
        after = db.update(crate, Crate.notes["n"].set("x"))
        assert after.version == 2
        with pytest.raises(errors.VersionConflict):
            db.update(crate, Crate.notes["n"].set("y"))


class TestSecrets:
    def test_changes_inside_of_encrypted_fields(self, db: Repository) -> None:
        safe = db.create(Safe(safe_id="1", words=["a"], rooms={"k": "v"}, pin=4))
        safe = db.update(
            safe, Safe.words.append("b"), Safe.rooms["l"].set("w"), Safe.pin.add(1), Safe.visits.add(1)
        )
        assert (safe.words, safe.rooms, safe.pin, safe.visits) == (["a", "b"], {"k": "v", "l": "w"}, 5, 1)
        assert db.run(SafeById(safe_id="1")) == safe
        assert db.update(safe, Safe.words[0].remove(), add={"pin": 2}).pin == 7
        assert db.update(safe, Safe.pin.raise_to(9)).pin == 9
        assert is_consistent(db)

    def test_hashed_fields(self, db: Repository) -> None:
        safe = db.create(Safe(safe_id="1"))
        db.update(safe, Safe.token.set_if_absent("t"))
        db.update(safe, Safe.token.set_if_absent("u"))
        db.update(safe, Safe.visits.add(1), when=Safe.token == "t")
        assert is_consistent(db)
        with pytest.raises(errors.InvalidWrite, match="stored as a hash"):
            db.update(safe, Safe.token.raise_to("x"))

    def test_values_are_masked(self, db: Repository) -> None:
        secret = "hunter2"
        safe = db.create(Safe(safe_id="1"))
        changes = [Safe.words.append(secret), Safe.rooms["l"].set(secret), Safe.token.set(secret)]
        shown = repr([writes.Update(safe, *changes), writes.Upsert(safe, *changes), changes])
        assert secret not in shown
        assert "Safe.rooms['l'].set('***')" in shown
        for wrong in (
            Safe.words.append([secret]),
            Safe.pin.set(secret),
            Safe.rooms["l"].set([secret]),
            Safe.pin.add(secret),
        ):
            with pytest.raises(errors.InvalidWrite) as error:
                db.update(safe, wrong)
            assert secret not in repr(error.value)


class TestCost:
    """Which changes read first: the number of calls."""

    BLIND = (
        Box.name.set("x"), Box.note.set_if_absent("x"), Box.weight.add(1), Box.tags.add("x"), Box.tags.discard("x"),
        Box.history.append("x"), Box.history.prepend("x"), Box.history[0].remove(), Box.history[0].set("x"),
        Box.addresses["a"].set(HOME), Box.addresses["a"].remove(), Box.scores["a"].add(1), Box.home.city.set("x"),
        Box.home.visits.add(1), Box.home.lines.append("x"), Box.stops[0].remove(), Box.seats.add(1),
    )  # fmt: skip
    READS = (
        Box.best.raise_to(1), Box.recent.append("x"), Box.home.labels.add("x"), Box.span.low.set(1),
        Box.groups["g"].discard("x"), Box.home.zip_code.set_if_absent("1"),
    )  # fmt: skip

    @pytest.mark.parametrize("change", BLIND + READS, ids=repr)
    def test_calls(self, change: Any) -> None:
        with connect(design, environment="cost", secrets=keyrings.MemoryKeys()) as db:
            box(db)
            calls: list[str] = []
            call = db._call

            def record(operation: str, request: dict[str, Any]) -> dict[str, Any]:
                calls.append(operation)
                return call(operation, request)

            db._call = record
            db.update(BoxById(box_id="1"), change)
            assert calls == (["UpdateItem"] if change in self.BLIND else ["GetItem", "UpdateItem"])


def test_explain_shows_the_expression(db: Repository) -> None:
    box(db)
    explained = db.explain(
        writes.Update(BoxById(box_id="1"), Box.home.lines.append("x"), Box.tags.discard("t"))
    )
    expression = explained.request["UpdateExpression"]
    assert "list_append(if_not_exists(" in expression
    assert "DELETE" in expression
    assert explained.capacity == 1
    absent = writes.Update(BoxById(box_id="1"), Box.address.city.set("x"))
    assert db.explain(absent).operation == "UpdateItem"


class TestRaces:
    """Another writer changes the item between reading and writing: the change is computed again, and none is lost."""

    @staticmethod
    def _interrupt(db: Repository, operation: str, other: Any) -> list[str]:
        """Run `other` once before the first call of an operation; the calls are listed."""
        calls: list[str] = []
        call, waiting = db._call, [other]

        def interrupted(name: str, request: dict[str, Any]) -> dict[str, Any]:
            if name == operation and waiting:
                waiting.pop()()
            calls.append(name)
            return call(name, request)

        db._call = interrupted  # type: ignore[assignment]
        return calls

    @pytest.mark.parametrize(
        ("change", "other", "expected"),
        [
            (Box.best.raise_to(5), Box.best.set(9), {"best": 9}),
            (Box.recent.append("x"), Box.recent.append("y"), {"recent": ["y", "x"]}),
            (Box.home.labels.add("x"), Box.home.labels.add("y"), {"home": Address(city="Bonn", labels={"x", "y"})}),
            (Box.span.low.set(3), Box.span.high.set(5), {"span": Span(low=3, high=5)}),
        ],
    )  # fmt: skip
    def test_a_change_that_reads_is_computed_again(
        self, db: Repository, change: Any, other: Any, expected: dict[str, Any]
    ) -> None:
        box(db)
        twin = Repository(db.design, db.connection, db.context)
        calls = self._interrupt(db, "UpdateItem", lambda: twin.update(BoxById(box_id="1"), other))
        after = db.update(BoxById(box_id="1"), change)
        assert calls == ["GetItem", "UpdateItem", "GetItem", "UpdateItem"]
        assert {name: getattr(after, name) for name in expected} == expected

    def test_a_parent_that_is_removed_meanwhile(self, db: Repository) -> None:
        box(db, address=HOME)
        twin = Repository(db.design, db.connection, db.context)
        calls = self._interrupt(
            db, "UpdateItem", lambda: twin.update(BoxById(box_id="1"), Box.address.remove())
        )
        with pytest.raises(errors.ParentAbsent):
            db.update(BoxById(box_id="1"), Box.address.city.set("x"))
        assert calls == ["UpdateItem", "GetItem"]
