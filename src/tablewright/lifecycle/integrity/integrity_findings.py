"""Findings of an integrity check, and what a repair would do."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tablewright.access.items.item_values import describe_key
from tablewright.access.writes.actions import WriteAction
from tablewright.dynamodb.values.attributes import Item


class Kind(StrEnum):
    """What can be wrong with an item."""

    INCOMPLETE = "incomplete item"
    """An update after a delete wrote some attributes of an entity that no longer exists."""
    STALE_INDEX_KEYS = "stale index keys"
    IGNORED_EXPIRY = "ignored expiry"
    """The expiry is in milliseconds, or is text: DynamoDB never deletes the item."""
    OTHER_FORM = "value in another form"
    """Another program stored a value in another form than ours: filters and ranges miss it."""
    MISSING_LOCK = "missing lock"
    OUTDATED_LOCK = "lock out of date"
    """Other programs wrote the lock with other attributes, or without its owner."""
    ORPHAN_LOCK = "orphan lock"
    DUPLICATE = "duplicate unique value"
    """Two entities have a value that only one may have; a person must decide which."""
    MISSING_COPY = "missing copy"
    OUTDATED_COPY = "copy out of date"
    ORPHAN_COPY = "orphan copy"
    BLOCKED_COPY = "blocked copy"
    """Another item is stored where a copy belongs."""
    DANGLING = "dangling reference"
    """The target of a reference does not exist; a person must decide what becomes of the entity."""
    UNKNOWN = "unknown item"
    """The item is no entity of the design, or has values that its class does not accept."""
    UNREADABLE_SECRET = "undecryptable secret"


@dataclass(frozen=True, slots=True)
class IntegrityFinding:
    """One thing that is wrong with one item."""

    kind: Kind
    table: str
    key: Item
    problem: str
    """What is wrong, as a sentence without its subject: "lacks its copy Board (PK = ...)"."""
    entity: str | None = None
    repair: str | None = None
    """What a repair would do; None when a person must decide."""
    actions: Sequence[WriteAction] = field(default=(), repr=False, compare=False)
    """The actions of the repair."""
    forms: tuple[str, ...] = ()
    """For values in another form: each field and its form, "Task.created_at: a time with an offset"."""

    def __str__(self) -> str:
        return f"{self.table}: {describe_key(self.key)} {self.problem}"


@dataclass(slots=True)
class IntegrityReport:
    """The result of a check."""

    seen: int = 0
    """How many items were checked."""
    findings: list[IntegrityFinding] = field(default_factory=list)
    """What is wrong and was not repaired."""
    repaired: list[IntegrityFinding] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    """What is not wrong but useful to know, and how often it was seen."""
    most: int | None = None
    """The most findings that are kept."""
    left_out: int = 0
    """How many findings were not kept."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings of each kind."""
        return dict(Counter(str(finding.kind) for finding in self.findings))

    def add(self, findings: Sequence[IntegrityFinding]) -> None:
        """Keep findings, up to the most that are kept; safe to call from several threads."""
        with self._lock:
            self.notes.update(form for finding in findings for form in finding.forms)
            kept = len(findings) if self.most is None else max(0, self.most - len(self.findings))
            self.findings += findings[:kept]
            self.left_out += len(findings[kept:])

    def note(self, text: str) -> None:
        """Count a note; safe to call from several threads."""
        with self._lock:
            self.notes[text] += 1
