"""Checkpoints: the progress of work over a table, kept in a table of the design, so that the work can be resumed.

Several runners, in one process or on several machines, share one run. A runner takes a segment of the table with a
lease, saves a checkpoint after each page, and renews the lease with it. When a lease has expired, another runner takes
the segment from its last checkpoint. When all segments of a pass are done, one of the runners starts the next pass.

Leases only avoid double work: writes to items are conditional, so two runners on one segment do no harm.
"""

import os
import secrets
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.access.procedures import Call, Pause, Procedure, all_items, with_retries
from tablewright.design.designs import Design, checkpoint_table
from tablewright.design.keys.timestamps import timestamp_text
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import ConditionalCheckFailed, ResourceNotFound
from tablewright.lifecycle.traversal.checkpoint_records import (
    STATE,
    Direction,
    PassSegment,
    Reject,
    State,
    Tally,
    is_equal,
    key_of_place,
    reject_item,
    reject_key,
    reject_of,
    segment_of,
    segment_place,
    state_of,
    with_rejects,
)


def runner_name() -> str:
    """Return a name for this process: its host, its number, and random letters."""
    return f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"


def may_run(runner: str) -> bool:
    """Whether a runner may still run; of a runner on this machine, ask the operating system.

    >>> may_run(runner_name())
    True
    """
    host, _, rest = runner.partition("/")
    pid = rest.partition("/")[0]
    if not pid.isdecimal():
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


LEASE = 30.0
"""Seconds after which a runner that does not renew its lease may be replaced."""


class SegmentLost(Exception):
    """Another runner has taken the segment, because the lease had expired."""


