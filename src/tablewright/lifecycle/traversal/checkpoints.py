"""Checkpoints: how far work over a table has come, kept in a table of the design, so that it can be taken up again.

    name     "2026-11-budget-as-number", or "backfill/..."
    place    "state"                     whose turn it is, which pass, what was done
             "pass/0001/02/segment/003"  of one attempt and one pass: the key of the last item that was seen, and counts
             "reject/..."                an item that could not be changed, and why

Work is done by one runner at a time. It says every few seconds that it is alive; when it is silent for longer than its
lease, another takes over, from the last checkpoint. Nothing depends on that but politeness: what is written to items is
written under conditions.
"""

import hashlib
import os
import re
import secrets
import socket
import sys
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import orjson

from tablewright.access.calls.procedures import Call, Pause, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.design.designs import Design
from tablewright.design.keys.timestamps import timestamp_text
from tablewright.design.tables.tables import Table
from tablewright.errors import ConditionalCheckFailed, MigrationError, ResourceNotFound
from tablewright.values.attributes import Item, normalise

LEASE = 30.0
"""Seconds that a runner may be silent."""

Direction = Literal["up", "down"]
STATE = "state"


@dataclass(frozen=True, slots=True)
class Tally:
    """What a pass has done so far."""

    seen: int = 0
    changed: int = 0
    rejected: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.seen + other.seen, self.changed + other.changed, self.rejected + other.rejected)


@dataclass(frozen=True, slots=True)
class State:
    """Where work stands."""

    name: str
    direction: Direction
    attempt: int
    round: int
    """Which pass over the table this is."""
    segments: int
    began: str
    is_done: bool = False
    ended: str | None = None
    tally: Tally = field(default_factory=Tally)
    runner: str = ""
    until: float = 0.0
    """When the runner is given up, unless it says that it is alive."""
    stamp: str = ""
    """Changes with every change of the others but `until`."""

    @property
    def shown(self) -> str:
        """It in a word."""
        words = {"up": ("under way", "applied"), "down": ("being reverted", "reverted")}
        return words[self.direction][self.is_done]

    @property
    def turn(self) -> str:
        """The pass, as it stands in the places of its checkpoints."""
        return f"{self.attempt:04}/{self.round:02}"

    def item(self) -> Item:
        """It as it is kept."""
        item: Item = {
            "name": {"S": self.name},
            "place": {"S": STATE},
            "direction": {"S": self.direction},
            "began": {"S": self.began},
            "done": {"BOOL": self.is_done},
            "runner": {"S": self.runner},
            "stamp": {"S": self.stamp},
        }
        numbers = {"attempt": self.attempt, "round": self.round, "segments": self.segments}
        numbers |= {"until": round(self.until * 1000), **_counts(self.tally)}
        item |= {name: {"N": str(number)} for name, number in numbers.items()}
        return item | ({"ended": {"S": self.ended}} if self.ended else {})


@dataclass(frozen=True, slots=True)
class Segment:
    """How far one segment of a pass has come."""

    number: int
    after: Item | None = None
    is_done: bool = False
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True)
class Reject:
    """An item that could not be changed, and why; it stays as it was."""

    table: str
    key: Item
    reason: str
    turn: str = ""

    @property
    def place(self) -> str:
        """Where it is noted: the same item always in the same place."""
        key = orjson.dumps({name: normalise(value) for name, value in sorted(self.key.items())})
        return f"reject/{hashlib.sha256(self.table.encode() + key).hexdigest()[:32]}"


def checkpoint_table(design: Design) -> Table:
    """The table that keeps a design's checkpoints; in every environment, when the other tables are."""
    varies = any("{" in table.name for table in design.tables)
    name = re.sub(r"[^a-zA-Z0-9_.-]+", "-", design.name)
    return Table(f"{name}-{{env}}-migrations" if varies else f"{name}-migrations", key=("name", "place"))


