"""The records of the checkpoint table: the state of work, its segments, and its rejects, as values and as items.

name     "2026-11-budget-as-number", or "backfill/..."
place    "state"                     the direction, the pass, the counts
         "pass/0001/02/segment/003"  of one attempt and one pass: the key of the last item seen, the counts, the lease
         "reject/..."                an item that could not be changed, and the reason
"""

import hashlib
from dataclasses import dataclass, field, replace
from typing import Literal

import orjson

from tablewright.dynamodb.values.attributes import Item, normalise

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

    def __sub__(self, other: "Tally") -> "Tally":
        return Tally(self.seen - other.seen, self.changed - other.changed, self.rejected - other.rejected)


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
    """The runner that wrote the state."""
    revision: str = ""
    """Changes with every change of the other fields."""

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
        numbers |= _counts(self.tally)
        item |= {name: {"N": str(number)} for name, number in numbers.items()}
        return item | ({"ended": {"S": self.ended}} if self.ended else {})


@dataclass(frozen=True, slots=True)
class PassSegment:
    """The progress of one segment of a pass, and the lease of the runner that works on it."""

    number: int
    after: Item | None = None
    is_done: bool = False
    tally: Tally = field(default_factory=Tally)
    runner: str = ""
    until: float = 0.0
    """When the lease ends, unless the runner renews it."""

    def item(self, state: State) -> Item:
        """Return the segment as an item."""
        item: Item = {
            **key_of_place(state.name, segment_place(state, self.number)),
            "done": {"BOOL": self.is_done},
            "runner": {"S": self.runner},
            "until": {"N": str(round(self.until * 1000))},
        }
        item |= {name: {"N": str(number)} for name, number in _counts(self.tally).items()}
        return item | ({"after": {"M": self.after}} if self.after is not None else {})


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
    return key_of_place(name, reject.place)


def reject_of(item: Item) -> Reject:
    """Return a reject from its item."""
    return Reject(item["table"]["S"], item["key"]["M"], item["reason"]["S"], item["turn"]["S"])


def with_rejects(state: State, rejects: int) -> State:
    """Return a finished state with the number of rejects that are left; a retry deletes those that it converts."""
    return replace(state, tally=replace(state.tally, rejected=rejects)) if state.is_done else state


def segment_place(state: State, number: int) -> str:
    """Return the place of a segment in the current pass."""
    return f"pass/{state.pass_id}/segment/{number:03}"


def segment_of(item: Item) -> PassSegment:
    """Return a segment from its item."""
    number = int(item["place"]["S"].rpartition("/")[2])
    after = item["after"]["M"] if "after" in item else None
    until = int(item["until"]["N"]) / 1000
    return PassSegment(number, after, item["done"]["BOOL"], _tally(item), item["runner"]["S"], until)


def key_of_place(name: str, place: str) -> Item:
    """Return the key of a record."""
    return {"name": {"S": name}, "place": {"S": place}}


def _counts(tally: Tally) -> dict[str, int]:
    return {"seen": tally.seen, "changed": tally.changed, "rejected": tally.rejected}


def _tally(item: Item) -> Tally:
    return Tally(*(int(item[name]["N"]) for name in ("seen", "changed", "rejected")))


def state_of(item: Item) -> State:
    """Return a state from its item."""
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
        revision=item["stamp"]["S"],
    )


def is_equal(stored: Item, item: Item) -> bool:
    """Return whether two items are equal; numbers in another notation are."""
    return {name: normalise(value) for name, value in stored.items()} == {
        name: normalise(value) for name, value in item.items()
    }
