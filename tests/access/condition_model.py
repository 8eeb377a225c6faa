"""Random conditions on random people, each with its result in Python: a model of what DynamoDB evaluates."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tablewright.design.fields.conditions import Condition
from tests.design.people import Address, Citizen, Status

person: Any = Citizen
Value = Callable[[Any], Any]
"""The value of a path in a person; None if there is none."""

WORDS = st.sampled_from(["", "a", "ab", "b", "é", "Berlin"])
NUMBERS = st.integers(-2, 3)
ADDRESSES = st.builds(
    Address, city=WORDS, zip_code=WORDS, floor=st.none() | NUMBERS, size=st.sampled_from([0, 1])
)
PEOPLE = st.builds(
    lambda **values: Citizen(**values),  # hypothesis would give required fields under their stored names too
    person_id=st.just("p"),
    name=WORDS,
    nick_name=st.none() | WORDS,
    status=st.sampled_from(Status),
    visits=NUMBERS,
    active=st.booleans(),
    tags=st.sets(st.sampled_from(["a", "b", "Berlin"])),
    numbers=st.lists(NUMBERS, max_size=3),
    address=st.none() | ADDRESSES,
    home=ADDRESSES,
    addresses=st.dictionaries(st.sampled_from(["home", "work", "odd key.#:"]), ADDRESSES),
    history=st.lists(ADDRESSES, max_size=2),
)


@dataclass(frozen=True)
class Modelled:
    """A condition, and whether it holds for a person."""

    condition: Condition
    holds: Callable[[Any], bool]


def at(*parts: Any) -> Value:
    def value(one: Any) -> Any:
        for part in parts:
            if one is None:
                return None
            if isinstance(part, str) and not isinstance(one, dict):
                one = getattr(one, part)
            elif isinstance(one, dict):
                one = one.get(part)
            else:
                one = one[part] if part < len(one) else None
        return None if one == set() else one

    return value


TEXTS: list[tuple[Any, Value]] = [
    (person.name, at("name")),
    (person.nick_name, at("nick_name")),
    (person.address.city, at("address", "city")),
    (person.address.zip_code, at("address", "zip_code")),
    (person.addresses["home"].city, at("addresses", "home", "city")),
    (person.addresses["odd key.#:"].zip_code, at("addresses", "odd key.#:", "zip_code")),
    (person.history[0].city, at("history", 0, "city")),
]
INTEGERS: list[tuple[Any, Value]] = [
    (person.visits, at("visits")),
    (person.numbers[1], at("numbers", 1)),
    (person.address.floor, at("address", "floor")),
    (person.home["size"], at("home", "size")),
]
HOLDERS: list[tuple[Any, Value]] = [
    *TEXTS,
    (person.tags, at("tags")),
    (person.numbers, at("numbers")),
    (person.addresses, at("addresses")),
    (person.history, at("history")),
]
OPERATORS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


def compared(sign: Any, one: Value, other: Value) -> Callable[[Any], bool]:
    """No comparison with an absent value holds, but that it is not equal."""

    def holds(entity: Any) -> bool:
        first, second = one(entity), other(entity)
        return sign is operator.ne if first is None or second is None else bool(sign(first, second))

    return holds


def length(value: Value) -> Value:
    def size(entity: Any) -> Any:
        found = value(entity)
        if isinstance(found, str):
            return len(found.encode("utf-16-le")) // 2
        return None if found is None else len(found)

    return size


def constant(value: Any) -> Value:
    return lambda entity: value


@st.composite
def comparisons(draw: Any) -> Modelled:
    paths, values = draw(st.sampled_from([(TEXTS, WORDS), (INTEGERS, NUMBERS)]))
    path, value = draw(st.sampled_from(paths))
    sign = draw(st.sampled_from(OPERATORS))
    other = draw(st.sampled_from([each for each in paths if each[0] is not path]) | values)
    if isinstance(other, tuple):
        return Modelled(sign(path, other[0]), compared(sign, value, other[1]))
    return Modelled(sign(path, other), compared(sign, value, constant(other)))


@st.composite
def ranges(draw: Any) -> Modelled:
    paths, values = draw(st.sampled_from([(TEXTS, WORDS), (INTEGERS, NUMBERS)]))
    path, value = draw(st.sampled_from(paths))
    low, high = sorted((draw(values), draw(values)))
    if draw(st.booleans()):
        return Modelled(path.one_of(low, high), lambda entity: value(entity) in (low, high))
    return Modelled(
        path.between(low, high), lambda entity: value(entity) is not None and low <= value(entity) <= high
    )


@st.composite
def sizes(draw: Any) -> Modelled:
    path, value = draw(st.sampled_from(HOLDERS))
    sign, number = draw(st.sampled_from(OPERATORS[1:])), draw(st.integers(2, 4))
    if draw(st.booleans()):
        other = draw(st.sampled_from(INTEGERS))
        return Modelled(sign(path.size(), other[0]), compared(sign, length(value), other[1]))
    return Modelled(sign(path.size(), number), compared(sign, length(value), constant(number)))


@st.composite
def functions(draw: Any) -> Modelled:
    path, value = draw(st.sampled_from([*HOLDERS, *INTEGERS]))
    if draw(st.booleans()):
        return Modelled(path.exists(), lambda entity: value(entity) is not None)
    if draw(st.booleans()):
        return Modelled(path.is_absent(), lambda entity: value(entity) is None)
    path, value = draw(st.sampled_from(TEXTS))
    word = draw(WORDS.filter(bool))
    if draw(st.booleans()):
        return Modelled(path.begins_with(word), lambda entity: (value(entity) or "").startswith(word))
    return Modelled(path.contains(word), lambda entity: word in (value(entity) or ""))


@st.composite
def elements(draw: Any) -> Modelled:
    word, number, address = draw(WORDS.filter(bool)), draw(NUMBERS), draw(ADDRESSES)
    found: Modelled = draw(
        st.sampled_from(
            [
                Modelled(person.tags.contains(word), lambda entity: word in entity.tags),
                Modelled(person.numbers.contains(number), lambda entity: number in entity.numbers),
                Modelled(person.history.contains(address), lambda entity: address in entity.history),
                Modelled(person.home == address, lambda entity: entity.home == address),
                Modelled(
                    person.tags.contains(person.home.city), lambda entity: entity.home.city in entity.tags
                ),
                Modelled(person.status == Status.OPEN, lambda entity: entity.status is Status.OPEN),
                Modelled(person.active == False, lambda entity: not entity.active),  # noqa: E712
            ]
        )
    )
    return found


LEAVES = comparisons() | ranges() | sizes() | functions() | elements()


@st.composite
def _joined(draw: Any, inner: st.SearchStrategy[Modelled]) -> Modelled:
    one, other = draw(inner), draw(inner)
    match draw(st.sampled_from(["and", "or", "not"])):
        case "and":
            return Modelled(
                one.condition & other.condition, lambda entity: one.holds(entity) and other.holds(entity)
            )
        case "or":
            return Modelled(
                one.condition | other.condition, lambda entity: one.holds(entity) or other.holds(entity)
            )
        case _:
            return Modelled(~one.condition, lambda entity: not one.holds(entity))


CONDITIONS = st.recursive(LEAVES, _joined, max_leaves=4)
