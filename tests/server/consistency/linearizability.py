"""Linearizability of single items: is there an order of the operations that explains all replies and respects time?

Each operation has an interval, from before its request was sent until after its reply arrived, and must take effect at
one point within it; an operation whose reply was lost may take effect at any later time, or never. Items are
independent, so each is checked alone (Herlihy and Wing, "Linearizability", theorem 1).

The search is that of Wing and Gong with Lowe's memory of configurations ("Testing for linearizability", 2017): walk
through the calls and returns in order of time, and keep every configuration that explains what was seen so far: the
item's state, and which open operations have taken effect. When an operation returns, each configuration is extended by
open operations, in any order, until the returned one has taken effect. When no configuration is left, the history is
not linearizable.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeAlias

State: TypeAlias = tuple[int | None, int | None] | None
"""An item's attributes `v` and `n`; None when there is no item."""
Kind = Literal["get", "put", "add", "delete", "put if absent", "put if"]
NEVER = math.inf
ANY = object()
"""The result of an operation whose reply says nothing about the item."""
Configuration: TypeAlias = tuple[State, frozenset[int]]


class Operation(NamedTuple):
    """One operation as its client saw it."""

    key: str
    kind: Kind
    start: float
    end: float
    """`NEVER` when the reply was lost."""
    value: int = 0
    """The `v` that a put writes; what an add adds to `n`."""
    expected: int = 0
    """The `v` that "put if" requires."""
    result: object = None
    """What the reply said: an item before or after, a new `n`, or whether a condition held."""


def effect(state: State, operation: Operation) -> tuple[State, object]:
    """The item after an operation, and what its reply must say."""
    v, n = state or (None, None)
    match operation.kind:
        case "get":
            return state, state
        case "put":
            return (operation.value, None), state
        case "add":
            added = (n or 0) + operation.value
            return (v, added), added
        case "delete":
            return None, state
        case "put if absent":
            return ((operation.value, None), True) if state is None else (state, False)
        case "put if":
            holds = state is not None and v == operation.expected
            return ((operation.value, None), True) if holds else (state, False)


def problems(history: Iterable[Operation]) -> list[str]:
    """The items whose operations no order explains, each with the operation at which the search failed."""
    by_key: dict[str, list[Operation]] = defaultdict(list)
    for operation in history:
        by_key[operation.key].append(operation)
    found = ((key, first_unexplained(operations)) for key, operations in sorted(by_key.items()))
    return [f"item {key!r}: nothing explains {operation}" for key, operation in found if operation]


def first_unexplained(operations: list[Operation]) -> Operation | None:
    """The first operation of one item, by time of return, whose reply no order explains."""
    # At the same time, calls come before returns: such operations overlap.
    events = [(operation.start, 0, number) for number, operation in enumerate(operations)]
    events += [
        (operation.end, 1, number) for number, operation in enumerate(operations) if operation.end < NEVER
    ]
    configurations: set[Configuration] = {(None, frozenset())}
    opened: set[int] = set()
    for _, is_return, number in sorted(events):
        if not is_return:
            opened.add(number)
            continue
        configurations = _returned(number, configurations, opened, operations)
        if not configurations:
            return operations[number]
        opened.discard(number)
    return None


def _returned(
    number: int, before: set[Configuration], opened: set[int], operations: list[Operation]
) -> set[Configuration]:
    """The configurations in which the operation of that number has taken effect."""
    reached: set[Configuration] = set()
    seen = set(before)
    waiting = list(before)
    while waiting:
        state, done = waiting.pop()
        if number in done:
            reached.add((state, done - {number}))
            continue
        for other in opened - done:
            operation = operations[other]
            after, result = effect(state, operation)
            if operation.end < NEVER and operation.result not in (ANY, result):
                continue
            following = (after, done | {other})
            if following not in seen:
                seen.add(following)
                waiting.append(following)
    return reached
