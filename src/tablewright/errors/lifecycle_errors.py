"""Lifecycle errors: a deployment, a migration or a move cannot start, or stopped before its end."""

from collections.abc import Sequence
from typing import Any

from tablewright.errors.base_error import TablewrightError


class DeploymentError(TablewrightError):
    """A deployment cannot start, or stopped before its end; completed steps stay, and the next run continues."""


class MigrationError(TablewrightError):
    """A migration cannot start, or stopped before its end; completed steps stay, and the next run continues."""


class MoveError(TablewrightError):
    """A move cannot start, or stopped; nothing is lost, and the next run continues."""


class MigrationIncomplete(MigrationError):
    """A migration was not started, because another one has rejects; `results` are those of the migrations before it."""

    def __init__(self, message: str, results: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.results = list(results)