class CheckpointStore:
    """Reads and writes the checkpoints of a design, for one runner."""

    def __init__(self, design: Design, context: Context) -> None:
        self.runner = runner_name()
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
                rejects.setdefault(item["name"]["S"], []).append(reject_of(item))
        states = [state_of(item) for item in items if item["place"]["S"] == STATE]
        return {
            state.name: with_rejects(state, len(rejects.get(state.name, ()))) for state in states
        }, rejects

    def state(self, name: str) -> Procedure[State | None]:
        """Return the state of one work, or None."""
        request = {"TableName": self.table, "Key": key_of_place(name, STATE), "ConsistentRead": True}
        item = (yield from with_retries(Call("GetItem", request))).get("Item")
        return None if item is None else state_of(item)

    def join(
        self, name: str, direction: Direction, segments: int, *, again: bool = False, changed: int = 0
    ) -> Procedure[State | None]:
        """Start the work, or join it if it is under way; return None when the work is done.

        Work in the other direction is waited for while a runner is active. `again` starts finished work from the
        beginning; `changed` items were changed by it before.
        """
        while True:
            old = yield from self.state(name)
            if old is not None and old.direction == direction and not old.is_done:
                return old
            if old is not None and old.direction == direction and not again:
                return None
            if old is not None and not old.is_done and (yield from self.is_active(old)):
                yield Pause(1.0)
                continue
            attempt = old.attempt + 1 if old else 1
            began = timestamp_text(self._context.timestamp())
            new = State(name, direction, attempt, 1, segments, began, tally=Tally(changed=changed))
            started = yield from self._write(old, new)
            if started is not None:
                return started

    def is_active(self, state: State) -> Procedure[bool]:
        """Return whether a runner works on the current pass."""
        segments = yield from self.segments(state)
        return any(not segment.is_done and self._is_leased(segment) for segment in segments)

    def next_pass(self, state: State, tally: Tally) -> Procedure[State | None]:
        """Start another pass, as the last one changed items; None when another runner did so first."""
        return (yield from self._write(state, replace(state, pass_number=state.pass_number + 1, tally=tally)))

    def finish(self, state: State, tally: Tally) -> Procedure[State | None]:
        """Record that the work is done; None when another runner did so first.

        Delete the checkpoints of its passes, and outdated rejects.
        """
        ended = timestamp_text(self._context.timestamp())
        done = yield from self._write(state, replace(state, is_done=True, ended=ended, tally=tally))
        if done is None:
            return None
        for item in (yield from self._items(state.name, "pass/")):
            yield from self._delete(item)
        for item in (yield from self._items(state.name, "reject/")):
            if item["turn"]["S"] != state.pass_id:
                yield from self._delete(item)
        return done

    def segments(self, state: State) -> Procedure[list[PassSegment]]:
        """Return the progress of each segment of the current pass."""
        by_number = {number: PassSegment(number) for number in range(state.segments)}
        for item in (yield from self._items(state.name, f"pass/{state.pass_id}/")):
            segment = segment_of(item)
            by_number[segment.number] = segment
        return list(by_number.values())

    def free(self, segments: list[PassSegment]) -> Iterator[PassSegment]:
        """Return the segments that no runner works on."""
        return (segment for segment in segments if not segment.is_done and not self._is_leased(segment))

    def take(self, state: State, segment: PassSegment) -> Procedure[PassSegment | None]:
        """Take a free segment; return it with this runner's lease, or None when another runner took it first."""
        taken = self.leased(segment)
        request = self.move_request(state, segment, taken)
        if segment.runner:
            request["ConditionExpression"] += " AND #until = :until"
            request["ExpressionAttributeNames"]["#until"] = "until"
            request["ExpressionAttributeValues"][":until"] = {"N": str(round(segment.until * 1000))}
        try:
            yield from with_retries(Call("PutItem", request))
        except ConditionalCheckFailed as error:
            if not is_equal(error.item or {}, request["Item"]):
                return None
        return taken

    def move(self, state: State, old: PassSegment, new: PassSegment) -> Procedure[PassSegment]:
        """Save a checkpoint and renew the lease; raise `SegmentLost` when another runner has taken the segment."""
        moved = self.leased(new)
        request = self.move_request(state, old, moved)
        try:
            yield from with_retries(Call("PutItem", request))
        except ConditionalCheckFailed as error:
            # If the item is equal, this runner wrote it, and the reply was lost.
            if not is_equal(error.item or {}, request["Item"]):
                raise SegmentLost from None
        return moved

    def leased(self, segment: PassSegment) -> PassSegment:
        """Return a segment with a new lease of this runner."""
        return replace(segment, runner=self.runner, until=round(self._context.now() + LEASE, 3))

    def move_request(self, state: State, old: PassSegment, new: PassSegment) -> dict[str, Any]:
        """Return the PutItem that replaces the checkpoint of a segment, if no other runner has."""
        request: dict[str, Any] = {
            "TableName": self.table,
            "Item": new.item(state),
            "ConditionExpression": "attribute_not_exists(place)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if old.runner:
            request["ConditionExpression"] = "#runner = :runner AND #seen = :seen"
            request["ExpressionAttributeNames"] = {"#runner": "runner", "#seen": "seen"}
            values = {":runner": {"S": old.runner}, ":seen": {"N": str(old.tally.seen)}}
            request["ExpressionAttributeValues"] = values
        return request

    def renew(self, state: State, segment: PassSegment) -> Procedure[None]:
        """Renew the lease of this runner; raise `SegmentLost` when another runner has taken the segment."""
        until = round((self._context.now() + LEASE) * 1000)
        request = {
            "TableName": self.table,
            "Key": key_of_place(state.name, segment_place(state, segment.number)),
            "UpdateExpression": "SET #until = :until",
            "ConditionExpression": "#runner = :runner",
            "ExpressionAttributeNames": {"#until": "until", "#runner": "runner"},
            "ExpressionAttributeValues": {":until": {"N": str(until)}, ":runner": {"S": self.runner}},
        }
        try:
            yield from with_retries(Call("UpdateItem", request))
        except ConditionalCheckFailed:
            raise SegmentLost from None

    def reject(self, name: str, reject: Reject) -> Procedure[None]:
        """Record an item that could not be changed."""
        item = reject_item(name, reject)
        yield from with_retries(Call("PutItem", {"TableName": self.table, "Item": item}))

    def rejects(self, name: str) -> Procedure[list[Reject]]:
        """Return the items that could not be changed."""
        return [reject_of(item) for item in (yield from self._items(name, "reject/"))]

    def forget(self, name: str, reject: Reject) -> Procedure[None]:
        """Delete a reject, because the item was changed since, or no longer exists."""
        yield from self._delete(reject_key(name, reject))

    def amend(self, state: State, tally: Tally) -> Procedure[None]:
        """Change the counts of finished work, unless the work was started again meanwhile."""
        yield from self._write(state, replace(state, tally=tally))

    def _write(self, old: State | None, new: State) -> Procedure[State | None]:
        """Replace the state; None when another runner has changed it."""
        made = replace(new, runner=self.runner, revision=secrets.token_hex(8))
        request: dict[str, Any] = {
            "TableName": self.table,
            "Item": made.item(),
            "ConditionExpression": "attribute_not_exists(place)",
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
        if old is not None:
            request["ConditionExpression"] = "stamp = :stamp"
            request["ExpressionAttributeValues"] = {":stamp": {"S": old.revision}}
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

    def _is_leased(self, segment: PassSegment) -> bool:
        return segment.until > self._context.now() and (
            segment.runner == self.runner or may_run(segment.runner)
        )
