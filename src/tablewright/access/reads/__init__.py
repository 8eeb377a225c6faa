"""Reads, as values to pass to `run`, and their results: `reads.Merged([OpenRoles(shard=s) for s in range(8)])`."""

from tablewright.access.reads.combined import Chained, Merged
from tablewright.access.reads.nearest_read import Match
from tablewright.access.reads.pages import Page, Row

__all__ = ["Chained", "Match", "Merged", "Page", "Row"]
