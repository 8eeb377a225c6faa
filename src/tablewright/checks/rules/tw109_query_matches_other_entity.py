"""A pattern for one entity also matches items of another.

Both entities share the partition, and the sort key condition matches both. The other items are read, paid for, count
towards the page, and are returned as unknown items. Narrow the condition (`begins_with(SK, ORDER#)`), or return both:
`Query[User | Order]`.

A search for one entity finds the vectors of all entities that are stored under the same attribute, unless the type
(`Table.discriminator`) is among the filters of the vector index.

The check compares all texts that the pattern reads with those that each entity writes, assuming that values contain no
delimiters.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.key_languages import delimiters, shared_text
from tablewright.checks.written_keys import WrittenKey, keys_in, read_language
from tablewright.design.designs import Design
from tablewright.design.indexes import VectorIndex
from tablewright.design.plans.plans import Plan

CODE = "TW109"
TITLE = "Pattern that also matches another entity"


def check(design: Design) -> Iterator[Finding]:
    """Queries whose key condition matches entities that they do not return."""
    for plan in design.plans:
        if plan.kind in ("query", "find") and not plan.problems:
            others = [
                key for key in keys_in(design, plan.table, plan.index) if key.layout not in plan.layouts
            ]
            matched = [key for key in others if _matches(plan, key)]
            if matched:
                yield _finding(plan, matched)
        if isinstance(plan.index, VectorIndex) and not plan.problems:
            yield from _of_search(design, plan, plan.index)


def _of_search(design: Design, plan: Plan, index: VectorIndex) -> Iterator[Finding]:
    discriminator = plan.table.discriminator
    others = [
        entity.__name__
        for entity in design.entities_of(plan.table)
        if entity.layout not in plan.layouts and entity.layout.field_stored_as(index.attribute)
    ]
    if others and discriminator not in {clause.attribute for clause in plan.clauses}:
        yield Finding(
            CODE,
            "warning",
            plan.name,
            f"{plan.name} searches {index.name}, which also has the vectors of {', '.join(others)}",
            f'add "{discriminator}" to the filters of {index.name}, or return {" | ".join(others)} too',
            plan.pattern,
        )


def _matches(plan: Plan, written: WrittenKey) -> bool:
    for attribute, template in written.key.parts:
        clauses = [clause for clause in plan.clauses if clause.attribute == attribute]
        read = [one for clause in clauses for one in clause.templates]
        without = delimiters(template, *read)
        if shared_text(read_language(plan, attribute, without), written.language(template, without)) is None:
            return False
    return True


def _finding(plan: Plan, matched: list[WrittenKey]) -> Finding:
    shown = "; ".join(f"{key.owner} writes {key}" for key in matched)
    read = " AND ".join(map(str, plan.clauses))
    names = " | ".join(dict.fromkeys(key.layout.entity.__name__ for key in matched))
    return Finding(
        CODE,
        "warning",
        plan.name,
        f"{plan.name} reads {read}, which also matches entities that it does not return: {shown}",
        f"narrow its sort key condition, or return {names} too",
        plan.pattern,
    )
