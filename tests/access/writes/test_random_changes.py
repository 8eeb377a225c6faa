"""Random sequences of changes: the store equals a model in Python, and keys, copies and locks stay consistent."""

import random
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tablewright import Clock, Repository, connect, errors, keyrings, writes
from tablewright.lifecycle.integrity.fsck import check
from tests.access import depot
from tests.access.depot import Address, Span, design

Box: Any = depot.Box
Crate: Any = depot.Crate
Safe: Any = depot.Safe

Random = random.Random


def word(random: Random) -> str:
    return random.choice(["a", "b", "c", "ä"])


def number(random: Random) -> int:
    return random.randint(-3, 9)


def address(random: Random) -> Address:
    return Address(city=word(random), zip_code=random.choice([None, "1"]), lines=[word(random)])


def one(random: Random, *ways: Callable[[], Any]) -> Any:
    return random.choice(ways)()


def of_list(place: Any, make: Callable[[Random], Any], random: Random) -> Any:
    index = random.randint(0, 4)
    return one(
        random,
        lambda: place.append(*(make(random) for _ in range(random.randint(1, 2)))),
        lambda: place.prepend(make(random)),
        lambda: place[index].remove(),
        lambda: place[index].set(make(random)),
        lambda: place.set([make(random)]),
    )


def of_set(place: Any, make: Callable[[Random], Any], random: Random) -> Any:
    members = [make(random) for _ in range(random.randint(1, 2))]
    return one(random, lambda: place.add(*members), lambda: place.discard(*members))


def of_number(place: Any, random: Random) -> Any:
    methods = [place.add, place.set, place.raise_to, place.lower_to, place.set_if_absent]
    return random.choice(methods)(number(random))


def of_text(place: Any, random: Random) -> Any:
    return one(
        random, lambda: place.set(word(random)), lambda: place.set_if_absent(word(random)), place.remove
    )


def of_address(place: Any, random: Random) -> Any:
    return one(
        random,
        lambda: place.city.set(word(random)),
        lambda: of_text(place.zip_code, random),
        lambda: of_number(place.visits, random),
        lambda: of_number(place.floor, random),
        lambda: place.floor.remove(),
        lambda: of_list(place.lines, word, random),
        lambda: of_set(place.labels, word, random),
    )


def box_change(random: Random) -> Any:
    key = word(random)
    return one(
        random,
        lambda: of_text(Box.note, random),
        lambda: Box.name.set(word(random)),
        lambda: of_number(Box.best, random),
        lambda: Box.seats.add(number(random)),
        lambda: Box.price.add(Decimal(number(random)) / 4),
        lambda: Box.taken.add(1),
        lambda: of_list(Box.history, word, random),
        lambda: of_list(Box.recent, word, random),
        lambda: of_list(Box.queue, number, random),
        lambda: of_set(Box.tags, word, random),
        lambda: of_set(Box.codes, number, random),
        lambda: Box.address.set(random.choice([None, address(random)])),
        lambda: of_address(Box.address, random),
        lambda: of_address(Box.home, random),
        lambda: Box.addresses[key].set(address(random)),
        lambda: Box.addresses[key].remove(),
        lambda: of_address(Box.addresses[key], random),
        lambda: of_set(Box.groups[key], word, random),
        lambda: of_number(Box.scores[key], random),
        lambda: Box.scores[key].remove(),
        lambda: of_list(Box.stops, address, random),
        lambda: of_address(Box.stops[random.randint(0, 2)], random),
        lambda: Box.span.low.set(number(random)),
        lambda: Box.span.set(Span(low=0, high=abs(number(random)))),
    )


def crate_change(random: Random) -> Any:
    return one(
        random,
        lambda: of_list(Crate.owners, word, random),
        lambda: of_set(Crate.tags, word, random),
        lambda: Crate.notes[word(random)].set(word(random)),
        lambda: Crate.notes[word(random)].remove(),
        lambda: of_number(Crate.level, random),
        lambda: Crate.ratio.add(random.choice([0.1, 0.2, 0.7])),
        lambda: of_text(Crate.code, random),
        lambda: Crate.seen.add(random.randint(0, 5)),
        lambda: Crate.seen.raise_to(4_000_000_000 + random.randint(0, 50)),
    )


def safe_change(random: Random) -> Any:
    return one(
        random,
        lambda: of_list(Safe.words, word, random),
        lambda: Safe.rooms[word(random)].set(word(random)),
        lambda: Safe.rooms[word(random)].remove(),
        lambda: of_number(Safe.pin, random),
        lambda: Safe.visits.add(1),
    )


ENTITIES: list[tuple[Callable[..., Any], Callable[[Random], Any]]] = [
    (lambda: Box(box_id="1"), box_change),
    (lambda: Crate(crate_id="1"), crate_change),
    (lambda: Safe(safe_id="1"), safe_change),
]
AUTOMATIC = ("updated_at", "version", "expires_at")
REFUSED = (
    errors.InvalidWrite,
    errors.OutOfBounds,
    errors.ParentAbsent,
    errors.UniqueViolation,
    errors.KeyValueError,
    ValueError,
)


FROM_OTHERS = (errors.UniqueViolation, errors.KeyValueError)
"""What the model does not know: the values of other entities, and which values fit into keys."""


def apply(db: Repository, random: Random, before: Any, changes: list[Any]) -> Any:
    """The entity after an update by one of the ways to write it, or the error if the update is refused."""
    write = writes.Update(before, *changes)
    try:
        if random.random() < 0.5:
            return db.update(before, *changes)
        (written,) = db.transact(write)
        return written or db.run(by_key(before))
    except errors.TransactionFailed as failed:
        return failed.failures[0]
    except REFUSED as error:
        return error


def by_key(entity: Any) -> Any:
    patterns: dict[Any, Any] = {
        depot.Box: depot.BoxById,
        depot.Crate: depot.CrateById,
        depot.Safe: depot.SafeById,
    }
    key = entity.layout.primary.names[0]
    return patterns[type(entity)](**{key: getattr(entity, key)})


def modelled(before: Any, changes: list[Any]) -> Any:
    """The entity as the model computes it; None if a change is refused."""
    try:
        return before.changed(*changes)
    except REFUSED:
        return None


@pytest.mark.parametrize("number", range(3), ids=["box", "crate", "safe"])
@pytest.mark.parametrize("seed", range(4))
def test_random_changes_equal_the_model(number: int, seed: int) -> None:
    random = Random(f"{number} {seed}")
    make, change = ENTITIES[number]
    clock = Clock(start=3_900_000_000.0)
    applied = refused = 0
    with connect(design, environment="test", clock=clock, secrets=keyrings.MemoryKeys()) as db:
        db.create(Crate(crate_id="other", code="ä"))
        current = db.create(make())
        for _ in range(60):
            changes = [change(random) for _ in range(random.randint(1, 3))]
            expected, returned = modelled(current, changes), apply(db, random, current, changes)
            stored = db.run(by_key(current))
            if isinstance(returned, Exception):
                refused += 1
                assert expected is None or isinstance(returned, FROM_OTHERS), (changes, returned)
                assert stored == current, changes
            else:
                applied += 1
                assert stored == returned, changes
                kept = {name: getattr(returned, name) for name in AUTOMATIC if hasattr(returned, name)}
                assert expected is not None, changes
                assert expected.changed(**kept) == returned, changes
            current = stored
        assert not check(db).findings
    assert applied > 15
    assert refused > 0
