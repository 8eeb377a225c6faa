"""Vector demand: the bytes that searches and writes of vector indexes consume, and the rows that they store.

AWS meters vector indexes in bytes, apart from read and write units. A search consumes bytes for each dimension and for
the items it returns; a write, the bytes of the row in the index, 1 KB at least. An update is assumed to change the row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tablewright.access.reads.nearest_read import limit_of
from tablewright.design.designs import Design
from tablewright.design.indexes import VectorIndex
from tablewright.design.layouts.layouts import Layout
from tablewright.design.plans.plans import Plan
from tablewright.design.tables import Table
from tablewright.dynamodb.values.vectors import WIDTH, search_bytes, write_bytes
from tablewright.planning.stored_sizes import field_size, stored_items
from tablewright.planning.workloads import PatternUse, Workload


@dataclass(frozen=True, slots=True)
class VectorDemand:
    """The bytes of a month that one vector index consumes in one way."""

    index: VectorIndex
    kind: Literal["search", "write"]
    bytes: float

    @property
    def price(self) -> str:
        """The name of its price, in dollars for a GB."""
        return f"vector_{self.kind}"


def vector_demands(design: Design, table: Table, workload: Workload) -> Iterator[VectorDemand]:
    """What the vector indexes of a table consume in a month, as far as rates are declared."""
    for index in table.vector_indexes:
        plans = [plan for plan in design.plans if plan.index is index]
        searched = sum(
            (workload.times_of(plan) or 0.0) * bytes_of_search(plan, index, workload) for plan in plans
        )
        written = sum(
            times * write_bytes(_row_size(layout, index, workload))
            for layout in _layouts(design, table, index)
            for times in workload.writes_of(layout).values()
        )
        if searched:
            yield VectorDemand(index, "search", searched)
        if written:
            yield VectorDemand(index, "write", written)


def bytes_of_search(plan: Plan, index: VectorIndex, workload: Workload) -> float:
    """The bytes that one run of a `Nearest` consumes."""
    use = workload.patterns.get(plan.name, PatternUse())
    items = use.items or plan.pattern.expected_items or limit_of(plan)
    sizes = [_projected_size(layout, index, workload) for layout in plan.layouts]
    return search_bytes(index.dimensions, items * sum(sizes) / len(sizes))


def vector_rows(
    design: Design, table: Table, index: VectorIndex, workload: Workload
) -> Iterator[tuple[float, int]]:
    """The number and the size of the rows in a vector index."""
    for layout in _layouts(design, table, index):
        items = workload.use_of(layout).items
        count = items if items is not None else layout.expect.items or 0
        yield count * workload.use_of(layout).present.get(index.name, 1.0), _row_size(layout, index, workload)


def _layouts(design: Design, table: Table, index: VectorIndex) -> list[Layout]:
    layouts = [entity.layout for entity in design.entities_of(table)]
    return [layout for layout in layouts if layout.field_stored_as(index.attribute)]


def _row_size(layout: Layout, index: VectorIndex, workload: Workload) -> int:
    """The bytes of a row: 32-bit floats, and what the index projects."""
    return index.dimensions * WIDTH + len(index.attribute) + _projected_size(layout, index, workload)


def _projected_size(layout: Layout, index: VectorIndex, workload: Workload) -> int:
    """The bytes of the projected attributes, without the vector."""
    vector = layout.field_stored_as(index.attribute)
    stored = stored_items(layout, workload.use_of(layout))[0].row_size(index)
    return max(0, stored - len(index.attribute) - (field_size(vector) if vector else 0))
