"""Moves: bring the tables of a design from one store to another while programs write.

    starting    create the tables of the target; note the end of the streams of the source
    copying     copy all items, page by page; after each page, apply the changes that the streams tell
    following   apply changes; compare both sides

Then programs switch to the target, and the changes of the target are applied to the source, as a way back. The state
is stored in the target: a move that was killed continues with the next run.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Literal

from tablewright.access.context import Context
from tablewright.access.items.item_values import key_of
from tablewright.access.procedures import Procedure
from tablewright.connections import Connection
from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import MoveError, ResourceNotFound
from tablewright.lifecycle.deploy.deployment import deploy, plan_of, wait_until_ready
from tablewright.lifecycle.deploy.deployment_steps import Backfill, DeploymentStep, LayoutCompletion
from tablewright.lifecycle.move.comparison import MoveComparison, compare
from tablewright.lifecycle.move.move_records import NAME, CopiedSegment, MoveRecords, MoveState
from tablewright.lifecycle.move.sides import MoveSide, SideName, delete, put, shared_rate
from tablewright.lifecycle.move.stream_follower import Followed, StreamFollower
from tablewright.lifecycle.traversal.rate_limit import Meter

PAGE = 500
"""The most items that are read at once in each segment."""


class TableCopy:
    """The copy of one table, in segments that are read at the same time.

    A copied value must never replace a newer one that a follower has written. So both take turns: no record is applied
    between the read of a page and its write. A record that is applied after a page was read is newer than the page, or
    repeats a change that the page contains; then the records after it follow.
    """

    def __init__(
        self, table: Table, source: MoveSide, target: MoveSide, records: MoveRecords, segments: int
    ) -> None:
        self._table = table
        self._source = source
        self._target = target
        self._records = records
        self._segments = records.segments(table.name, segments)

    @property
    def items(self) -> int:
        """The number of copied items."""
        return sum(segment.items for segment in self._segments)

    def run(self, take_turn: Callable[[int], None]) -> None:
        """Copy the rest of the table; `take_turn` is called with the number of copied items between two pages."""
        with ThreadPoolExecutor(len(self._segments)) as threads:
            while not all(segment.is_done for segment in self._segments):
                self._segments = list(threads.map(self._copy_page, self._segments))
                take_turn(self.items)

    def _copy_page(self, segment: CopiedSegment) -> CopiedSegment:
        if segment.is_done:
            return segment
        request: dict[str, Any] = {
            "TableName": self._source.table_name(self._table),
            "TotalSegments": len(self._segments),
            "Segment": segment.number,
            "Limit": PAGE,
            "ConsistentRead": True,
        }
        if segment.after is not None:
            request["ExclusiveStartKey"] = segment.after
        page = self._source.call("Scan", **request)
        self._target.write(self._table, [put(item) for item in page["Items"]])
        after = page.get("LastEvaluatedKey")
        copied = replace(
            segment, after=after, is_done=after is None, items=segment.items + len(page["Items"])
        )
        self._records.save_segment(self._table.name, copied)
        return copied


POLL = 0.5
"""Seconds between two reads of streams without new records."""
QUIET_POLLS = 3
"""How many reads in a row must find nothing, before a side counts as not written to."""
PATIENCE = 60
"""The most reads of a side that must not be written to."""
VIEW = "NEW_AND_OLD_IMAGES"


@dataclass(frozen=True, slots=True)
class MoveProgress:
    """How far a move is, for `on_progress`."""

    phase: Literal["copying", "following", "comparing"]
    active: SideName
    table: str = ""
    items: int = 0
    records: int = 0
    """The applied records of this run."""
    lag: float | None = None
    """Seconds between a change and its copy; None while copying."""


OnProgress = Callable[[MoveProgress], None]


class TableMove:
    """A move of the tables of a design between two connections.

    - `environment` and `prefix` are those of the table names, on both sides.
    - `rate` limits the capacity units of each second, on each side; `share` limits them to a share of the capacity of
      the tables, such as 0.5.
    - `on_note` gets what the move changes besides items, and what the target lacks.

    >>> from tablewright import embedded
    >>> shop = Design("shop", tables=[])
    >>> move = TableMove(shop, embedded(), embedded())
    >>> move.copy()
    >>> move.compare().differences
    ()
    """

    def __init__(
        self,
        design: Design,
        source: Connection,
        target: Connection,
        *,
        environment: str | None = None,
        prefix: str = "",
        segments: int = 4,
        rate: float | None = None,
        share: float | None = None,
        on_progress: OnProgress = lambda progress: None,
        on_note: Callable[[str], None] = lambda note: None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        def side(name: SideName, connection: Connection) -> MoveSide:
            clock = getattr(connection, "clock", None)
            now = clock.now if clock else time.time
            context = Context(now, environment, prefix=prefix)
            return MoveSide(name, connection, design, context, Meter(rate, now), pause)

        self.design = design
        self.sides: dict[SideName, MoveSide] = {
            "source": side("source", source),
            "target": side("target", target),
        }
        self._on_note = on_note
        self._segments = segments
        self._share = share
        self._on_progress = on_progress
        self._records = MoveRecords(self.sides["target"])
        self._state: MoveState | None = None
        self._follower: StreamFollower | None = None
        self._applied = 0

    @property
    def state(self) -> MoveState | None:
        """The stored state, or None if the move was not started."""
        try:
            return self._records.state()
        except ResourceNotFound:
            return None

    def restart(self) -> None:
        """Delete what was copied: the next run copies everything again."""
        if self.state is None:
            return
        state = self._state = self._records.claim(self._origin())
        if state.active == "target":
            raise MoveError(
                "programs use the target, so that it is not deleted; switch back first, with --switch-to source"
            )
        target = self.sides["target"]
        for table in self.design.tables:
            if target.identity(table) is None:
                continue
            for page in target.pages(table):
                self._save()
                target.write(table, [delete(key_of(table, item)) for item in page])
        self._records.forget()
        self._state, self._follower = None, None

    def copy(self) -> None:
        """Copy all items, or continue to; return when the copy is complete."""
        state = self._begin()
        if state.phase == "starting":
            self._copy_migrations()
            self._follow_from_now("source")
            state = self._save(phase="copying", segments=self._segments)
        if state.phase == "copying":
            for table in self.design.tables:
                copy = TableCopy(
                    table, self.sides["source"], self.sides["target"], self._records, state.segments
                )

                def take_turn(items: int, name: str = self.table_name(table)) -> None:
                    self._save()
                    self._follow()
                    self._report("copying", table=name, items=items)

                copy.run(take_turn)
            self._save(phase="following")

    def follow(self) -> Followed:
        """Apply the changes since the last call; return what was done."""
        self._begin()
        # The lease is renewed first: a runner that lost it must not write.
        self._save()
        done = self._follow()
        lag = 0.0 if done.is_caught_up or not done.newest else self._active.context.now() - done.newest
        self._report("following", lag=max(lag, 0.0))
        return done

    def catch_up(self) -> None:
        """Apply changes until the streams have no more."""
        while not self.follow().is_caught_up:
            pass

    def compare(self) -> MoveComparison:
        """Compare both sides; programs may write meanwhile."""
        self._begin()
        self._report("comparing")
        return compare(self.design.tables, self._active, self._passive, self.catch_up, self._renew)

    def repair(self, comparison: MoveComparison) -> None:
        """Write the items that differ from the side that programs use to the other side."""
        active, passive = self._active, self._passive
        for difference in comparison.differences:
            item = active.get(difference.table, difference.key)
            passive.write(difference.table, [delete(difference.key) if item is None else put(item)])

    def switch(self, to: SideName) -> MoveComparison:
        """Let programs use another side, once both sides are equal; the programs must not write meanwhile."""
        if self.state is None:
            raise MoveError("there is no move to this target; run the command without --switch-to first")
        state = self._begin()
        if state.phase != "following":
            raise MoveError("the copy is not complete; run the command without --switch-to first")
        if state.active == to:
            raise MoveError(f"programs use the {to} already; its changes are applied to the {state.other}")
        self._wait_until_quiet()
        comparison = self.compare()
        if comparison.differences or comparison.changing:
            raise MoveError(
                f"{len(comparison.differences) + comparison.changing} items differ, so programs must stay on the "
                f"{state.active}; run the command without --switch-to to list them, or with --repair"
            )
        self._wait_until_quiet()
        self._copy_migrations()
        self._follow_from_now(to)
        self._save(active=to)
        return comparison

    def table_name(self, table: Table) -> str:
        """The name of a table on both sides."""
        return self.sides["source"].table_name(table)

    def release(self) -> None:
        """Let another process continue the move at once."""
        if self._state is not None:
            self._records.release(self._state)
            self._state = None

    @property
    def _active(self) -> MoveSide:
        return self.sides[self._begin().active]

    @property
    def _passive(self) -> MoveSide:
        return self.sides[self._begin().other]

    def _begin(self) -> MoveState:
        """Take over the move; a new one needs empty tables at its target, and streams on both sides."""
        if self._state is None:
            origin = self._origin()
            begun = self.state
            if begun is None:
                self._prepare()
            else:
                self._require_target_tables(begun)
                self._enable_streams()  # someone may have disabled one; a comparison finds what is missing
            self._state = self._records.claim(origin)
            if self._share is not None:
                for side in self.sides.values():
                    side.meter.rate = shared_rate(side, self._share)
        return self._state

    def _require_target_tables(self, begun: MoveState) -> None:
        """Raise `MoveError` if a table was deleted since the move has begun."""
        target = self.sides["target"]
        for table in self.design.tables:
            if target.identity(table) is None:
                advice = "restore it" if begun.active == "target" else "start the copy again with --restart"
                name = target.table_name(table)
                raise MoveError(
                    f"table {name} does not exist at the target, though the move has begun; {advice}"
                )

    def _renew(self) -> None:
        """Renew the lease during long reads."""
        self._save()

    def _save(self, **changes: Any) -> MoveState:
        assert self._state is not None
        self._state = self._records.save(self._state, **changes)
        return self._state

    def _origin(self) -> str:
        """Return the identity of the source; raise `MoveError` if it lacks a table, or is the target too."""
        source, target = self.sides["source"], self.sides["target"]
        identities = source.identities()
        for table, identity in zip(self.design.tables, identities, strict=True):
            if identity == target.identity(table):
                raise MoveError(
                    f"the source and the target are the same store: both have the same table "
                    f"{source.table_name(table)}; give another location with --to"
                )
        return " ".join(identities)

    def _prepare(self) -> None:
        target = self.sides["target"]
        for table in self.design.tables:
            self._require_empty(target.table_name(table))
        plan = target.run(plan_of(self.design, target.context))
        for warning in plan.warnings:
            self._on_note(warning)
        target.run(deploy(plan, _no_fill, lambda step: None, self._note_skipped))
        self._enable_streams()
        self._records.create()

    def _note_skipped(self, step: DeploymentStep, reason: str) -> None:
        self._on_note(f"skipped: {step.description}; the target does not support it ({reason})")

    def _enable_streams(self) -> None:
        for side in self.sides.values():
            for table in self.design.tables:
                self._enable_stream(side, side.table_name(table))

    def _enable_stream(self, side: MoveSide, table: str) -> None:
        described = side.call("DescribeTable", TableName=table)["Table"]
        if (described.get("StreamSpecification") or {}).get("StreamEnabled"):
            return
        enabled = {"StreamEnabled": True, "StreamViewType": VIEW}
        side.call("UpdateTable", TableName=table, StreamSpecification=enabled)
        side.run(wait_until_ready(table))
        self._on_note(f"enabled the stream of {table} at the {side.name}; disable it after the move")

    def _require_empty(self, table: str) -> None:
        try:
            reply = self.sides["target"].call("Scan", TableName=table, Limit=1, ConsistentRead=True)
        except ResourceNotFound:
            return
        if reply["Items"]:
            raise MoveError(
                f"table {table} of the target has items, which a move would overwrite; delete it, or give another "
                "location with --to"
            )

    def _copy_migrations(self) -> None:
        """Copy the records of applied migrations, so that the other side does not apply them again."""
        state = self._state
        origin = self.sides[state.active if state and state.phase == "following" else "source"]
        other = self.sides["target" if origin.name == "source" else "source"]
        table = self._records.design_table
        try:
            kept = self._migrations(origin)
        except ResourceNotFound:
            return
        MoveRecords(other).create()
        other.write(
            table,
            [delete(key_of(table, old)) for key, old in self._migrations(other).items() if key not in kept],
        )
        other.write(table, [put(item) for item in kept.values()])

    def _migrations(self, side: MoveSide) -> dict[tuple[str, str], Item]:
        """The records of migrations on one side; the records of the move itself are only at the target."""
        items = [item for page in side.pages(self._records.design_table) for item in page]
        return {(item["name"]["S"], item["place"]["S"]): item for item in items if item["name"]["S"] != NAME}

    def _follow_from_now(self, side: SideName) -> None:
        self._records.forget_positions(side)
        other: SideName = "target" if side == "source" else "source"
        follower = StreamFollower(self.design.tables, self.sides[side], self.sides[other], self._records)
        follower.skip_to_the_end()
        self._follower = follower

    def _follow(self) -> Followed:
        if self._follower is None:
            self._follower = StreamFollower(self.design.tables, self._active, self._passive, self._records)
        done = self._follower.follow()
        self._applied += done.records
        return done

    def _wait_until_quiet(self) -> None:
        quiet = 0
        for _ in range(PATIENCE):
            done = self.follow()
            quiet = quiet + 1 if done.is_caught_up and not done.records else 0
            if quiet == QUIET_POLLS:
                return
            self._active.pause(POLL)
        raise MoveError(
            f"programs still write to the {self._begin().active}; stop them, then run the command again"
        )

    def _report(self, phase: Literal["copying", "following", "comparing"], **facts: Any) -> None:
        self._on_progress(MoveProgress(phase, self._begin().active, records=self._applied, **facts))


def _no_fill(step: Backfill | LayoutCompletion) -> Procedure[None]:
    yield from ()
