"""Checkpoints: the progress of work over a table, kept in a table of the design, so that the work can be resumed.

    name     "2026-11-budget-as-number", or "backfill/..."
    place    "state"                     the runner, the pass, the counts
             "pass/0001/02/segment/003"  of one attempt and one pass: the key of the last item seen, and counts
             "reject/..."                an item that could not be changed, and the reason

One runner works at a time. It renews its lease every few seconds; when the lease has expired, another runner takes over
from the last checkpoint. The lease only avoids double work: writes to items are conditional, so two runners do no harm.
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

from tablewright.access.calls.pagination import all_items
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
"""Seconds after which a runner that does not renew its lease may be replaced."""

Direction = Literal["up", "down"]
STATE = "state"


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of a pass."""

    seen: int = 0
    changed: int = 0
    rejected: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(self.seen + other.seen, self.changed + other.changed, self.rejected + other.rejected)


@dataclass(frozen=True, slots=True)
class State:
    """The state of work."""

    name: str
    direction: Direction
    attempt: int
    pass_number: int
    """The number of this pass over the table, from 1."""
    segments: int
    began: str
    is_done: bool = False
    ended: str | None = None
    tally: Tally = field(default_factory=Tally)
    runner: str = ""
    until: float = 0.0
    """When the lease of the runner ends, unless the runner renews it."""
    revision: str = ""
    """Changes with every change of the other fields but `until`."""

    @property
    def status(self) -> str:
        """Status label."""
        if self.is_incomplete:
            return {"up": "incomplete", "down": "partly reverted"}[self.direction]
        words = {"up": ("under way", "applied"), "down": ("being reverted", "reverted")}
        return words[self.direction][self.is_done]

    @property
    def is_incomplete(self) -> bool:
        """Whether the work is done but for items that were rejected."""
        return self.is_done and self.tally.rejected > 0

    @property
    def pass_id(self) -> str:
        """The attempt and pass, as in the places of its checkpoints."""
        return f"{self.attempt:04}/{self.pass_number:02}"

    def item(self) -> Item:
        """Return the state as an item."""
        item: Item = {
            "name": {"S": self.name},
            "place": {"S": STATE},
            "direction": {"S": self.direction},
            "began": {"S": self.began},
            "done": {"BOOL": self.is_done},
            "runner": {"S": self.runner},
            "stamp": {"S": self.revision},
        }
        numbers = {"attempt": self.attempt, "round": self.pass_number, "segments": self.segments}
        numbers |= {"until": round(self.until * 1000), **_counts(self.tally)}
        item |= {name: {"N": str(number)} for name, number in numbers.items()}
        return item | ({"ended": {"S": self.ended}} if self.ended else {})


@dataclass(frozen=True, slots=True)
class Segment:
    """The progress of one segment of a pass."""

    number: int
    after: Item | None = None
    is_done: bool = False
    tally: Tally = field(default_factory=Tally)


@dataclass(frozen=True, slots=True)
class Reject:
    """An item that could not be changed, and the reason; it stays unchanged."""

    table: str
    key: Item
    reason: str
    pass_id: str = ""

    @property
    def place(self) -> str:
        """The place of the reject; the same for each reject of an item."""
        key = orjson.dumps({name: normalise(value) for name, value in sorted(self.key.items())})
        return f"reject/{hashlib.sha256(self.table.encode() + key).hexdigest()[:32]}"


def checkpoint_table(design: Design) -> Table:
    """Return the checkpoint table of a design; one for each environment, if the other tables have one for each."""
    varies = any("{" in table.name for table in design.tables)
    name = re.sub(r"[^a-zA-Z0-9_.-]+", "-", design.name)
    return Table(f"{name}-{{env}}-migrations" if varies else f"{name}-migrations", key=("name", "place"))


