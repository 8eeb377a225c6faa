"""Move records: the progress of a move, kept in the checkpoint table of the target, so that a killed move continues.

    name    "move"
    place   "move"                        the phase, the side that programs use, the runner
            "segment/TABLE/003"           the key of the last copied item of a segment
            "shard/SIDE/STREAM/SHARD"     the sequence number of the last applied record

One runner works at a time: two would overwrite new values with old ones.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

from tablewright.access.procedures import all_items
from tablewright.access.streams.shard_reader import OpenShard, Position
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ConditionalCheckFailed, MoveError
from tablewright.lifecycle.move.sides import MoveSide, SideName
from tablewright.lifecycle.traversal.checkpoints import LEASE, CheckpointStore, may_run, runner_name

NAME = "move"
Phase = Literal["starting", "copying", "following"]


@dataclass(frozen=True, slots=True)
class MoveState:
    """The state of a move."""

    phase: Phase = "starting"
    active: SideName = "source"
    """The side that programs use: its changes are applied to the other side."""
    segments: int = 1
    """The segments in which tables are copied; a move that continues keeps them."""
    origin: str = ""
    """The identity of the source, so that a move is not continued with another one."""
    runner: str = ""
    until: float = 0.0
    """When the lease of the runner ends."""

    @property
    def other(self) -> SideName:
        """The side that programs do not use."""
        return "target" if self.active == "source" else "source"


@dataclass(frozen=True, slots=True)
class CopiedSegment:
    """The progress of one segment of the copy of a table."""

    number: int
    after: Item | None = None
    is_done: bool = False
    items: int = 0


class MoveRecords:
    """Reads and writes the progress of a move."""

    def __init__(self, target: MoveSide) -> None:
        self._side = target
        self._store = CheckpointStore(target.design, target.context)
        self.table = self._store.table
        self.design_table = self._store.design_table
        self._runner = runner_name()

    def create(self) -> None:
        """Create the checkpoint table, if it does not exist."""
        self._side.run(self._store.create())

    def state(self) -> MoveState | None:
        """Return the state of the move, or None if it was not started."""
        reply = self._side.call("GetItem", TableName=self.table, Key=_key(NAME), ConsistentRead=True)
        item = reply.get("Item")
        if item is None:
            return None
        until = int(item["until"]["N"]) / 1000
        segments = int(item["segments"]["N"])
        origin = item.get("origin", {}).get("S", "")
        return MoveState(
            item["phase"]["S"], item["active"]["S"], segments, origin, item["runner"]["S"], until
        )

    def claim(self, origin: str = "") -> MoveState:
        """Take over the move from a source; raise `MoveError` while another runner works on it."""
        old = self.state()
        if old is not None and old.origin != origin:
            raise MoveError(
                "the tables at the target were copied from another source; give that source with --from, or another "
                f"target with --to; or delete them and {self.table} at the target"
            )
        now = self._side.context.now()
        is_other = old is not None and old.runner != self._runner
        if old is not None and is_other and old.until > now and may_run(old.runner):
            raise MoveError(f"another command moves these tables ({old.runner}); stop it first")
        return self._write(old, old or MoveState(origin=origin))

    def save(self, state: MoveState, **changes: Any) -> MoveState:
        """Change the state, or only renew the lease."""
        return self._write(state, replace(state, **changes))

    def release(self, state: MoveState) -> None:
        """End the lease, so that another runner may continue at once."""
        self._write(state, state, until=0.0)

    def _write(self, old: MoveState | None, new: MoveState, until: float | None = None) -> MoveState:
        ends = self._side.context.now() + LEASE if until is None else until
        made = replace(new, runner=self._runner, until=round(ends, 3))
        item: Item = {
            **_key(NAME),
            "phase": {"S": made.phase},
            "active": {"S": made.active},
            "segments": {"N": str(made.segments)},
            "origin": {"S": made.origin},
            "runner": {"S": made.runner},
            "until": {"N": str(round(made.until * 1000))},
        }
        request: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(place)"}
        if old is not None:
            request = {
                "ConditionExpression": "runner = :runner",
                "ExpressionAttributeValues": {":runner": {"S": old.runner}},
            }
        try:
            self._side.call("PutItem", TableName=self.table, Item=item, **request)
        except ConditionalCheckFailed:
            current = self.state()
            if current is None or current.runner != self._runner:  # otherwise the reply to the write was lost
                raise MoveError("another command has taken over the move, and continues it") from None
        return made

    def segments(self, table: str, count: int) -> list[CopiedSegment]:
        """Return the progress of each segment of a table."""
        by_number = {number: CopiedSegment(number) for number in range(count)}
        for item in self._items(f"segment/{table}/"):
            number = int(item["place"]["S"].rpartition("/")[2])
            after = item["after"]["M"] if "after" in item else None
            by_number[number] = CopiedSegment(number, after, item["done"]["BOOL"], int(item["items"]["N"]))
        return list(by_number.values())

    def save_segment(self, table: str, segment: CopiedSegment) -> None:
        """Save the progress of a segment."""
        item: Item = {
            **_key(f"segment/{table}/{segment.number:03}"),
            "done": {"BOOL": segment.is_done},
            "items": {"N": str(segment.items)},
        }
        if segment.after is not None:
            item["after"] = {"M": segment.after}
        self._side.call("PutItem", TableName=self.table, Item=item)

    def positions(self, side: SideName) -> dict[str, Position]:
        """Return the positions in the streams of a side, by the place of the shard."""
        return {
            item["place"]["S"].removeprefix(f"shard/{side}/"): Position(
                item["table"]["S"], item.get("after", {}).get("S"), item["done"]["BOOL"]
            )
            for item in self._items(f"shard/{side}/")
        }

    def save_position(self, side: SideName, shard: OpenShard, position: Position) -> None:
        """Save the position in a shard."""
        item: Item = {
            **_key(f"shard/{side}/{shard.place}"),
            "table": {"S": position.table},
            "done": {"BOOL": position.done},
        }
        if position.after is not None:
            item["after"] = {"S": position.after}
        self._side.call("PutItem", TableName=self.table, Item=item)

    def forget_positions(self, side: SideName) -> None:
        """Delete the positions in the streams of a side."""
        for item in self._items(f"shard/{side}/"):
            self._delete(item)

    def forget(self) -> None:
        """Delete everything about the move."""
        for item in self._items(""):
            self._delete(item)

    def _delete(self, item: Item) -> None:
        self._side.call("DeleteItem", TableName=self.table, Key=_key(item["place"]["S"]))

    def _items(self, prefix: str) -> list[Item]:
        request: dict[str, Any] = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "#name = :name",
            "ExpressionAttributeNames": {"#name": "name"},
            "ExpressionAttributeValues": {":name": {"S": NAME}},
        }
        if prefix:
            request["KeyConditionExpression"] += " AND begins_with(place, :prefix)"
            request["ExpressionAttributeValues"][":prefix"] = {"S": prefix}
        return self._side.run(all_items("Query", request))


def _key(place: str) -> Item:
    return {"name": {"S": NAME}, "place": {"S": place}}
