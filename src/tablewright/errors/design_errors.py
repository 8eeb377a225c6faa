"""Design errors: a design that cannot work, or a value that its fields and keys cannot hold."""

from tablewright.errors.base_error import TablewrightError


class DesignError(TablewrightError):
    """A design that cannot work; raised when the class is defined, naming the class, the template and the fix."""


class KeyValueError(TablewrightError):
    """A value that cannot be part of a key: it is empty, missing, or contains the delimiter."""


class ValueNotStorable(TablewrightError):
    """A Python value that no attribute value can hold."""
