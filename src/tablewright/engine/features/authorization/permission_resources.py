"""Permission resources: the ARNs of what a request uses, and the condition keys that come with them.

An ARN is made of the name of the resource, and never taken from the request: the engine finds some resources by an ARN
of any region, and a policy must not be evaded by such an ARN.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tablewright.dynamodb.policies import Permission, RequestContext
from tablewright.dynamodb.policies.principals import Values
from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn, table_arn, table_name
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import Index, Table

_ORDINALS = ("First", "Second", "Third", "Fourth")


class Resource:
    """A table or an index, as a request names it; the table may not exist."""

    __slots__ = ("arn", "index", "table", "tx")

    def __init__(self, tx: Reading, name: str, index: str | None = None) -> None:
        self.tx = tx
        self.table: Table | None = tx.state.catalog.find(table_name(name))
        found = table_arn(tx.state.region, self.table.name if self.table else table_name(name))
        self.arn = f"{found}/index/{index}" if index else found
        self.index: Index | None = self.table.index(index) if self.table and index else None

    @property
    def key_names(self) -> tuple[str, ...]:
        """The partition key attributes of the table or index; none if it does not exist."""
        if self.index is not None:
            return self.index.keys.hash
        return () if self.table is None or "/index/" in self.arn else self.table.keys.hash

    def leading_keys(self, items: Iterable[Mapping[str, Any]]) -> dict[str, Values]:
        """The condition keys with the partition key values of some items."""
        names = self.key_names
        partitions = [tuple(key_text(item[name]) for name in names if name in item) for item in items]
        return partition_keys(partitions)

    def permission(self, action: str, **keys: Values) -> Permission:
        """An action on the table or index; a condition key is named without `dynamodb:`."""
        named = {f"dynamodb:{name}": values for name, values in keys.items()}
        return Permission(f"dynamodb:{action}", self.arn, RequestContext(named | self._tags()))

    def _tags(self) -> dict[str, Values]:
        tags = {} if self.table is None else self.table.definition.get("Tags") or {}
        return {f"aws:ResourceTag/{tag}": str(value) for tag, value in tags.items()}


def partition_keys(partitions: Iterable[Sequence[str]]) -> dict[str, Values]:
    """The condition keys, without `dynamodb:`, for the partition keys of a request.

    >>> partition_keys([("u1",), ("u2",)])["LeadingKeys"]
    ['u1', 'u2']
    """
    found = [partition for partition in partitions if partition]
    keys: dict[str, Values] = {"LeadingKeys": list(dict.fromkeys(partition[0] for partition in found))}
    for place, ordinal in enumerate(_ORDINALS):
        values = [partition[place] for partition in found if len(partition) > place]
        keys[f"{ordinal}PartitionKeyValues"] = list(dict.fromkeys(values))
    return keys


def key_text(value: Mapping[str, Any]) -> str:
    """The text of a key value, as policies compare it: numbers in digits, binary values in base64.

    >>> key_text({"S": "u1"}), key_text({"N": "7"})
    ('u1', '7')
    """
    return str(next(iter(value.values()), ""))


def canonical_arn(tx: Reading, arn: str) -> str:
    """An ARN of a stream, backup, export or import with this region and account."""
    parts = parse_arn(arn)
    if parts is None or not parts.resource.startswith("table/"):
        return arn
    return f"arn:aws:dynamodb:{tx.state.region}:{ACCOUNT}:{parts.resource}"


def any_table_arn(tx: Reading, kind: str = "", table: str | None = None) -> str:
    """The ARN that stands for all tables, or for all streams, backups, ... of all tables or of one."""
    found = table_arn(tx.state.region, table_name(table) if table else "*")
    return f"{found}/{kind}/*" if kind else found