class CheckpointStore:
    """The checkpoints of a design, for one runner."""

    def __init__(self, design: Design, context: Context) -> None:
        self.runner = f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"
        self._context = context
        self._design_table = checkpoint_table(design)
        self.table = context.table_name(self._design_table)

    def create(self) -> Procedure[None]:
        """Make the table, if it is not there."""
        yield from create_missing([self._design_table], self._context)

    def states(self) -> Procedure[dict[str, State]]:
        """Where all work stands, by its name."""
        request: dict[str, Any] = {
            "TableName": self.table,
            "ConsistentRead": True,
            "FilterExpression": "place = :state",
            "ExpressionAttributeValues": {":state": {"S": STATE}},
        }
        try:
            items = yield from _all("Scan", request)
        except ResourceNotFound:
            return {}
        return {state.name: state for state in map(_state, items)}

    def state(self, name: str) -> Procedure[State | None]:
        """Where one work stands."""
        request = {"TableName": self.table, "Key": _key(name, STATE), "ConsistentRead": True}
        item = (yield from with_retries(Call("GetItem", request))).get("Item")
        return None if item is None else _state(item)

    def claim(
        self, name: str, direction: Direction, segments: int, *, again: bool = False
    ) -> Procedure[State | None]:
        """Make it this runner's turn, waiting while another is alive; None when the work is done.

        What was interrupted is taken up where it stopped, in the same direction. `again` begins anew what is done.
        """
        while True:
            old = yield from self.state(name)
            now = self._context.now()
            if old is not None and old.is_done and old.direction == direction and not again:
                return None
            if old is not None and not old.is_done and old.until > now and self._is_alive(old.runner):
                yield Pause(min(1.0, old.until - now))
                continue
            if old is not None and not old.is_done and old.direction == direction:
                wanted = old
            else:
                attempt = old.attempt + 1 if old else 1
                wanted = State(
                    name, direction, attempt, 1, segments, timestamp_text(self._context.timestamp())
                )
            claimed = yield from self._write(old, wanted)
            if claimed is not None:
                return claimed

    def next_round(self, state: State, tally: Tally) -> Procedure[State]:
        """Begin another pass, as the last found something to do."""
        return (yield from self._advance(state, round=state.round + 1, tally=tally))

    def finish(self, state: State, tally: Tally) -> Procedure[State]:
        """Say that it is done; the checkpoints of its passes go, and rejects that are none any more."""
        done = yield from self._advance(
            state, is_done=True, ended=timestamp_text(self._context.timestamp()), tally=tally
        )
        for item in (yield from self._items(state.name, "pass/")):
            yield from self._delete(item)
        for item in (yield from self._items(state.name, "reject/")):
            if item["turn"]["S"] != state.turn:
                yield from self._delete(item)
        return done

    def renew(self, state: State) -> Procedure[None]:
        """Say that this runner is alive."""
        until = round((self._context.now() + LEASE) * 1000)
        request = {
            "TableName": self.table,
            "Key": _key(state.name, STATE),
            "UpdateExpression": "SET #until = :until",
            "ConditionExpression": "#runner = :runner",
            "ExpressionAttributeNames": {"#until": "until", "#runner": "runner"},
            "ExpressionAttributeValues": {":until": {"N": str(until)}, ":runner": {"S": self.runner}},
        }
        try:
            yield from with_retries(Call("UpdateItem", request))
        except ConditionalCheckFailed:
            raise self._taken(state.name) from None

    def segments(self, state: State) -> Procedure[list[Segment]]:
        """How far each segment of the current pass has come."""
        found = {number: Segment(number) for number in range(state.segments)}
        for item in (yield from self._items(state.name, f"pass/{state.turn}/")):
            number = int(item["place"]["S"].rpartition("/")[2])
            after = item["after"]["M"] if "after" in item else None
            found[number] = Segment(number, after, item["done"]["BOOL"], _tally(item))
        return list(found.values())

    def move(self, state: State, old: Segment, new: Segment) -> Procedure[None]:
        """Set a checkpoint; an error when another runner has set one since."""
        key = _key(state.name, f"pass/{state.turn}/segment/{new.number:03}")
        item: Item = {**key, "done": {"BOOL": new.is_done}}
        item |= {name: {"N": str(number)} for name, number in _counts(new.tally).items()}
        if new.after is not None:
            item["after"] = {"M": new.after}
        request: dict[str, Any] = {
            "TableName": self.table,
            "Item": item,
            "ConditionExpression": "attribute_not_exists(place)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if old != Segment(old.number):
            request["ConditionExpression"] = "#seen = :seen"
            request["ExpressionAttributeNames"] = {"#seen": "seen"}
            request["ExpressionAttributeValues"] = {":seen": {"N": str(old.tally.seen)}}
        try:
            yield from with_retries(Call("PutItem", request))
        except ConditionalCheckFailed as refusal:
            if not _is_like(refusal.item or {}, item):  # else it was this runner, whose reply was lost
                raise self._taken(state.name) from None

    def reject(self, name: str, reject: Reject) -> Procedure[None]:
        """Note an item that could not be changed."""
        item: Item = {
            **_key(name, reject.place),
            "table": {"S": reject.table},
            "key": {"M": reject.key},
            "reason": {"S": reject.reason},
            "turn": {"S": reject.turn},
        }
        yield from with_retries(Call("PutItem", {"TableName": self.table, "Item": item}))

    def rejects(self, name: str) -> Procedure[list[Reject]]:
        """The items that could not be changed."""
        items = yield from self._items(name, "reject/")
        return [
            Reject(item["table"]["S"], item["key"]["M"], item["reason"]["S"], item["turn"]["S"])
            for item in items
        ]

    def forget(self, name: str, reject: Reject) -> Procedure[None]:
        """Drop a note, as the item was changed after all, or is gone."""
        yield from self._delete(_key(name, reject.place))

    def _advance(self, state: State, **changes: Any) -> Procedure[State]:
        current = yield from self.state(state.name)
        if current is None or current.runner != self.runner:
            raise self._taken(state.name)
        moved = yield from self._write(current, replace(state, **changes))
        if moved is None:
            raise self._taken(state.name)
        return moved

    def _write(self, old: State | None, new: State) -> Procedure[State | None]:
        until = 0.0 if new.is_done else self._context.now() + LEASE
        made = replace(new, runner=self.runner, until=until, stamp=secrets.token_hex(8))
        request: dict[str, Any] = {
            "TableName": self.table,
            "Item": made.item(),
            "ConditionExpression": "attribute_not_exists(place)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if old is not None:
            request["ConditionExpression"] = "stamp = :stamp AND #until = :until"
            request["ExpressionAttributeNames"] = {"#until": "until"}
            values = {":stamp": {"S": old.stamp}, ":until": {"N": str(round(old.until * 1000))}}
            request["ExpressionAttributeValues"] = values
        try:
            yield from with_retries(Call("PutItem", request))
        except ConditionalCheckFailed as refusal:
            if (refusal.item or {}).get("stamp") != {"S": made.stamp}:
                return None
        return made

    def _items(self, name: str, prefix: str) -> Procedure[list[Item]]:
        request: dict[str, Any] = {
            "TableName": self.table,
            "ConsistentRead": True,
            "KeyConditionExpression": "#name = :name AND begins_with(place, :prefix)",
            "ExpressionAttributeNames": {"#name": "name"},
            "ExpressionAttributeValues": {":name": {"S": name}, ":prefix": {"S": prefix}},
        }
        return (yield from _all("Query", request))

    def _delete(self, item: Item) -> Procedure[None]:
        key = {"name": item["name"], "place": item["place"]}
        yield from with_retries(Call("DeleteItem", {"TableName": self.table, "Key": key}))

    def _is_alive(self, runner: str) -> bool:
        """Whether another runner may still be at work; of one on this machine that was killed, it is known."""
        host, _, rest = runner.partition("/")
        pid = rest.partition("/")[0]
        if runner == self.runner or not pid.isdecimal():
            return False
        if host != socket.gethostname() or sys.platform == "win32":  # where asking would be a signal
            return True
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # it is there, and another user's
        return True

    def _taken(self, name: str) -> MigrationError:
        return MigrationError(f"{name} was taken over by another runner, and goes on there")


def _all(operation: str, request: dict[str, Any]) -> Procedure[list[Item]]:
    items: list[Item] = []
    while True:
        reply = yield from with_retries(Call(operation, request))
        items += reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return items
        request = {**request, "ExclusiveStartKey": reply["LastEvaluatedKey"]}


def _key(name: str, place: str) -> Item:
    return {"name": {"S": name}, "place": {"S": place}}


def _counts(tally: Tally) -> dict[str, int]:
    return {"seen": tally.seen, "changed": tally.changed, "rejected": tally.rejected}


def _tally(item: Item) -> Tally:
    return Tally(*(int(item[name]["N"]) for name in ("seen", "changed", "rejected")))


def _state(item: Item) -> State:
    return State(
        name=item["name"]["S"],
        direction="down" if item["direction"]["S"] == "down" else "up",
        attempt=int(item["attempt"]["N"]),
        round=int(item["round"]["N"]),
        segments=int(item["segments"]["N"]),
        began=item["began"]["S"],
        is_done=item["done"]["BOOL"],
        ended=item.get("ended", {}).get("S"),
        tally=_tally(item),
        runner=item["runner"]["S"],
        until=int(item["until"]["N"]) / 1000,
        stamp=item["stamp"]["S"],
    )


def _is_like(found: Item, item: Item) -> bool:
    return {name: normalise(value) for name, value in found.items()} == {
        name: normalise(value) for name, value in item.items()
    }
