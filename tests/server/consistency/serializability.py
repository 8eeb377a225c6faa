"""Strict serializability of transactions on lists: is there one order that explains all reads and respects time?

Transactions append unique numbers to lists and read whole lists, as in Elle (Kingsbury and Alvaro, "Elle: Inferring
Isolation Anomalies from Experimental Observations", 2020). A list shows the order of its writers, so the dependencies
between transactions are known, not searched for:

- ww: a transaction appended directly after another one's number;
- wr: a transaction read a list that ends with another one's number;
- rw: a transaction read a list, and another one appended the next number;
- time: a transaction began after another one had ended.

A cycle of dependencies means that no order explains the history.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import NamedTuple, TypeAlias

NEVER = math.inf
Node: TypeAlias = int | tuple[str, int]
"""The number of a transaction, or a point in time."""


class Transaction(NamedTuple):
    """One transaction as its client saw it."""

    start: float
    end: float
    """`NEVER` when the reply was lost: it may or may not have been applied."""
    appended: dict[str, int]
    """The number that it appended to each list."""
    read: dict[str, tuple[int, ...]]
    """The lists that it read."""
    is_cancelled: bool = False


def problems(history: list[Transaction], final: dict[str, tuple[int, ...]]) -> list[str]:
    """What no serial order explains, given the lists at the end; nothing else is checked when a list is wrong."""
    return list(_wrong_lists(history, final)) or list(_cycles(history, final))


def _wrong_lists(history: list[Transaction], final: dict[str, tuple[int, ...]]) -> Iterator[str]:
    present = {(key, number) for key, numbers in final.items() for number in numbers}
    for key, numbers in final.items():
        if len(set(numbers)) < len(numbers):
            yield f"duplicate: list {key} has a number twice"
    for transaction in history:
        found = {append in present for append in transaction.appended.items()}
        if found == {True, False}:
            yield f"torn: a part of {transaction} is missing"
        elif transaction.is_cancelled and True in found:
            yield f"cancelled, but applied: {transaction}"
        elif transaction.end < NEVER and not transaction.is_cancelled and False in found:
            yield f"lost: {transaction}"
        for key, numbers in transaction.read.items():
            if final.get(key, ())[: len(numbers)] != numbers:
                yield f"a read of {key} is not a beginning of the list at the end: {transaction}"


def _cycles(history: list[Transaction], final: dict[str, tuple[int, ...]]) -> Iterator[str]:
    """A cycle of dependencies, if there is one."""
    after: dict[Node, set[Node]] = defaultdict(set)
    for earlier, later in (*_dependencies(history, final), *_time_order(history)):
        if earlier != later:
            after[later].add(earlier)
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        cycle = [history[node] for node in error.args[1] if isinstance(node, int)]
        yield f"cycle: {cycle}"


def _dependencies(
    history: list[Transaction], final: dict[str, tuple[int, ...]]
) -> Iterator[tuple[Node, Node]]:
    writer = {
        append: number
        for number, transaction in enumerate(history)
        for append in transaction.appended.items()
    }
    for key, numbers in final.items():
        for earlier, later in pairwise(numbers):
            yield writer[key, earlier], writer[key, later]
    for reader, transaction in enumerate(history):
        for key, numbers in transaction.read.items():
            if numbers:
                yield writer[key, numbers[-1]], reader
            if len(numbers) < len(final[key]):
                yield reader, writer[key, final[key][len(numbers)]]


def _time_order(history: list[Transaction]) -> Iterable[tuple[Node, Node]]:
    """The order of transactions that do not overlap, through a chain of the points in time at which one ended."""
    events = [(transaction.start, 0, number) for number, transaction in enumerate(history)]
    events += [(transaction.end, 1, number) for number, transaction in enumerate(history)]
    point = 0
    for at, is_end, number in sorted(events):
        if at == NEVER:
            return
        if is_end:
            yield ("time", point), ("time", point + 1)
            yield number, ("time", point + 1)
            point += 1
        else:
            yield ("time", point), number
