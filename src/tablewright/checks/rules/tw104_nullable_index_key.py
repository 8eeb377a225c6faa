"""An index key contains a field that may be None.

DynamoDB rejects a write with NULL in an index key. This library omits the attribute instead, so the item is not in the
index and is not found there. Some designs intend that: declare it with `Sparse`. Otherwise make the field required.

    keys = Keys(primary="{account_id}", parents=Sparse("{parent_id}", when="parent_id"))

It is an error in a table declared with `literal=True`, because other programs write to it.
"""

from collections import defaultdict
from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.checks.written_keys import WrittenKey, written_keys
from tablewright.design.designs import Design

CODE = "TW104"
TITLE = "Index key that may be NULL"


def check(design: Design) -> Iterator[Finding]:
    """Optional fields in index keys, unless `Sparse` names them; one finding for each field."""
    found: dict[str, list[WrittenKey]] = defaultdict(list)
    for written in written_keys(design):
        declared = written.key.sparse.names if written.key.sparse else ()
        for field in written.fields_in(written.key.parts) if written.index else ():
            if field.optional and field.name not in declared:
                found[f"{written.owner}.{field.name}"].append(written)
    for where, keys in found.items():
        name = where.rpartition(".")[2]
        indexes = " and ".join(key.index.name for key in keys if key.index)
        yield Finding(
            CODE,
            "error" if keys[0].layout.table.literal else "warning",
            where,
            f"{keys[0].owner} uses {name}, which may be None, in its key of {indexes}: DynamoDB rejects NULL there, "
            "and an item without the attribute is not in the index",
            f'declare Sparse(..., when="{name}"), or make the field required',
            keys[0].layout.entity,
        )
