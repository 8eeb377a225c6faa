"""The fields that most entities of the systems have: when an entity was created, and last written."""

from tablewright import Entity, fields


class Timestamped(Entity):
    """Base of entities with the times of their creation and of their last write."""

    created_at: fields.Timestamp = fields.now()
    updated_at: fields.Timestamp = fields.touched()
