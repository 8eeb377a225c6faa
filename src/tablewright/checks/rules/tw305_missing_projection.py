"""A pattern reads an index that does not contain what the pattern needs.

An index contains its key, the key of the table, and the attributes it projects. An entity cannot be made of a part of
its fields. DynamoDB rejects a filter on an attribute that the index does not contain.

Reading also looks at attributes that are not returned. The index must project them too, whatever the `fields` of the
pattern are:

- the type (`Table.discriminator`), if the entity has one;
- the expiry (`Table.ttl`), if the entity has one: without it, expired items are returned;
- `schemaVersion`, if the entity has upcasts; an upcast takes the whole item, so the index should project `ALL`;
- the fields that a returned `Encrypted` field has in its context;
- `_of`, if the index contains copies of the entity: without it, copies are returned twice.

Project the attributes, name the `fields` that the pattern needs, or read the keys from the index and the items from the
table. A local index is completed from the table when the pattern has `fields`. A pattern that returns copies needs only
the fields of the copies.

Such a pattern raises `DesignError` when the class is defined; for tables declared with `literal=True` it is reported
here.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding, recorded_problems
from tablewright.design.designs import Design

CODE = "TW305"
TITLE = "Index without the fields that are returned"


def check(design: Design) -> Iterator[Finding]:
    """Problems that were recorded when the classes were defined."""
    return recorded_problems(design, CODE)
