"""The base of all request bodies."""

from typing import Any

from tablewright_systems.listbackup.design.vocabulary import Part


class Body(Part):
    """A request body in camelCase; unknown fields are rejected."""

    def given(self) -> dict[str, Any]:
        """The fields that the client sent, as Python values."""
        return {name: getattr(self, name) for name in self.model_fields_set}
