"""A pattern reads an index that does not contain what the pattern needs.

An index contains its key, the key of the table, and the attributes it projects. A field that is not projected is
missing in the result: reading the entity fails, or the field has its default. DynamoDB rejects a filter on an attribute
that the index does not contain.

Reading also looks at attributes that are not returned. The index must project them too, whatever the `fields` of the
pattern are:

- the type (`Table.discriminator`), if the entity has one;
- the expiry (`Table.ttl`), if the entity has one: without it, expired items are returned;
- `schemaVersion`, if the entity has upcasts; an upcast takes the whole item, so the index should project `ALL`;
- the fields that a returned `Encrypted` field has in its context;
- `_of`, if the index contains copies of the entity: without it, copies are returned twice.

Project the attributes, name the `fields` that the pattern needs, or read the keys from the index and the items from the
table. A local index is completed from the table when the pattern has `fields`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.layouts.layouts import Layout
from tablewright.design.plans.plans import Plan, lacking_attributes, returned_fields

CODE = "TW305"
TITLE = "Index without the fields that are returned"


def check(design: Design) -> Iterator[Finding]:
    """Plans that need attributes which their index does not contain."""
    for plan in design.plans:
        if plan.index is not None:
            for layout in plan.layouts:
                lacking = lacking_attributes(plan, layout)
                if lacking:
                    yield _finding(
                        plan, layout, f"which lacks {', '.join(lacking)}", _fix(plan, layout, lacking)
                    )
                elif layout.upcasts and plan.index.projection != "ALL":
                    why = "which contains only a part of each item; the upcasts take whole items"
                    yield _finding(plan, layout, why, 'set projection="ALL", or read the table')


def _finding(plan: Plan, layout: Layout, why: str, fix: str) -> Finding:
    assert plan.index is not None
    start = f"{plan.name} reads {layout.entity.__name__} from {plan.index.name}"
    return Finding(CODE, "error", plan.name, f"{start}, {why}", fix, plan.pattern)


def _fix(plan: Plan, layout: Layout, lacking: list[str]) -> str:
    assert plan.index is not None
    project = f"add to the projection of {plan.index.name}: {', '.join(lacking)}"
    returned = {field.stored: field.name for field in returned_fields(plan, layout)}
    if not set(lacking) <= set(returned):  # other fields would not help: reading itself needs the attribute
        return project
    if plan.pattern.fields:
        return f"{project}; or remove from fields: {', '.join(returned[name] for name in lacking)}"
    return f"{project}; or set fields in the pattern to those that it needs"
