"""Usage errors: a command cannot run as it was given. The message says what to change."""

from tablewright.errors.base_error import TablewrightError


class UsageError(TablewrightError):
    """A command cannot run as it was given; the message says what to change."""


class CredentialsError(UsageError):
    """The credentials file cannot be used; the message says why and what to do."""


class PolicyError(UsageError):
    """A policy document, or the file that names the policies of callers, cannot be used; the message says why."""
