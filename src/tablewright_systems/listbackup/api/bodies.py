"""What the bodies of requests have in common."""

from typing import Any

from tablewright_systems.listbackup.design.vocabulary import Part


class Body(Part):
    """What a client sends: in camelCase, and nothing that nobody reads."""

    def given(self) -> dict[str, Any]:
        """What the client sent, as Python values, without what it left out."""
        return {name: getattr(self, name) for name in self.model_fields_set}
