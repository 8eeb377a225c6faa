"""A field that only updates change is in an entity that allows no updates.

    class AuditEntry(Entity, table=main, writes={"create"}):
        version: Annotated[int, fields.Version()] = 0
        updated_at: fields.Timestamp = fields.touched()

A version that is never compared and a time that is always the time of creation cost bytes in every item, and tell
readers that the entity changes. Remove the field, or add "update" to `writes`.
"""

from collections.abc import Iterator

from tablewright.checks.findings import Finding
from tablewright.design.designs import Design
from tablewright.design.fields.markers import Version

CODE = "TW602"
TITLE = "Version without updates"


def check(design: Design) -> Iterator[Finding]:
    """Versions and times of the last write in entities that allow no updates."""
    for entity in design.entities:
        layout = entity.layout
        if "update" in layout.writes:
            continue
        for field in layout.fields.values():
            if field.marker(Version) or field.automatic == "touched":
                yield Finding(
                    CODE,
                    "warning",
                    f"{entity.__name__}.{field.name}",
                    f"{entity.__name__} allows no updates, so {field.name} never changes after the entity is created",
                    f'remove {field.name}, or add "update" to writes',
                    entity,
                )