class CheckpointStore:
    """Reads and writes the checkpoints of a design, for one runner."""

    def __init__(self, design: Design, context: Context) -> None:
        self.runner = f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"
        self._context = context
        self.design_table = checkpoint_table(design)
        self.table = context.table_name(self.design_table)

    def create(self) -> Procedure[None]:
        """Create the checkpoint table, if it does not exist."""
        yield from create_missing([self.design_table], self._context)

    def records(self) -> Procedure[tuple[dict[str, State], dict[str, list[Reject]]]]:
        """Return the state and the rejects of all work, by name. The state of finished work counts the rejects left."""
        request: dict[str, Any] = {
            "TableName": self.table,
            "ConsistentRead": True,
            "FilterExpression": "place = :state OR begins_with(place, :reject)",
            "ExpressionAttributeValues": {":state": {"S": STATE}, ":reject": {"S": "reject/"}},
        }
        try:
            items = yield from all_items("Scan", request)
        except ResourceNotFound:
            return {}, {}
        rejects: dict[str, list[Reject]] = {}
        for item in items:
            if item["place"]["S"] != STATE:
                rejects.setdefault(item["name"]["S"], []).append(_reject(item))
        states = [_state(item) for item in items if item["place"]["S"] == STATE]
        return {each.name: _with_rejects(each, len(rejects.get(each.name, ()))) for each in states}, rejects

    def state(self, name: str) -> Procedure[State | None]:
        """Return the state of one work, or None."""
        request = {"TableName": self.table, "Key": _key(name, STATE), "ConsistentRead": True}
        item = (yield from with_retries(Call("GetItem", request))).get("Item")
        return None if item is None else _state(item)

    def claim(
        self, name: str, direction: Direction, segments: int, *, again: bool = False, changed: int = 0
    ) -> Procedure[State | None]:
        """Take over the work, after waiting for the lease of another runner; return None when the work is done.

        Interrupted work in the same direction is resumed. `again` starts finished work from the beginning; `changed`
        items were changed by it before.
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
                claim = old
            else:
                attempt = old.attempt + 1 if old else 1
                began = timestamp_text(self._context.timestamp())
                claim = State(name, direction, attempt, 1, segments, began, tally=Tally(changed=changed))
            claimed = yield from self._write(old, claim)
            if claimed is not None:
                return claimed

    def next_pass(self, state: State, tally: Tally) -> Procedure[State]:
        """Start another pass, as the last one changed items."""
        return (yield from self._advance(state, pass_number=state.pass_number + 1, tally=tally))

    def finish(self, state: State, tally: Tally) -> Procedure[State]:
        """Record that the work is done; delete the checkpoints of its passes, and outdated rejects."""
        done = yield from self._advance(
            state, is_done=True, ended=timestamp_text(self._context.timestamp()), tally=tally
        )
        for item in (yield from self._items(state.name, "pass/")):
            yield from self._delete(item)
        for item in (yield from self._items(state.name, "reject/")):
            if item["turn"]["S"] != state.pass_id:
                yield from self._delete(item)
        return done

    def renew(self, state: State) -> Procedure[None]:
        """Renew the lease of this runner."""
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
        """Return the progress of each segment of the current pass."""
        found = {number: Segment(number) for number in range(state.segments)}
        for item in (yield from self._items(state.name, f"pass/{state.pass_id}/")):
            number = int(item["place"]["S"].rpartition("/")[2])
            after = item["after"]["M"] if "after" in item else None
            found[number] = Segment(number, after, item["done"]["BOOL"], _tally(item))
        return list(found.values())

    def move(self, state: State, old: Segment, new: Segment) -> Procedure[None]:
        """Save a checkpoint; raise `MigrationError` when another runner has saved one since."""
        key = _key(state.name, f"pass/{state.pass_id}/segment/{new.number:03}")
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
        except ConditionalCheckFailed as error:
            if not _is_equal(
                error.item or {}, item
            ):  # otherwise this runner wrote it, and the reply was lost
                raise self._taken(state.name) from None

    def reject(self, name: str, reject: Reject) -> Procedure[None]:
        """Record an item that could not be changed."""
        item = reject_item(name, reject)
        yield from with_retries(Call("PutItem", {"TableName": self.table, "Item": item}))

    def rejects(self, name: str) -> Procedure[list[Reject]]:
        """Return the items that could not be changed."""
        return [_reject(item) for item in (yield from self._items(name, "reject/"))]

    def forget(self, name: str, reject: Reject) -> Procedure[None]:
        """Delete a reject, because the item was changed since, or no longer exists."""
        yield from self._delete(reject_key(name, reject))

    def amend(self, state: State, tally: Tally) -> Procedure[None]:
        """Change the counts of finished work, unless the work was started again meanwhile."""
        yield from self._write(state, replace(state, tally=tally))

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
        made = replace(new, runner=self.runner, until=until, revision=secrets.token_hex(8))
        request: dict[str, Any] = {
            "TableName": self.table,
            "Item": made.item(),
            "ConditionExpression": "attribute_not_exists(place)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if old is not None:
            request["ConditionExpression"] = "stamp = :stamp AND #until = :until"
            request["ExpressionAttributeNames"] = {"#until": "until"}
            values = {":stamp": {"S": old.revision}, ":until": {"N": str(round(old.until * 1000))}}
            request["ExpressionAttributeValues"] = values
        try:
            yield from with_retries(Call("PutItem", request))
        except ConditionalCheckFailed as error:
            if (error.item or {}).get("stamp") != {"S": made.revision}:
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
        return (yield from all_items("Query", request))

    def _delete(self, item: Item) -> Procedure[None]:
        key = {"name": item["name"], "place": item["place"]}
        yield from with_retries(Call("DeleteItem", {"TableName": self.table, "Key": key}))

    def _is_alive(self, runner: str) -> bool:
        """Whether another runner may still be running; of a runner on this machine, ask the operating system."""
        host, _, rest = runner.partition("/")
        pid = rest.partition("/")[0]
        if runner == self.runner or not pid.isdecimal():
            return False
        if host != socket.gethostname() or sys.platform == "win32":  # on Windows, os.kill ends the process
            return True
        try:
            os.kill(int(pid), 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # the process exists and belongs to another user
        return True

    def _taken(self, name: str) -> MigrationError:
        return MigrationError(f"{name} was taken over by another runner, which continues it")


def reject_item(name: str, reject: Reject) -> Item:
    """Return a reject of a work as an item."""
    return {
        **reject_key(name, reject),
        "table": {"S": reject.table},
        "key": {"M": reject.key},
        "reason": {"S": reject.reason},
        "turn": {"S": reject.pass_id},
    }


def reject_key(name: str, reject: Reject) -> Item:
    """Return the key of a reject in the checkpoint table."""
    return _key(name, reject.place)


def _reject(item: Item) -> Reject:
    return Reject(item["table"]["S"], item["key"]["M"], item["reason"]["S"], item["turn"]["S"])


def _with_rejects(state: State, rejects: int) -> State:
    """A finished state with the number of rejects that are left; a retry deletes those that it converts."""
    return replace(state, tally=replace(state.tally, rejected=rejects)) if state.is_done else state


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
        pass_number=int(item["round"]["N"]),
        segments=int(item["segments"]["N"]),
        began=item["began"]["S"],
        is_done=item["done"]["BOOL"],
        ended=item.get("ended", {}).get("S"),
        tally=_tally(item),
        runner=item["runner"]["S"],
        until=int(item["until"]["N"]) / 1000,
        revision=item["stamp"]["S"],
    )


def _is_equal(found: Item, item: Item) -> bool:
    return {name: normalise(value) for name, value in found.items()} == {
        name: normalise(value) for name, value in item.items()
    }
