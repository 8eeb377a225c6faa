"""Pattern reads: an access pattern, compiled for one repository. There is one module for each kind of read:

    get_read         Get             one item by its key
    find_read        Find            one item through an index
    page_read        Query, Scan     one page of items
    batch_get_read   BatchGet        many items by their keys

Expired items are left out, deleted or not, unless the caller includes them. An item that is not what the pattern
returns is never dropped: a page lists it under `unknown`; a read of one entity raises it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.decoding import is_expired, unknown_item
from tablewright.access.items.footprint import is_dependent
from tablewright.access.items.unique_locks import is_lock, lock_in
from tablewright.access.items.vault import lookup_values, run_with_keys
from tablewright.access.reads.compiled_request import CompiledRequest
from tablewright.access.reads.pages import PageBuilder
from tablewright.design.fields.markers import Hashed
from tablewright.design.fields.masking import MASK
from tablewright.design.patterns.patterns import Pattern
from tablewright.design.plans.plans import Plan
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import SecretError, UnknownItem, UsageError

Make = Callable[[Item], Any]
"""Makes the value that a read returns from an item: an entity or a row."""


class PatternRead(ABC):
    """One access pattern in one repository."""

    kind: ClassVar[str]
    """The name of the pattern's class, for messages."""

    def __init__(self, plan: Plan, context: Context, make: Make, *, projected: bool = False) -> None:
        self.plan = plan
        for layout in plan.layouts:
            context.require(layout)
        self.compiled = CompiledRequest(plan, context.table_name(plan.table), projected=projected)
        self._context = context
        self._make = make
        self._hashed = next((layout for layout in plan.layouts if layout.marked(Hashed)), None)
        self._secret = tuple(layout for layout in plan.layouts if layout.secrets)
        self._has_chosen_locks = any(layout.locks for layout in plan.layouts)
        self._may_expire = plan.table.ttl is not None
        self._reads_copies = any(plan.reads_copies(layout) for layout in plan.layouts)

    def run(
        self,
        pattern: Any,  # an instance of the class that it was compiled from
        limit: int | None = None,
        cursor: str | None = None,
        include_expired: bool = False,
    ) -> Procedure[Any]:
        """Read once; return an entity or None, or a page."""
        if self._secret:
            return run_with_keys(lambda: self._begin(pattern, limit, cursor, include_expired))
        return self._begin(pattern, limit, cursor, include_expired)

    @abstractmethod
    def _begin(
        self, pattern: Pattern[Any], limit: int | None, cursor: str | None, include_expired: bool
    ) -> Procedure[Any]:
        """Begin the read; a vault that lacks a key raises `KeyNeeded` before the first effect."""

    def request(self, pattern: Pattern[Any]) -> dict[str, Any]:
        """Return the first request of a run, to be shown: values that are looked up by their hash are masked."""
        return self.compiled.request(self._masked(pattern.__dict__))

    def expected_items(self, pattern: Pattern[Any], limit: int | None) -> int:
        """Return how many items a run is expected to read."""
        return 1

    def _require_no_paging(self, limit: int | None, cursor: str | None) -> None:
        if limit is not None or cursor is not None:
            surplus = "limit" if limit is not None else "cursor"
            raise UsageError(f"{self.plan.name} is a {self.kind} and has no pages; leave out {surplus}")

    def _values(self, pattern: Pattern[Any]) -> Mapping[str, Any]:
        return pattern.__dict__ if self._hashed is None else self._looked_up(pattern.__dict__)

    def _looked_up(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        return values if self._hashed is None else lookup_values(self._context.vault, self._hashed, values)

    def _masked(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        secrets = self._hashed.secrets if self._hashed else frozenset()
        return {name: MASK if name in secrets else value for name, value in values.items()}

    def _fetch_keys(self, items: Iterable[Item]) -> Procedure[None]:
        """Fetch the data keys of all items together, before the items are decrypted one by one."""
        if self._secret:
            yield from self._context.vault.prepare(
                (layout, item) for item in items for layout in self._secret
            )

    def add_all(self, items: Iterable[Item], builder: PageBuilder, include_expired: bool) -> None:
        """Decode the items that the read returns, and add them to a page."""
        is_returned, add = self.is_returned, self.add
        for item in items:
            if is_returned(item, include_expired):
                add(item, builder)

    def add(self, item: Item, builder: PageBuilder) -> None:
        """Decode an item and add it to a page."""
        try:
            builder.items.append(self._make(item))
        except UnknownItem as error:
            builder.unknown.append(error)
        except SecretError as error:
            builder.unknown.append(unknown_item(self.plan.table, item, f"cannot be decrypted: {error}"))

    def is_returned(self, item: Item, include_expired: bool) -> bool:
        """Whether a read returns an item: never a lock, a copy only when the pattern reads by the copy's keys."""
        if is_dependent(item) and (not self._reads_copies or is_lock(self.plan.table, item)):
            return False
        if self._has_chosen_locks and lock_in(self.plan.layouts, item):
            return False
        return include_expired or not self._may_expire or self._is_live(item)

    def _is_live(self, item: Item) -> bool:
        return not is_expired(self.plan.table, item, self._context.now())
