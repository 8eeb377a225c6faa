"""Findings: what an integrity check says about items, and what a repair would do."""

import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from tablewright.access.items.key_values import describe_key
from tablewright.access.writes.actions import Step
from tablewright.values.attributes import Item


class Kind(StrEnum):
    """What can be wrong."""

    INCOMPLETE = "incomplete item"
    """What is left when an update brought back a part of an entity that was deleted."""
    STALE_INDEX_KEYS = "stale index keys"
    MISSING_LOCK = "missing lock"
    ORPHAN_LOCK = "orphan lock"
    DUPLICATE = "duplicate unique value"
    """Two entities have a value that only one may have; which, a person must say."""
    MISSING_COPY = "missing copy"
    OUTDATED_COPY = "copy out of date"
    ORPHAN_COPY = "orphan copy"
    BLOCKED_COPY = "blocked copy"
    """Something else lies where a copy belongs."""
    UNKNOWN = "unknown item"
    """It is no entity of the design, or holds what its class does not accept."""
    UNREADABLE_SECRET = "undecryptable secret"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with one item."""

    kind: Kind
    table: str
    key: Item
    problem: str
    """What is wrong, after "it"."""
    entity: str | None = None
    repair: str | None = None
    """What a repair would do; None when a person has to."""
    steps: Sequence[Step] = field(default=(), repr=False, compare=False)

    def __str__(self) -> str:
        return f"{self.table}: {describe_key(self.key)} {self.problem}"


@dataclass(slots=True)
class Report:
    """What a check found."""

    seen: int = 0
    findings: list[Finding] = field(default_factory=list)
    """What is wrong, and still is."""
    repaired: list[Finding] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)
    """What is not wrong, but good to know, and how often it was met."""
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def counts(self) -> dict[str, int]:
        """How many of each kind."""
        return dict(Counter(str(finding.kind) for finding in self.findings))

    def note(self, text: str) -> None:
        """Take note of something; threads may do so at once."""
        with self._lock:
            self.notes[text] += 1
