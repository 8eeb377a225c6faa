"""Lifecycle errors: a deployment or a migration cannot start, or stopped before its end."""

from tablewright.errors.base_error import TablewrightError


class DeploymentError(TablewrightError):
    """A deployment cannot start, or stopped before its end; completed steps stay, and the next run continues."""


class MigrationError(TablewrightError):
    """A migration cannot start, or stopped before its end; completed steps stay, and the next run continues."""
